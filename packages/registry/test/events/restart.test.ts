import { describe, expect, it } from "vitest";
import { createLocalPort, type EventStore } from "../../src/index.js";
import { MemoryEventStore } from "../../src/testing/index.js";
import { connectAgent, createRegistry, v2 } from "../harness.js";

const features = [...v2.features];
const methods = [...v2.methods, "watch-events"];

async function start(store: EventStore, limits: { maxEvents?: number } = {}) {
  const registry = createRegistry(limits, { events: store });
  await registry.restore();
  const { events } = createLocalPort(registry);
  return { registry, events, agent: connectAgent(registry) };
}

type Started = Awaited<ReturnType<typeof start>>;

async function keyOf({ events }: Started): Promise<string> {
  return (await events.find({ kind: "computer", ref: 1 })).key;
}

describe("events and a restart", () => {
  it("cursors continue, and what happened before is read from the store", async () => {
    const store = new MemoryEventStore();
    const before = await start(store);
    before.agent.hello(1, { ...v2, features, methods });
    for (let n = 0; n < 5; n++)
      before.agent.say({ type: "event", seq: n, name: "tick", args: [n] });
    before.registry.close();

    const after = await start(store);
    const key = await keyOf(after);
    after.agent.hello(1, { ...v2, features, methods });
    after.agent.say({ type: "event", seq: 5, name: "tick", args: [5] });
    const page = await after.events.read(key, { cursor: 3, limit: 10 });
    expect(page.events.map(({ args }) => args[0])).toEqual([3, 4, 5]);
    expect(page).toMatchObject({ next: 6, missed: 0, restarted: false });
    expect(await after.events.find({ kind: "computer", ref: 1 })).toMatchObject({
      ...{ first: 0, end: 6 },
    });
    const found = await after.events.wait(key, {
      ...{ cursor: 1, watch: { name: "tick" }, timeoutMs: 0 },
    });
    expect(found.events.map(({ args }) => args[0])).toEqual([1]);
  });

  it("watches are asked for again when the computer links", async () => {
    const store = new MemoryEventStore();
    const before = await start(store);
    before.agent.hello(1, { ...v2, features, methods });
    const key = await keyOf(before);
    const asked = before.events.watch(
      key,
      { mode: "set", watches: [{ name: "redstone" }], client: "alice" },
      { timeoutMs: 1_000 },
    );
    const [request] = before.agent.requests("watch-events");
    before.agent.say({ type: "response", id: request?.id ?? "", ok: true, result: null });
    await asked;
    before.registry.close();

    const after = await start(store);
    after.agent.hello(1, { ...v2, features, methods });
    expect(after.agent.requests("watch-events").map(({ params }) => params)).toEqual([
      { watches: [{ name: "redstone" }] },
    ]);
    expect(await after.events.get(key, "alice")).toMatchObject({ watches: [{ name: "redstone" }] });
  });

  it("what memory no longer holds is read from the store, in order and by time", async () => {
    const running = await start(new MemoryEventStore(), { maxEvents: 3 });
    running.agent.hello(1, { ...v2, features, methods });
    const key = await keyOf(running);
    const time = Date.now() - 60_000;
    for (let n = 0; n < 10; n++) {
      running.agent.say({ type: "event", seq: n, name: "tick", args: [n], time: time + n });
    }
    const all = await running.events.read(key, { cursor: 0, limit: 100 });
    expect(all.events.map(({ args }) => args[0])).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(all).toMatchObject({ next: 10, missed: 0 });
    const part = { cursor: 2, limit: 3, watch: { name: "tick" } };
    expect((await running.events.read(key, part)).next).toBe(5);
    const timed = await running.events.read(key, {
      ...{ limit: 100, since: time + 4, until: time + 8 },
    });
    expect(timed.events.map(({ args }) => args[0])).toEqual([4, 5, 6, 7, 8]);
  });

  it("a crash that lost the last events is reported once, and no cursor goes back", async () => {
    const store = new MemoryEventStore();
    const before = await start(store);
    before.agent.hello(1, { ...v2, features, methods });
    before.agent.say({ type: "event", seq: 0, name: "tick", args: [0] });
    const crashed: EventStore = {
      load: async () => (await store.load()).map((log) => ({ ...log, next: log.end + 1_000 })),
      append: (provider, event) => store.append(provider, event),
      saveWatches: () => {},
      read: (key, range) => store.read(key, range),
    };
    const after = await start(crashed);
    after.agent.hello(1, { ...v2, features, methods });
    after.agent.say({ type: "event", seq: 9, name: "tick", args: [9] });
    const key = await keyOf(after);
    const page = await after.events.read(key, { cursor: 3, limit: 10 });
    expect(page).toMatchObject({ cutOff: true, missed: 0, restarted: false, next: 1_002 });
    expect(page.events.map(({ args }) => args[0])).toEqual([9]);
    expect((await after.events.read(key, { cursor: page.next, limit: 10 })).cutOff).toBeUndefined();
    const whole = await after.events.read(key, { limit: 10 });
    expect(whole.events.map(({ args }) => args[0])).toEqual([0, 9]);
  });
});
