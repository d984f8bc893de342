import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { call, createRegistry, linkRaw, type TestRegistry } from "../../harness.js";

const hello = {
  computerId: 12,
  computerLabel: "base",
  protocol: 2,
  instance: "one",
  methods: ["ping", "watch-events"],
};

function linkWatcher(registry: TestRegistry, more: object = {}, answer: object = {}) {
  const lists: unknown[] = [];
  let seq = 0;
  const end = linkRaw(registry, { ...hello, ...more }, (request, send) => {
    if (request.method !== "watch-events") return;
    lists.push((request as unknown as { params: { watches: unknown } }).params.watches);
    send({ type: "response", id: request.id, ok: true, result: { watching: 1 }, ...answer });
  });
  const fire = (name: string, ...args: unknown[]) =>
    end.send(JSON.stringify({ type: "event", seq: seq++, time: 1, name, args }));
  return { end, lists, fire };
}

const watchesOf = (registry: TestRegistry) =>
  registry.events.of(registry.computers.find(12)).watches.all;

describe("watch-events", () => {
  it("explains how to update an agent that is too old, and stores nothing", async () => {
    const registry = createRegistry();
    linkWatcher(registry, { methods: ["ping"] });
    for (const [name, args] of [
      ["watch-events", { events: ["x"] }],
      ["wait-for-event", { name: "x" }],
    ] as const) {
      const { text, isError } = await call(registry, name, { computerId: 12, ...args });
      expect(isError).toBe(true);
      expect(text).toContain("does not support watch-events");
      expect(text).toContain("mcp-computer ws://bridge:3001");
    }
    expect(watchesOf(registry)).toEqual([]);
  });

  it("keeps the old list when the computer refuses the new one", async () => {
    const registry = createRegistry();
    const answer: Record<string, unknown> = {};
    linkWatcher(registry, {}, answer);
    await call(registry, "watch-events", { computerId: 12, events: ["old"] });
    Object.assign(answer, { ok: false, error: "no room" });
    const { text, isError } = await call(registry, "watch-events", {
      computerId: 12,
      events: ["new"],
    });
    expect(isError).toBe(true);
    expect(text).toContain('Computer 12 (Label: base): "no room"');
    expect(watchesOf(registry)).toEqual([{ name: "old" }]);
  });

  it("asks which of two computers is meant, and names the one in what to call next", async () => {
    const registry = createRegistry();
    linkWatcher(registry);
    linkWatcher(registry, { instance: "two" });
    const wrong = await call(registry, "watch-events", { computerId: 12, events: ["x"] });
    expect(wrong.isError).toBe(true);
    expect(wrong.text).toContain(texts.callAgainWithOneOf);
    const { text } = await call(registry, "watch-events", {
      computerId: "12@two",
      events: ["x"],
    });
    expect(text).toContain('get-events {"computerId":"12@two","cursor":0}');
  });
});

describe("get-events", () => {
  it("keeps an answer below what clients cut, and continues exactly where it stopped", async () => {
    const registry = createRegistry();
    const { fire } = linkWatcher(registry);
    for (let i = 0; i < 60; i++) fire("big", i, "é".repeat(700));
    const seen: unknown[] = [];
    let cursor = 0;
    let pages = 0;
    for (let more = 1; more > 0; pages++) {
      const result = await call(registry, "get-events", { computerId: 12, cursor, limit: 200 });
      expect(Buffer.byteLength(result.text)).toBeLessThan(12_000);
      const page = result.structuredContent as {
        events: { args: unknown[] }[];
        cursor: number;
        more: number;
      };
      seen.push(...page.events.map(({ args }) => args[0]));
      ({ cursor, more } = page);
    }
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => i));
    expect(pages).toBeGreaterThan(5);
  });

  it("shows text from the game without control characters, on one line", async () => {
    const registry = createRegistry();
    const { fire } = linkWatcher(registry);
    fire("chat\nfake", "\u001b[2Jhi\nthere\u202e");
    const { text } = await call(registry, "get-events", { computerId: 12 });
    expect(text.split("\n")[1]).toMatch(/^#0 \S+ "chat fake" "\\u001b\[2Jhi\\nthere\\u202e"$/);
  });

  it("says what to do when nothing is watched", async () => {
    const registry = createRegistry();
    linkWatcher(registry);
    const { text, isError } = await call(registry, "get-events", { computerId: 12 });
    expect(isError).toBeUndefined();
    expect(text).toContain(texts.youAreNotWatchingAnything);
  });

  it("says that a cursor is of an earlier log", async () => {
    const registry = createRegistry();
    const { fire } = linkWatcher(registry);
    fire("a");
    const { text, structuredContent } = await call(registry, "get-events", {
      computerId: 12,
      cursor: 500,
    });
    expect(text).toContain(texts.thatCursorIsPastTheEnd);
    expect(structuredContent).toMatchObject({ events: [{ seq: 0 }], cursor: 1 });
  });
});

describe("wait-for-event", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("lets the client know now and then that it still waits", async () => {
    const registry = createRegistry();
    linkWatcher(registry);
    const messages: string[] = [];
    const progress = (message: string) => void messages.push(message);
    const waiting = call(
      registry,
      "wait-for-event",
      { computerId: 12, name: "door", filter: { "1": "open" }, waitMs: 50_000 },
      { progress },
    );
    await vi.advanceTimersByTimeAsync(50_000);
    const { structuredContent } = await waiting;
    expect(structuredContent).toMatchObject({ found: false });
    expect(messages.length).toBeGreaterThanOrEqual(4);
    expect(messages[0]).toMatch(new RegExp(texts.stillWaitingForDoorWhere));
    await vi.advanceTimersByTimeAsync(50_000);
    expect(messages.length).toBeLessThanOrEqual(7);
  });

  it("ends when the caller gives up, and when the computer is forgotten", async () => {
    const registry = createRegistry({ keepEventLogs: 0 });
    const { end } = linkWatcher(registry);
    const controller = new AbortController();
    const args = { computerId: 12, name: "door", waitMs: 50_000 };
    const given = call(registry, "wait-for-event", args, { signal: controller.signal });
    const forgotten = call(registry, "wait-for-event", args);
    await vi.advanceTimersByTimeAsync(1_000);
    controller.abort();
    expect((await given).structuredContent).toMatchObject({ found: false });
    end.link.closed("gone");
    expect((await forgotten).text).toContain(texts.theComputerIsNot);
  });

  it("does not watch again what is watched already, with or without a filter", async () => {
    const registry = createRegistry();
    const { lists } = linkWatcher(registry);
    await call(registry, "watch-events", { computerId: 12, events: ["door"] });
    const filter = { "1": "open" };
    await call(registry, "wait-for-event", { computerId: 12, name: "door", filter, waitMs: 0 });
    expect(lists).toHaveLength(1);
    await call(registry, "wait-for-event", { computerId: 12, name: "gate", filter, waitMs: 0 });
    expect(lists[1]).toEqual([{ name: "door" }, { name: "gate", filter }]);
  });
});

describe("waiting for redstone", () => {
  const sides = (left: number) => ({
    sides: ["left", "right"].map((side) => ({
      ...{ side, input: side === "left" ? left : 0, output: 0, bundledInput: 0, bundledOutput: 0 },
    })),
  });

  function linkSignals(registry: TestRegistry, strengths: number[]) {
    const left = [...strengths];
    linkRaw(registry, { ...hello, methods: [...hello.methods, "redstone"] }, (request, send) => {
      const { id, method } = request;
      if (method === "watch-events") {
        send({ type: "response", id, ok: true, result: { watching: 1 } });
        send({ type: "event", seq: 0, time: 1, name: "redstone", args: [] });
      }
      if (method === "redstone") {
        send({ type: "response", id, ok: true, result: sides(left.shift() ?? 0) });
      }
    });
  }

  it("says which side changed, from and to which strength", async () => {
    const registry = createRegistry();
    linkSignals(registry, [2, 9]);
    const { text } = await call(registry, "wait-for-event", { computerId: 12, name: "redstone" });
    expect(text).toContain(texts.changedSinceTheWaitBegan);
    expect(text).not.toContain("right: in");
  });

  it("reports a pulse that has ended", async () => {
    const registry = createRegistry();
    linkSignals(registry, [0, 0]);
    const { text } = await call(registry, "wait-for-event", { computerId: 12, name: "redstone" });
    expect(text).toContain(texts.noInputDiffersFromWhen);
  });
});
