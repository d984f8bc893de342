import { LinkCloseCode } from "@ccbridge/protocol";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { type LinkError, registryDefaults } from "../src/index.js";
import { connectAgent, createRegistry, type TestRegistry, v2 } from "./harness.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const error = (promise: Promise<unknown>): Promise<LinkError> =>
  promise.then(
    () => Promise.reject(new Error("expected a failure")),
    (reason) => reason,
  );

const topics = ({ reported }: TestRegistry) => reported.map(({ topic }) => topic);

describe("saying hello", () => {
  it("links a version 1 computer with a bare hello-ok", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    expect(registry.size).toBe(0);
    agent.hello(12, { computerLabel: "base-turtle" });
    expect(agent.received).toEqual([{ type: "hello-ok", protocol: 1 }]);
    expect(registry.computers.find(12).provider).toMatchObject({
      computerId: 12,
      label: "base-turtle",
      kind: "computer",
      protocol: 1,
      features: [],
    });
  });

  it("sends a version 2 computer the bridge, its limits and its heartbeat", () => {
    const agent = connectAgent(createRegistry({ heartbeatMs: 7_000 }));
    agent.hello(12, { ...v2, protocol: 3 });
    expect(agent.received).toEqual([
      {
        type: "hello-ok",
        protocol: 2,
        bridge: { name: "test", version: "0" },
        maxFrame: registryDefaults.maxFrameBytes,
        heartbeatMs: 7_000,
      },
    ]);
  });

  it("refuses an invalid hello with the reason", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(-5);
    expect(agent.received).toMatchObject([{ type: "hello-error", code: "bad-hello" }]);
    expect(agent.end.closedWith?.code).toBe(LinkCloseCode.badHello);
    expect(registry.computers.connections).toBe(0);
  });

  it("closes a connection that does not say hello in time, and only that", () => {
    const registry = createRegistry();
    const silent = connectAgent(registry);
    const prompt = connectAgent(registry);
    prompt.hello(1);
    vi.advanceTimersByTime(registryDefaults.helloTimeoutMs);
    expect(silent.end.closedWith?.code).toBe(LinkCloseCode.helloTimeout);
    expect(topics(registry)).toEqual(["linked", "refused"]);
    expect(registry.size).toBe(1);
  });

  it("accepts a hello after garbage, and a second hello with a new label", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.end.send("garbage");
    agent.hello(4, { computerLabel: "old" });
    agent.hello(4, { computerLabel: "new" });
    expect(registry.size).toBe(1);
    expect(registry.computers.find(4).provider.label).toBe("new");
  });

  it("does not let a link become another computer", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(4);
    agent.hello(5);
    expect(agent.end.closedWith?.code).toBe(LinkCloseCode.badHello);
    expect(registry.size).toBe(0);
  });

  it("refuses a wrong token, from the hello or from the connection", () => {
    const registry = createRegistry({ authorize: (token) => token === "right" });
    const wrong = connectAgent(registry);
    wrong.hello(1, { token: "wrong" });
    expect(wrong.received).toMatchObject([{ type: "hello-error", code: "unauthorized" }]);
    expect(wrong.end.closedWith?.code).toBe(LinkCloseCode.unauthorized);
    const missing = connectAgent(registry);
    missing.hello(1);
    expect(missing.end.closedWith?.code).toBe(LinkCloseCode.unauthorized);
    const right = connectAgent(registry);
    right.hello(1, { token: "right" });
    expect(registry.size).toBe(1);
  });

  it("allows no more links than configured, but a linked computer may come back", () => {
    const registry = createRegistry({ maxLinks: 2 });
    connectAgent(registry).hello(1);
    connectAgent(registry).hello(2);
    const third = connectAgent(registry);
    third.hello(3);
    expect(third.end.closedWith?.code).toBe(LinkCloseCode.tooManyLinks);
    const again = connectAgent(registry);
    again.hello(2);
    expect(again.end.closedWith).toBeUndefined();
    expect(registry.computers.list().map((link) => link.provider.computerId)).toEqual([1, 2]);
  });

  it("bounds connections that never say hello", () => {
    const registry = createRegistry({ maxLinks: 1 });
    const agents = Array.from({ length: 200 }, () => connectAgent(registry));
    expect(registry.computers.connections).toBeLessThan(70);
    expect(agents.at(-1)?.end.closedWith?.code).toBe(LinkCloseCode.tooManyLinks);
  });
});

describe("who is who", () => {
  it("replaces a link of the same computer; what it had open fails at once", async () => {
    const registry = createRegistry();
    const first = connectAgent(registry);
    first.hello(12, v2);
    const waiting = error(first.link.request("ping", undefined, { timeoutMs: 60_000 }));
    const second = connectAgent(registry);
    second.hello(12, v2);
    expect((await waiting).code).toBe("replaced");
    expect(first.end.closedWith?.code).toBe(LinkCloseCode.replaced);
    expect(registry.computers.find(12)).toBe(second.link);
    expect(topics(registry)).toEqual(["linked", "unlinked", "linked"]);
    first.link.closed("late");
    expect(registry.size).toBe(1);
  });

  it("keeps computers of two worlds apart and never guesses between them", () => {
    const registry = createRegistry();
    connectAgent(registry).hello(12, { ...v2, instance: "a", world: "creative" });
    connectAgent(registry).hello(12, { ...v2, instance: "b", world: "survival" });
    expect(() => registry.computers.find(12)).toThrow(
      /"12" matches 2 computers: "12@a" .*creative.*"12@b" .*survival/,
    );
    expect(registry.computers.find("12@survival").provider.instance).toBe("b");
    expect(registry.computers.find("12@a").provider.world).toBe("creative");
  });

  it("names the linked computers when the wanted one is not linked", () => {
    const registry = createRegistry();
    expect(() => registry.computers.find(9)).toThrow("No computers are linked.");
    connectAgent(registry).hello(12, { computerLabel: "a\nb" });
    expect(() => registry.computers.find(9)).toThrow(texts.computerIsNotLinkedLinkedComputers);
  });
});

describe("requests", () => {
  it("do not confuse answers of an earlier run of the bridge", async () => {
    const before = connectAgent(createRegistry());
    before.hello(1);
    error(before.link.request("ping", undefined, { timeoutMs: 50 }));
    const registry = createRegistry();
    const after = connectAgent(registry);
    after.hello(1);
    const answer = error(after.link.request("ping", undefined, { timeoutMs: 50 }));
    const oldId = before.requests()[0]?.id ?? "";
    expect(after.requests()[0]?.id).not.toBe(oldId);
    after.say({ type: "response", id: oldId, ok: true, result: "stale" });
    vi.advanceTimersByTime(50);
    expect((await answer).code).toBe("timed-out");
  });

  it("are bounded per computer", async () => {
    const registry = createRegistry({ maxPending: 2 });
    const agent = connectAgent(registry);
    agent.hello(1);
    const ping = () => error(agent.link.request("ping", undefined, { timeoutMs: 50 }));
    ping();
    ping();
    expect((await ping()).code).toBe("too-many-requests");
    vi.advanceTimersByTime(50);
    ping();
    expect(agent.link.runningRequests).toBe(1);
  });

  it("are refused before sending when they are too large for the agent", async () => {
    const registry = createRegistry();
    const old = connectAgent(registry);
    old.hello(1);
    const big = { code: "x".repeat(140_000) };
    expect((await error(old.link.request("exec-lua", big, { timeoutMs: 50 }))).code).toBe(
      "too-large",
    );
    expect(old.requests()).toEqual([]);
    const modern = connectAgent(registry);
    modern.hello(2, v2);
    error(modern.link.request("exec-lua", big, { timeoutMs: 50 }));
    expect(modern.received.filter((frame) => frame.type === "chunk").length).toBeGreaterThan(1);
    const huge = { code: "x".repeat(5_000_000) };
    expect((await error(modern.link.request("exec-lua", huge, { timeoutMs: 50 }))).message).toMatch(
      new RegExp(texts.bytesLongButComputerLabel),
    );
  });

  it("are refused while the computer does not read", async () => {
    let buffered = 0;
    const registry = createRegistry({ maxBufferedBytes: 1_000 });
    const agent = connectAgent(registry, { bufferedBytes: () => buffered });
    agent.hello(1);
    buffered = 990;
    const refused = await error(agent.link.request("ping", undefined, { timeoutMs: 50 }));
    expect(refused.code).toBe("not-reading");
    buffered = 0;
    error(agent.link.request("ping", undefined, { timeoutMs: 50 }));
    expect(agent.requests()).toHaveLength(1);
  });

  it("fail at once when the link drops, and afterwards", async () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(1);
    const waiting = error(agent.link.request("ping", undefined, { timeoutMs: 50 }));
    agent.end.drop();
    expect((await waiting).code).toBe("disconnected");
    expect((await error(agent.link.request("ping", undefined, { timeoutMs: 50 }))).code).toBe(
      "not-linked",
    );
  });

  it("are cancelled in the game after a time-out, with a grace for last words", async () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(1, v2);
    const options = { timeoutMs: 100, cancelGraceMs: 1_000 };
    const confirmed = error(agent.link.request("exec-lua", {}, options));
    vi.advanceTimersByTime(100);
    const cancel = agent.received.at(-1);
    expect(cancel).toMatchObject({ type: "cancel", reason: "timed out after 100 ms" });
    agent.say({ type: "response", id: cancel?.id as string, ok: false, error: "cancelled" });
    expect(await confirmed).toMatchObject({ code: "timed-out", cancel: "confirmed" });

    const overtaken = agent.link.request("exec-lua", {}, options);
    vi.advanceTimersByTime(100);
    const id = agent.requests().at(-1)?.id ?? "";
    agent.say({ type: "response", id, ok: true, result: "made it" });
    expect(await overtaken).toMatchObject({ ok: true, result: "made it" });

    const ignored = error(agent.link.request("exec-lua", {}, options));
    vi.advanceTimersByTime(1_100);
    expect(await ignored).toMatchObject({ code: "timed-out", cancel: "unconfirmed" });
  });

  it("that an old agent cannot cancel say so", async () => {
    const agent = connectAgent(createRegistry());
    agent.hello(1);
    const options = { timeoutMs: 100, cancelGraceMs: 1_000 };
    const waiting = error(agent.link.request("exec-lua", {}, options));
    vi.advanceTimersByTime(100);
    expect(await waiting).toMatchObject({ code: "timed-out", cancel: "unsupported" });
    expect(agent.received.some((frame) => frame.type === "cancel")).toBe(false);
  });
});

describe("bad frames", () => {
  it("are reported once per connection, and many in a row end it", () => {
    const registry = createRegistry({ maxMalformed: 5 });
    const agent = connectAgent(registry);
    agent.hello(1);
    for (let i = 0; i < 4; i++) agent.end.send("{");
    agent.say({ type: "response", id: "nobody", ok: true });
    for (let i = 0; i < 4; i++) agent.end.send("{");
    expect(agent.end.closedWith).toBeUndefined();
    agent.end.send("{");
    expect(agent.end.closedWith?.code).toBe(LinkCloseCode.policy);
    expect(topics(registry).filter((topic) => topic === "problem")).toHaveLength(1);
  });

  it("of unknown types are ignored, however many", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(1);
    for (let i = 0; i < 100; i++) agent.end.send('{"type":"from-the-future"}');
    expect(agent.end.closedWith).toBeUndefined();
  });

  it("that are binary end the connection", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(1);
    agent.link.receiveBinary();
    expect(agent.end.closedWith?.code).toBe(LinkCloseCode.binary);
    expect(registry.size).toBe(0);
  });

  it("cannot nest chunks", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(1, v2);
    const inner = JSON.stringify({ type: "chunk", transfer: "b", index: 0, count: 1, data: "{}" });
    agent.say({ type: "chunk", transfer: "a", index: 0, count: 1, data: inner });
    expect(registry.reported.at(-1)).toMatchObject({ reason: "a chunk inside chunks" });
  });
});

describe("the heartbeat", () => {
  const times = { heartbeatMs: 1_000, unresponsiveAfterMs: 2_500, dropAfterMs: 10_000 };

  const talk = (agent: ReturnType<typeof connectAgent>) =>
    agent.say({ type: "response", id: "anything", ok: true });

  it("pings computers that say nothing, and those that are asked nothing", () => {
    const registry = createRegistry(times);
    const [quiet, talking, asked] = [1, 2, 3].map((id) => {
      const agent = connectAgent(registry);
      agent.hello(id);
      return agent;
    });
    for (let i = 0; i < 8; i++) {
      vi.advanceTimersByTime(500);
      if (talking) talk(talking);
      if (asked) {
        asked.link.request("ping", undefined, { timeoutMs: 60_000 }).catch(() => {});
        talk(asked);
      }
    }
    const pings = (agent: typeof quiet) =>
      agent?.requests("ping").filter(({ id }) => id.startsWith("heartbeat-")).length;
    expect(pings(quiet)).toBeGreaterThanOrEqual(3);
    expect(pings(talking)).toBeGreaterThanOrEqual(3);
    expect(pings(asked)).toBe(0);
  });

  it("marks a silent computer, recovers it, and drops it only after minutes", () => {
    const registry = createRegistry(times);
    const agent = connectAgent(registry);
    agent.hello(1);
    vi.advanceTimersByTime(3_000);
    expect(agent.link.state).toBe("unresponsive");
    expect(registry.reported.at(-1)).toMatchObject({ topic: "state", state: "unresponsive" });
    expect(registry.size).toBe(1);
    agent.say({ type: "response", id: agent.requests("ping")[0]?.id ?? "", ok: true });
    expect(agent.link.state).toBe("live");
    expect(topics(registry).filter((topic) => topic === "state")).toHaveLength(2);
    vi.advanceTimersByTime(9_000);
    expect(registry.size).toBe(1);
    vi.advanceTimersByTime(1_500);
    expect(agent.end.closedWith?.code).toBe(LinkCloseCode.silent);
    expect(registry.reported.at(-1)).toMatchObject({ topic: "unlinked" });
    expect(vi.getTimerCount()).toBe(0);
  });

  it("closes a channel that is stuck instead of adding to it", () => {
    let buffered = 0;
    const registry = createRegistry({ ...times, maxBufferedBytes: 100 });
    const agent = connectAgent(registry, { bufferedBytes: () => buffered });
    agent.hello(1);
    buffered = 101;
    vi.advanceTimersByTime(5_000);
    expect(agent.requests()).toEqual([]);
    expect(agent.end.closedWith?.code).toBe(LinkCloseCode.notReading);
    expect(registry.size).toBe(0);
  });
});

describe("closing", () => {
  it("notifies all providers, fails what waits, refuses newcomers and leaves no timer", async () => {
    const registry = createRegistry();
    const linked = connectAgent(registry);
    const greeting = connectAgent(registry);
    linked.hello(1);
    const waiting = error(linked.link.request("ping", undefined, { timeoutMs: 5_000 }));
    registry.close();
    expect((await waiting).code).toBe("shutting-down");
    expect(linked.end.closedWith?.code).toBe(LinkCloseCode.goingAway);
    expect(greeting.end.closedWith?.code).toBe(LinkCloseCode.goingAway);
    const late = connectAgent(registry);
    expect(late.end.closedWith?.code).toBe(LinkCloseCode.goingAway);
    expect(registry.computers.connections).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
