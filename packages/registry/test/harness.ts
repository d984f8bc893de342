import {
  decodeBridgeFrame,
  encodeFrame,
  type OutgoingFrame,
  type Request,
} from "@ccbridge/protocol";
import {
  Computers,
  type ComputersOptions,
  Registry,
  type RegistryChange,
  type RegistryLimits,
  type Stores,
} from "../src/index.js";
import { connectInMemory } from "../src/testing/index.js";

export class TestRegistry extends Registry {
  readonly reported: RegistryChange[] = [];
  readonly computers: Computers;

  constructor(options: Partial<RegistryLimits & ComputersOptions>, stores?: Stores) {
    super(options, stores);
    this.computers = new Computers(this, { bridge: { name: "test", version: "0" }, ...options });
    this.changes.subscribe((change) => this.reported.push(change));
  }
}

export function createRegistry(
  options: Partial<RegistryLimits & ComputersOptions> = {},
  stores?: Stores,
): TestRegistry {
  return new TestRegistry(options, stores);
}

/** An agent that does nothing by itself: the test says every word. */
export function connectAgent(
  registry: TestRegistry,
  options: { bufferedBytes?: () => number } = {},
) {
  const received: Record<string, unknown>[] = [];
  const end = connectInMemory(registry.computers, {
    ...options,
    receive: (text) => {
      const decoded = decodeBridgeFrame(text);
      if (!decoded.ok) throw new Error(decoded.reason);
      received.push(decoded.frame);
    },
  });
  return {
    end,
    link: end.link,
    received,
    say: (frame: OutgoingFrame) => end.send(encodeFrame(frame)),
    hello: (computerId: number, more: object = {}) =>
      end.send(JSON.stringify({ type: "hello", computerId, ...more })),
    requests: (method?: string) =>
      received.filter(
        (frame) => frame.type === "request" && (method === undefined || frame.method === method),
      ) as unknown as Request[],
  };
}

export const v2 = {
  protocol: 2,
  instance: "i1",
  features: ["cancel", "output", "chunk"],
  methods: ["ping", "exec-lua"],
};
