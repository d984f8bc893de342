import { Feature, type MethodName, methods } from "@ccbridge/protocol";
import {
  decodeFrame,
  encodeEvent,
  encodeFailure,
  encodeRequest,
  encodeResponse,
} from "@ccbridge/protocol/minecraft";
import {
  type ChangeCount,
  type ChangeLog,
  type History,
  type HistoryEntry,
  type KeptChange,
  Pages,
  Servers,
} from "@ccbridge/registry";
import { connectInMemory } from "@ccbridge/registry/testing";
import { z } from "zod";
import type { Alert, AlertsAccess, Fired } from "../../../src/index.js";
import type { TestRegistry } from "../../harness.js";

/** Placeholder wherever a provider may write any text. */
export const FREE = "harmless";

export interface Scene {
  hello: object;
  answers: Record<string, unknown>;
  failure?: { code: string; message: string };
  output?: string;
  progress?: { progress: number; total: number; message: string };
  staysRunning?: boolean;
  events?: object[];
  tools?: object;
  server?: { hello: object; events: { eventType: "player_chat"; data: object }[] };
  page?: { site: string; tools: object[] };
  changed?: object[];
  history?: { entries: object[]; changes: object[] };
  alerts?: { alert: object; fired: object };
}

/** An alert whose every text may be any. */
export function alertsOf({ alerts }: Scene): AlertsAccess | undefined {
  return (
    alerts && {
      create: async (order) => ({ ...order, id: "1a", createdAt: 0, fired: 0 }),
      list: () => [alerts.alert as Alert],
      fired: () => [alerts.fired as Fired],
      remove: () => alerts.alert as Alert,
      webhookProblem: () => undefined,
    }
  );
}

/** A past in which every text that a client or a provider chose may be any. */
export function historyOf({ history }: Scene): History | undefined {
  return (
    history && {
      isKept: true,
      timeline: async () => ({ entries: history.entries as HistoryEntry[], next: "1-2-3" }),
      summary: async () => ({ changes: history.changes as ChangeCount[], since: undefined }),
      providers: async () => [],
      places: async () => [],
    }
  );
}

/** Changes in which every text may be any, of the computer that is linked. */
export function changesOf({ changed = [] }: Scene, registry: TestRegistry): ChangeLog {
  const [linked] = [...registry.sessions()];
  const key = linked?.provider.key ?? "none";
  const changes = changed.map((each) => ({ ...each, key }) as KeptChange);
  const log: ChangeLog = {
    find: async () => ({ changes, next: undefined }),
    content: async () => new TextEncoder().encode(`one\n${changes[0]?.tool}\n`),
    begin: async () => ({ id: "9-9", end: async () => {}, drop: async () => {} }),
    undoing: () => log,
  };
  return log;
}

export const hello = {
  computerId: 1,
  protocol: 2,
  kind: "turtle",
  computerLabel: FREE,
  world: FREE,
  host: FREE,
  agent: { name: FREE, version: FREE },
  instance: "one",
  methods: Object.keys(methods),
  features: [Feature.output, Feature.cancel],
};

export const jobResult = {
  output: FREE,
  returns: [
    FREE,
    { type: "table", value: { [FREE]: [FREE, { key: FREE }] } },
    { type: "function", value: FREE },
    { type: "number", value: FREE },
    { type: FREE, value: FREE },
  ],
  screen: { cells: FREE },
};

interface Shape {
  type?: string;
  enum?: unknown[];
  const?: unknown;
  anyOf?: Shape[];
  properties?: Record<string, Shape>;
  items?: Shape;
}

export function sampleOf(schema: z.ZodType): unknown {
  return fill(z.toJSONSchema(schema, { io: "output", unrepresentable: "any" }) as Shape);
}

function fill(shape: Shape): unknown {
  if (shape.const !== undefined) return shape.const;
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.anyOf !== undefined) return fill(shape.anyOf[0] ?? {});
  if (shape.properties !== undefined) {
    const { width, height } = shape.properties;
    if (width !== undefined && height !== undefined) return { cells: FREE };
    const entries = Object.entries(shape.properties).filter(
      ([name]) => name !== "encoding" && name !== "nextOffset",
    );
    return Object.fromEntries(entries.map(([name, item]) => [name, fill(item)]));
  }
  if (shape.type === "array") return [fill(shape.items ?? {})];
  if (shape.type === "number" || shape.type === "integer") return 1;
  return shape.type === "boolean" ? true : FREE;
}

export function answerTo(method: string): unknown {
  const known = methods[method as MethodName];
  return known === undefined ? FREE : sampleOf(known.result);
}

function screens(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(screens);
  if ("cells" in value) {
    const cells = Buffer.from(String(value.cells).padEnd(40)).toString("latin1").slice(0, 40);
    const cursor = { x: 1, y: 1, blink: true };
    return { width: 20, height: 2, cursor, text: btoa(cells), encoding: "base64" };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, screens(item)]));
}

const jobMethods = ["exec-lua", "run-program", "turtle-run", "move-items", "call-tool"];

export function play(registry: TestRegistry, scene: Scene) {
  const asked = new Set<string>();
  const leave = linkComputer(registry, scene, asked);
  if (scene.server !== undefined) linkServer(registry, scene, scene.server, asked);
  if (scene.page !== undefined) linkPage(registry, scene.page);
  return { asked, leave };
}

function linkComputer(registry: TestRegistry, scene: Scene, asked: Set<string>): () => void {
  const send = (frame: object) => end.send(JSON.stringify(frame));
  const end = connectInMemory(registry.computers, {
    receive(text) {
      const { type, id, method } = JSON.parse(text);
      if (type === "cancel") send({ type: "response", id, ok: false, error: "cancelled" });
      if (type !== "request") return;
      asked.add(method);
      const isJob = jobMethods.includes(method);
      if (isJob && scene.output !== undefined) {
        send({ type: "output", id, seq: 0, text: scene.output });
      }
      if (isJob && scene.progress !== undefined) send({ type: "progress", id, ...scene.progress });
      if (isJob && scene.staysRunning === true) return;
      const result = screens(scene.answers[method] ?? answerTo(method));
      const error = scene.failure?.message;
      send({
        type: "response",
        id,
        ...(error === undefined ? { ok: true } : { ok: false, error }),
        result,
      });
      if (method === "watch-events") for (const event of scene.events ?? []) send(event);
      if (method === "set-label") {
        const { label } = result as { label: string };
        send({ type: "hello", ...scene.hello, computerLabel: label });
      }
    },
  });
  send({ type: "hello", ...scene.hello });
  if (scene.tools !== undefined) send({ type: "tools", ...scene.tools });
  return () => end.drop();
}

function linkServer(
  registry: TestRegistry,
  { answers, failure }: Scene,
  { hello, events }: NonNullable<Scene["server"]>,
  asked: Set<string>,
): void {
  const servers = new Servers(registry, { ownerOf: () => "owner" });
  const from = (id: string) => ({ source: "minecraft", id }) as const;
  const link = servers.attach(
    {
      send(text) {
        const decoded = decodeFrame(text, "mcp");
        if (!decoded.ok) throw new Error(decoded.reason);
        const { frame } = decoded;
        if (frame.type !== "command" && frame.type !== "query") return;
        const method = frame.type === "command" ? frame.payload.command : frame.payload.query;
        asked.add(method);
        link.receive(
          failure === undefined
            ? encodeResponse(from(frame.id), answers[method] ?? null)
            : encodeFailure(from(frame.id), failure as never),
        );
      },
      close() {},
      bufferedBytes: 0,
    },
    { address: "memory", token: "token", name: "survival" },
  );
  link.receive(encodeRequest(from("hello"), { command: "hello", args: hello }));
  for (const [index, event] of events.entries()) {
    link.receive(
      encodeEvent(from(`event-${index}`), { ...event, timestamp: 1, seq: index } as never),
    );
  }
}

function linkPage(registry: TestRegistry, { site, tools }: NonNullable<Scene["page"]>): void {
  const channel = { send() {}, close() {}, bufferedBytes: 0 };
  const opening = { session: undefined, site };
  const link = new Pages(registry).attach(channel, { address: "memory" }, opening);
  const params = { tools };
  link.receive(JSON.stringify({ jsonrpc: "2.0", id: "r", method: "tools/register", params }));
}
