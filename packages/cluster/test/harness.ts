import {
  type ClientWatches,
  Computers,
  createLocalPort,
  joinedPort,
  Registry,
  type RegistryLimits,
  selectBy,
} from "@ccbridge/registry";
import { connectInMemory, FakeComputer, type Program } from "@ccbridge/registry/testing";
import { expect } from "vitest";
import { Cluster, type ClusterOptions } from "../src/index.js";

type EventWatch = ClientWatches[number][1][number];

export interface TestBridge extends AsyncDisposable {
  readonly registry: Registry;
  readonly computers: Computers;
  readonly cluster: Cluster;
  /** What its clients use. */
  readonly port: ReturnType<typeof joinedPort>;
  close(): Promise<void>;
}

/** A bridge without listeners: a registry, its port and its place in a cluster. */
export function startBridge(
  url: string,
  options: Partial<ClusterOptions> = {},
  limits: Partial<RegistryLimits> = {},
): TestBridge {
  const registry = new Registry({ heartbeatMs: 60_000, ...limits });
  const computers = new Computers(registry, { bridge: { name: "test", version: "0" } });
  const local = createLocalPort(registry);
  const cluster = new Cluster({
    nats: { servers: [url], pingMs: 500 },
    name: "test",
    version: "0",
    registry,
    port: local,
    leaseMs: 4_000,
    ...options,
  });
  const port = joinedPort([cluster.marked(local), cluster.port], { select: selectBy(registry) });
  const close = async () => {
    registry.close();
    await cluster.close();
  };
  return { registry, computers, cluster, port, close, [Symbol.asyncDispose]: close };
}

/** Starts bridges that see each other. */
export async function startBridges(
  url: string,
  count: number,
  options: Partial<ClusterOptions> = {},
  limits: Partial<RegistryLimits> = {},
): Promise<TestBridge[]> {
  const names = Array.from({ length: count }, (_, index) => `b${index + 1}`);
  const bridges = names.map((name) => startBridge(url, { name, ...options }, limits));
  await expect
    .poll(() => bridges.map(({ cluster }) => cluster.members().length))
    .toEqual(bridges.map(() => count));
  return bridges;
}

export interface TestComputer {
  readonly key: string;
  readonly fake: FakeComputer;
  readonly closedWith: { code: number; reason: string } | undefined;
  drop(): void;
  /** Its socket is dead, and neither side knows. */
  silence(): void;
  event(name: string): void;
  /** The events that it was asked for last on this link. */
  watched(): readonly EventWatch[] | undefined;
}

export function link(
  { computers }: TestBridge,
  computerId: number,
  more: {
    label?: string;
    world?: string;
    programs?: Record<string, Program>;
    protocol?: 1 | 2;
  } = {},
): TestComputer {
  let isSilent = false;
  let watched: readonly EventWatch[] | undefined;
  let count = 0;
  const end = connectInMemory(computers, {
    receive: (text) => {
      if (isSilent) return;
      const { id, method, params } = JSON.parse(text) as Record<string, unknown>;
      if (method !== "watch-events") return fake.receive(text);
      watched = (params as { watches: EventWatch[] }).watches;
      end.send(JSON.stringify({ type: "response", id, ok: true, result: {} }));
    },
  });
  const fake = new FakeComputer({ computerId, ...more, send: (text) => end.send(watching(text)) });
  fake.sayHello();
  return {
    key: end.link.provider.key,
    fake,
    get closedWith() {
      return end.closedWith;
    },
    drop: () => end.drop(),
    silence: () => {
      isSilent = true;
    },
    event: (name) =>
      fake.send({ type: "event", seq: count++, name, args: [], time: Date.now() } as never),
    watched: () => watched,
  };
}

/** Beside what a fake computer can, this one sends events. */
function watching(text: string): string {
  const frame = JSON.parse(text) as { type: string; methods?: string[] };
  if (frame.type !== "hello" || frame.methods === undefined) return text;
  return JSON.stringify({ ...frame, methods: [...frame.methods, "watch-events"] });
}

/** Waits until a bridge sees a provider, or no longer does. */
export async function seen(bridge: TestBridge, key: string, is = true): Promise<void> {
  await expect
    .poll(async () => (await bridge.port.get(key)) !== undefined, { message: key })
    .toBe(is);
}

export const run = (code: string) => ({ method: "exec-lua", params: { code }, summary: code });
