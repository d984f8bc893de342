import { describe, expect, it } from "vitest";
import { MemoryEventLog } from "../../src/events/memory-event-log.js";
import { matchesGlob, matchesWatch, sameWatch } from "../../src/index.js";
import { connectAgent, createRegistry, v2 } from "../harness.js";

const watching = { ...v2, methods: ["ping", "watch-events"], instance: "one" };

function event(seq: number, name = "redstone", more: object = {}) {
  return { type: "event" as const, seq, time: 1, name, args: [], ...more };
}

describe("an event log", () => {
  const limits = { maxEvents: 3, maxBytes: 10_000 };

  it("keeps the newest and says how many are missing at a cursor", () => {
    const log = new MemoryEventLog(limits);
    for (let i = 0; i < 5; i++) log.append({ name: "n", args: [i], size: 10 });
    expect(log.read({ cursor: 1, limit: 2 })).toMatchObject({
      events: [{ seq: 2 }, { seq: 3 }],
      next: 4,
      missed: 1,
      restarted: false,
    });
    expect(log.read({ cursor: 5, limit: 2 })).toMatchObject({ events: [], next: 5, missed: 0 });
  });

  it("begins at its beginning for a cursor of another log", () => {
    const log = new MemoryEventLog(limits);
    log.append({ name: "n", args: [], size: 10 });
    const page = log.read({ cursor: 900, limit: 5 });
    expect(page).toMatchObject({ events: [{ seq: 0 }], next: 1, missed: 0, restarted: true });
  });

  it("bounds bytes, and cuts an event that is too large by itself", () => {
    const log = new MemoryEventLog({ maxEvents: 1_000, maxBytes: 2_000 });
    for (let i = 0; i < 50; i++) log.append({ name: "n", args: ["x".repeat(400)], size: 404 });
    expect(log.bytes).toBeLessThanOrEqual(2_000);
    expect(log.read({ limit: 99 }).events.length).toBeGreaterThan(1);
    log.append({ name: "huge", args: ["x".repeat(5_000)], size: 5_004 });
    const [huge] = log.read({ cursor: 50, limit: 9 }).events;
    expect(huge).toMatchObject({ name: "huge", args: [], truncated: true });
  });

  it("passes over what does not match, for good", () => {
    const log = new MemoryEventLog(limits);
    for (const name of ["a", "b", "a"]) log.append({ name, args: [], size: 10 });
    const matches = ({ name }: { name: string }) => name === "b";
    expect(log.read({ cursor: 0, limit: 9, matches })).toMatchObject({
      events: [{ seq: 1 }],
      next: 3,
    });
    expect(log.read({ cursor: 0, limit: 1, matches })).toMatchObject({ next: 2 });
  });
});

describe("waiting for an event", () => {
  const any = () => true;

  it("resolves at once for an existing event, and with none after the time", async () => {
    const log = new MemoryEventLog({ maxEvents: 9, maxBytes: 9_999 });
    log.append({ name: "a", args: [], size: 10 });
    expect((await log.wait({ cursor: 0, matches: any, timeoutMs: 0 })).events).toHaveLength(1);
    const page = await log.wait({ cursor: 1, matches: any, timeoutMs: 5 });
    expect(page).toMatchObject({ events: [], next: 1 });
  });

  it("resolves when it comes, even if the log keeps less than what came before", async () => {
    const log = new MemoryEventLog({ maxEvents: 2, maxBytes: 9_999 });
    const waiting = log.wait({
      cursor: 0,
      matches: ({ name }) => name === "b",
      timeoutMs: 60_000,
    });
    for (let i = 0; i < 10; i++) log.append({ name: "a", args: [], size: 10, dropped: 1 });
    log.append({ name: "b", args: [], size: 10 });
    for (let i = 0; i < 10; i++) log.append({ name: "a", args: [], size: 10 });
    expect(await waiting).toMatchObject({
      events: [{ seq: 10 }],
      next: 11,
      missed: 0,
      dropped: 10,
    });
  });

  it("ends when the caller gives up and when the log is forgotten", async () => {
    const log = new MemoryEventLog({ maxEvents: 2, maxBytes: 9_999 });
    const controller = new AbortController();
    const { signal } = controller;
    const given = log.wait({ cursor: 0, matches: any, timeoutMs: 60_000, signal });
    controller.abort();
    expect((await given).events).toEqual([]);
    const released = log.wait({ cursor: 0, matches: any, timeoutMs: 60_000 });
    log.close();
    expect((await released).events).toEqual([]);
  });
});

describe("matching", () => {
  it.each([
    ["redstone", "redstone", true],
    ["redstone", "redstone2", false],
    ["*", "", true],
    ["turtle_*", "turtle_inventory", true],
    ["turtle_*", "a turtle_inventory", false],
    ["*_message", "modem_message", true],
    ["a*b*c", "a-b-b-c", true],
    ["a*b*c", "acb", false],
    ["ab*ba", "aba", false],
    ["**", "x", true],
    ["a.c", "abc", false],
  ])("%s against %j: %s", (pattern, text, fits) => {
    expect(matchesGlob(pattern, text)).toBe(fits);
  });

  it("does not run away with a pattern of many stars", () => {
    expect(matchesGlob(`${"*a".repeat(60)}*b`, "a".repeat(100_000))).toBe(false);
  });

  it.each([
    [{ "1": "left" }, true],
    [{ "1": "l*t", "2": 7 }, true],
    [{ "2": "7" }, true],
    [{ "3": true }, true],
    [{ "3": "true" }, true],
    [{ "2": 8 }, false],
    [{ "4": "*" }, false],
    [{ "5": "*" }, false],
  ])("filter %j: %s", (filter, fits) => {
    const args = ["left", 7, true, { a: 1 }];
    expect(matchesWatch({ name: "n", filter }, { name: "n", args })).toBe(fits);
  });

  it("distinguishes watches by name and filter, whatever the order", () => {
    const filter = { "1": "a", "2": 2 };
    expect(sameWatch({ name: "n", filter }, { name: "n", filter: { "2": 2, "1": "a" } })).toBe(
      true,
    );
    expect(sameWatch({ name: "n" }, { name: "n", filter: {} })).toBe(true);
    expect(sameWatch({ name: "n" }, { name: "n", filter })).toBe(false);
  });
});

describe("the events of a registry", () => {
  it("counts drops of the agent and gaps on the wire, and knows a program that started over", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(12, watching);
    const { log } = registry.events.of(agent.link);
    agent.say(event(0));
    agent.say(event(3, "redstone", { dropped: 5 }));
    agent.say(event(0));
    agent.say(event(1, "two\nlines"));
    expect(log.read({ limit: 9 }).events.map(({ dropped }) => dropped)).toEqual([0, 7, 0, 0]);
    expect(log.dropped).toBe(7);
    expect(log.read({ cursor: 3, limit: 1 }).events[0]?.name).toBe("two lines");
  });

  it("uses the agent's time, unless its clock is plainly wrong", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(12, watching);
    const now = Date.now();
    const early = now - 60_000;
    for (const [seq, time] of [early, now + 3_600_000, 1].entries()) {
      agent.say(event(seq, "redstone", { time }));
    }
    const times = registry.events
      .of(agent.link)
      .log.read({ limit: 9 })
      .events.map(({ time }) => time);
    expect(times[0]).toBe(early);
    for (const time of times.slice(1)) expect(time).toBeGreaterThanOrEqual(now);
    for (const time of times.slice(1)) expect(time).toBeLessThanOrEqual(Date.now());
  });

  it("asks a computer again for what was watched, and believes a refusal", async () => {
    const registry = createRegistry();
    const first = connectAgent(registry);
    first.hello(12, watching);
    const provider = registry.events.of(first.link);
    provider.watches.set("", [{ name: "redstone" }]);
    first.link.closed("gone");
    expect(provider.linked).toBe(false);
    const second = connectAgent(registry);
    second.hello(12, watching);
    expect(provider.linked).toBe(true);
    const [request] = second.requests("watch-events");
    expect(request?.params).toEqual({ watches: [{ name: "redstone" }] });
    expect(registry.events.of(second.link)).toBe(provider);
    second.say({ type: "response", id: request?.id ?? "", ok: false, error: "no" });
    await expect.poll(() => provider.watches.all).toEqual([]);
  });

  it("asks nothing of an agent that cannot, or of which nothing was asked", () => {
    const registry = createRegistry();
    const first = connectAgent(registry);
    first.hello(12, watching);
    registry.events.of(first.link).watches.set("", [{ name: "redstone" }]);
    first.link.closed("gone");
    const old = connectAgent(registry);
    old.hello(12, { ...watching, methods: ["ping"] });
    expect(old.requests()).toEqual([]);
    const other = connectAgent(registry);
    other.hello(13, { ...watching, instance: "two" });
    expect(other.requests()).toEqual([]);
  });

  it("forgets the computers that left the longest ago, and releases their waiters", async () => {
    const registry = createRegistry({ keepEventLogs: 2 });
    const waits: Promise<unknown>[] = [];
    for (let id = 0; id < 5; id++) {
      const agent = connectAgent(registry);
      agent.hello(id, { ...watching, instance: `i${id}` });
      agent.say(event(0));
      const { log } = registry.events.of(agent.link);
      waits.push(log.wait({ cursor: 1, matches: () => true, timeoutMs: 60_000 }));
      agent.link.closed("gone");
    }
    expect(registry.events.list().map(({ provider }) => provider.name)).toEqual([
      "computer 3 (Label: null)",
      "computer 4 (Label: null)",
    ]);
    await Promise.all(waits.slice(0, 3));
    registry.close();
    await Promise.all(waits);
    expect(registry.events.list()).toEqual([]);
  });

  it("notifies listeners of links, states and events", () => {
    const registry = createRegistry();
    const heard: string[] = [];
    const stop = registry.changes.subscribe((change) =>
      heard.push(`${change.topic} ${"provider" in change ? change.provider.name : ""}`),
    );
    const agent = connectAgent(registry);
    agent.hello(12, watching);
    agent.say(event(0));
    agent.link.closed("gone");
    stop();
    connectAgent(registry).hello(13);
    const name = "computer 12 (Label: null)";
    expect(heard).toEqual([`linked ${name}`, `events ${name}`, `unlinked ${name}`]);
  });

  it("accepts no event before the hello", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.say(event(0));
    expect(registry.events.list()).toEqual([]);
  });
});
