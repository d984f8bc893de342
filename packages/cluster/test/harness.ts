import { Computers, createLocalPort, joinedPort, Registry, selectBy } from "@ccbridge/registry";
import { connectInMemory, FakeComputer, type Program } from "@ccbridge/registry/testing";
import { expect } from "vitest";
import { Cluster, type ClusterOptions } from "../src/index.js";

export interface TestBridge extends AsyncDisposable {
  readonly registry: Registry;
  readonly computers: Computers;
  readonly cluster: Cluster;
  /** What its clients use. */
  readonly port: ReturnType<typeof joinedPort>;
  close(): Promise<void>;
}

/** A bridge without listeners: a registry, its port and its place in a cluster. */
export function startBridge(url: string, options: Partial<ClusterOptions> = {}): TestBridge {
  const registry = new Registry({ heartbeatMs: 60_000 });
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
  const port = joinedPort([local, cluster.port], { select: selectBy(registry) });
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
): Promise<TestBridge[]> {
  const names = Array.from({ length: count }, (_, index) => `b${index + 1}`);
  const bridges = names.map((name) => startBridge(url, { name, ...options }));
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
  const end = connectInMemory(computers, {
    receive: (text) => {
      if (!isSilent) fake.receive(text);
    },
  });
  const fake = new FakeComputer({ computerId, ...more, send: (text) => end.send(text) });
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
  };
}

/** Waits until a bridge sees a provider, or no longer does. */
export async function seen(bridge: TestBridge, key: string, is = true): Promise<void> {
  await expect
    .poll(async () => (await bridge.port.get(key)) !== undefined, { message: key })
    .toBe(is);
}

export const run = (code: string) => ({ method: "exec-lua", params: { code }, summary: code });
