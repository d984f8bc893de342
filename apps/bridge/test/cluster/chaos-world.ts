import { once } from "node:events";
import { FakeComputer } from "@ccbridge/registry/testing";
import { onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { freePort } from "../helpers/ports.js";
import { type Relay, startRelay } from "../helpers/relay.js";
import { builtProgram, health, type SpawnedBridge, spawnBridge } from "../helpers/spawn-bridge.js";

/** How long a computer hears nothing before it links elsewhere. */
const SILENCE_MS = 4_000;

/** What was run, by the nonce in its code: the counter of the fake world. */
export class World {
  readonly runs = new Map<string, number>();
  readonly computers: RestlessComputer[] = [];
  /** The longest time in which a computer heard no bridge and had no link, since this was set to 0. */
  longestAwayMs = 0;

  run(nonce: string): void {
    this.runs.set(nonce, (this.runs.get(nonce) ?? 0) + 1);
  }

  /** Those that are away now count too. */
  get awayMs(): number {
    return Math.max(this.longestAwayMs, ...this.computers.map(({ awayMs }) => awayMs));
  }

  get linked(): number {
    return this.computers.filter(({ isLinked }) => isLinked).length;
  }

  /** Nonces that ran more than once. */
  doubled(): string[] {
    return [...this.runs].filter(([, count]) => count > 1).map(([nonce]) => nonce);
  }
}

/** A computer with one socket: it links to any bridge, and to another one when that is silent or gone. */
export class RestlessComputer {
  readonly #id: number;
  readonly #urls: () => readonly string[];
  readonly #world: World;
  #socket: WebSocket | undefined;
  /** When a bridge was last heard that it is, or was, linked to. */
  #heardAt = performance.now();
  #isOver = false;
  isLinked = false;
  at: string | undefined;

  constructor(id: number, urls: () => readonly string[], world: World, start = 0) {
    this.#id = id;
    this.#urls = urls;
    this.#world = world;
    void this.#live(start);
  }

  get awayMs(): number {
    return this.isLinked ? 0 : performance.now() - this.#heardAt;
  }

  end(): void {
    this.#isOver = true;
    this.#socket?.terminate();
  }

  async #live(start: number): Promise<void> {
    for (let turn = start; !this.#isOver; turn++) {
      const urls = this.#urls();
      const url = urls[turn % urls.length];
      if (url !== undefined) await this.#link(url).catch(() => {});
      this.isLinked = false;
      await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 400));
    }
  }

  async #link(url: string): Promise<void> {
    const socket = new WebSocket(url, { handshakeTimeout: 3_000 });
    this.#socket = socket;
    socket.on("error", () => {});
    const closed = once(socket, "close");
    closed.catch(() => {});
    await Promise.race([
      once(socket, "open"),
      closed.then(() => Promise.reject(new Error("closed"))),
    ]);
    const programs = new Proxy<Record<string, () => []>>(
      {},
      {
        get: (_, code) => () => {
          this.#world.run(String(code));
          return [];
        },
      },
    );
    const fake = new FakeComputer({
      computerId: this.#id,
      label: `c${this.#id}`,
      programs,
      send: (text) => {
        // One socket: what an earlier link began is not answered on this one.
        if (this.#socket === socket && socket.readyState === WebSocket.OPEN) socket.send(text);
      },
    });
    let heardAt = performance.now();
    socket.on("message", (data) => {
      heardAt = performance.now();
      if (this.isLinked) this.#heardAt = heardAt;
      if (this.#socket === socket) fake.receive(data.toString());
    });
    fake.sayHello();
    fake.welcomed.then(
      () => {
        this.#world.longestAwayMs = Math.max(this.#world.longestAwayMs, this.awayMs);
        this.#heardAt = performance.now();
        this.isLinked = this.#socket === socket;
        this.at = url;
      },
      () => socket.terminate(),
    );
    const watch = setInterval(() => {
      if (performance.now() - heardAt > SILENCE_MS) socket.terminate();
    }, 500);
    await closed;
    clearInterval(watch);
  }
}

export interface Member {
  readonly name: string;
  readonly mcpPort: number;
  readonly linkUrl: string;
  readonly relay: Relay;
  bridge: SpawnedBridge;
  start(): Promise<void>;
}

const clockJumps = new URL("clock-jumps.mjs", import.meta.url).href;

/** A bridge as a real process, on fixed ports, that reaches NATS through a separate relay. */
export async function startMember(name: string, natsPort: number): Promise<Member> {
  const relay = await startRelay(natsPort);
  const [mcpPort, linkPort] = [await freePort(), await freePort()];
  const env = {
    MCP_PORT: String(mcpPort),
    CC_LINK_PORT: String(linkPort),
    CC_LINK_HOST: "127.0.0.1",
    CC_PAGES_PORT: "0",
    CC_CLUSTER: `nats://127.0.0.1:${relay.port}`,
    CC_CLUSTER_NAME: name,
    CC_HISTORY: "memory",
    CC_HEARTBEAT_MS: "1000",
    CC_UNRESPONSIVE_AFTER_MS: "8000",
    CC_DROP_AFTER_MS: "20000",
    CC_MAX_PER_ADDRESS: "2000",
    MCP_MAX_PER_ADDRESS: "2000",
    LOG_LEVEL: "info",
  };
  const command = [process.execPath, "--import", clockJumps, builtProgram()];
  const member: Member = {
    ...{ name, mcpPort, relay, linkUrl: `ws://127.0.0.1:${linkPort}` },
    bridge: await spawnBridge([], env, command),
    async start() {
      member.bridge = await spawnBridge([], env, command);
    },
  };
  return member;
}

/** What a bridge says of the cluster, on its /health. */
export async function clusterOf(member: Member): Promise<{ state: string; members: number }> {
  const { cluster } = await health(`http://127.0.0.1:${member.mcpPort}/mcp`);
  return cluster as { state: string; members: number };
}

export interface Outcome {
  readonly nonce: string;
  readonly text: string;
  readonly ok: boolean;
}

export const NO_ANSWER = "no answer in two minutes";

/** Calls computers at random through bridges at random, all the time. */
export class Load {
  readonly outcomes: Outcome[] = [];
  readonly #members: readonly Member[];
  readonly #computers: number;
  #isOver = false;
  #open = 0;
  #count = 0;
  readonly #workers: Promise<void>[];

  constructor(members: readonly Member[], computers: number, workers: number) {
    this.#members = members;
    this.#computers = computers;
    this.#workers = Array.from({ length: workers }, () => this.#work());
    onTestFinished(() => this.stop());
  }

  get open(): number {
    return this.#open;
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#workers);
  }

  async #work(): Promise<void> {
    while (!this.#isOver) {
      const nonce = `n${++this.#count}`;
      const member = this.#members[Math.floor(Math.random() * this.#members.length)];
      const computer = 1 + Math.floor(Math.random() * this.#computers);
      this.#open += 1;
      try {
        const answer = await execute(member?.mcpPort ?? 0, computer, nonce);
        this.outcomes.push({ nonce, ...answer });
      } catch (error) {
        // The bridge itself is gone: the client sees that its connection broke.
        const { name, message } = error as Error;
        const text = name === "TimeoutError" ? NO_ANSWER : `connection: ${message}`;
        this.outcomes.push({ nonce, ok: false, text });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      this.#open -= 1;
    }
  }
}

export function execute(mcpPort: number, computerId: number, code: string) {
  return callWith(mcpPort, "exec-lua", { computerId, code });
}

/** One call as a client of 2026-07-28 makes it: no session, any bridge. */
export async function callWith(
  mcpPort: number,
  name: string,
  args: object,
): Promise<{ ok: boolean; text: string }> {
  const response = await fetch(`http://127.0.0.1:${mcpPort}/mcp`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": name,
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: {
        name,
        arguments: args,
        _meta: {
          "io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientInfo": { name: "load", version: "1" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
    signal: AbortSignal.timeout(120_000),
  });
  const body = await response.text();
  const data = body.startsWith("{")
    ? body
    : (body
        .split("\n")
        .findLast((line) => line.startsWith("data: ") && line.includes('"id":1'))
        ?.slice(6) ?? "{}");
  const { result, error } = JSON.parse(data);
  if (result === undefined) return { ok: false, text: error?.message ?? `HTTP ${response.status}` };
  const text = (result.content ?? []).map((part: { text?: string }) => part.text ?? "").join("\n");
  return { ok: result.isError !== true, text };
}
