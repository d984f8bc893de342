import {
  type CommandFrame,
  decodeFrame,
  encodeEvent,
  encodeRequest,
  encodeResponse,
  type Frame,
  type QueryFrame,
} from "@ccbridge/protocol/minecraft";
import {
  type Forwarded,
  Registry,
  type RegistryChange,
  type RegistryLimits,
  Servers,
} from "../../../src/index.js";

export class TestServers extends Servers {
  readonly reported: RegistryChange[] = [];
  readonly passed: Forwarded[];

  constructor(options: Partial<RegistryLimits> = {}) {
    const passed: Forwarded[] = [];
    super(new Registry(options), {
      ownerOf: (token) =>
        token === "later" ? { laterBecause: "Too many." } : /^([a-z]+):/.exec(token)?.[1],
      onForward: (message) => passed.push(message),
    });
    this.passed = passed;
    this.registry.changes.subscribe((change) => this.reported.push(change));
  }
}

/** A server in memory: the test says every word. */
export function connectServer(
  servers: Servers,
  origin: { token?: string | undefined; name?: string; bufferedBytes?: () => number } = {},
) {
  const received: Frame[] = [];
  let closedWith: { code: number; reason: string } | undefined;
  const { token = "alice:1", name, bufferedBytes } = origin;
  const link = servers.attach(
    {
      send(text) {
        const decoded = decodeFrame(text, "mcp");
        if (!decoded.ok) throw new Error(decoded.reason);
        received.push(decoded.frame);
      },
      close(code, reason) {
        closedWith ??= { code, reason };
      },
      get bufferedBytes() {
        return bufferedBytes?.() ?? 0;
      },
    },
    { address: "memory", token: "token" in origin ? origin.token : token, name },
  );
  let count = 0;
  return {
    link,
    received,
    get closedWith() {
      return closedWith;
    },
    say: (message: object) => link.receive(JSON.stringify(message)),
    hello: (args: object = {}, authToken?: string) =>
      link.receive(
        encodeRequest({ source: "minecraft", id: "hello" }, { command: "hello", args, authToken }),
      ),
    chat: (message: string, seq?: number) => {
      const sender = { source: "minecraft", id: `event-${++count}` } as const;
      const data = { player: "Steve", message };
      link.receive(
        encodeEvent(sender, { eventType: "player_chat", timestamp: Date.now(), data, seq }),
      );
    },
    answer: (id: string, data?: unknown) =>
      link.receive(encodeResponse({ source: "minecraft", id }, data)),
    requests: () =>
      received.filter(
        (frame): frame is CommandFrame | QueryFrame =>
          frame.type === "command" || frame.type === "query",
      ),
  };
}
