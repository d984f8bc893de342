import type { PlacedComputerOptions } from "@ccbridge/cc-host";
import type { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { forComputer, isLinked, linkGameComputer, screenText, startWorld } from "./helpers.js";

async function game(
  settings: Parameters<typeof startTestBridge>[0] = {},
  options: PlacedComputerOptions & { time?: "driven" | "real" } = {},
) {
  const { time = "driven", ...placed } = options;
  const bridge = await startTestBridge(settings);
  const world = await startWorld({ time });
  const computer = await linkGameComputer(bridge, world, placed);
  const client = await connectClient(bridge.mcpUrl);
  const call = (name: string, args: Record<string, unknown> = {}) =>
    callTool(client, name, forComputer(name, args));
  return { bridge, world, computer, client, call };
}

const logOf = (bridge: TestBridge, computerId = 12) =>
  bridge.registry.events.of(bridge.computers.find(computerId)).log;

const kept = (bridge: TestBridge) =>
  logOf(bridge)
    .read({ limit: 10_000 })
    .events.map(({ name, args }) => [name, ...args]);

interface EventFacts {
  seq: number;
  name: string;
  args: unknown[];
  dropped?: number;
}
const eventsOf = (structured: unknown) => (structured as { events: EventFacts[] }).events;

describe("watching events", () => {
  it("sends nothing until it is asked to, and then only what was asked for", async () => {
    const { bridge, world, computer, call } = await game();
    computer.queueEvent("before", 1);
    await world.advance(500);
    expect(logOf(bridge).end).toBe(0);
    const { text, structuredContent } = await call("watch-events", {
      events: ["door", "redstone"],
    });
    expect(text).toContain("You watch on 12 (Label: base-turtle): door; redstone.");
    expect(structuredContent).toMatchObject({
      watches: [{ name: "door" }, { name: "redstone" }],
      cursor: 0,
    });
    computer.queueEvent("doorbell");
    computer.queueEvent("door", "open", 3, true);
    computer.redstone.setInput("left", 15);
    await world.advance(500);
    await expect
      .poll(() => kept(bridge))
      .toEqual([
        ["door", "open", 3, true],
        ["redstone", { changed: { left: { from: 0, to: 15 } }, inputs: { left: 15 } }],
      ]);
  });

  it.each(["1.100.0", "1.113.1"])("accepts what programs queue, on %s", async (version) => {
    const { bridge, call } = await game({}, { version, time: "real" });
    await call("watch-events", { events: ["custom_*"] });
    const code = `
      os.queueEvent("custom_one", "text", 1.5, true, nil, { a = { 1, 2 }, [3] = "x" })
      os.queueEvent("custom_two", "\\255\\254", 0/0, 2^60, function() end, nil)
      os.queueEvent("other")`;
    await call("exec-lua", { code });
    await expect.poll(() => logOf(bridge).end).toBe(2);
    await expect
      .poll(() => kept(bridge))
      .toEqual([
        ["custom_one", "text", 1.5, true, null, { "3": "x", a: [1, 2] }],
        ["custom_two", "base64://4=", "nan", "1152921504606846976", null, null],
      ]);
  });

  it("receives modem and rednet messages, filtered at the source", async () => {
    const { bridge, world, computer, call } = await game({}, { time: "real" });
    world.radio.attach(computer, "top");
    const other = world.computer({ id: 13 });
    world.radio.attach(other, "back");
    other.turnOn();
    await call("watch-events", {
      events: [
        { name: "modem_message", filter: { "2": 7, "4": "*ore*" } },
        { name: "rednet_message", filter: { "1": 13 } },
      ],
    });
    await call("exec-lua", {
      code: 'rednet.open("top") peripheral.call("top", "open", 7) peripheral.call("top", "open", 8)',
    });
    other.fs.write(
      "/talk.lua",
      `local modem = peripheral.wrap("back")
       modem.transmit(8, 8, "iron ore here") modem.transmit(7, 7, "nothing")
       modem.transmit(7, 9, "found ore at 1,2") rednet.open("back") rednet.send(12, { hi = 1 }, "greet")`,
    );
    await other.until(() => /> *$/.test(screenText(other)));
    other.type("talk\n");
    await expect.poll(() => logOf(bridge).end).toBe(2);
    await expect
      .poll(() => kept(bridge))
      .toEqual([
        ["modem_message", "top", 7, 9, "found ore at 1,2", 1],
        ["rednet_message", 13, { hi: 1 }, "greet"],
      ]);
  });

  it("keeps keys, timers and its own traffic to itself unless asked by name", async () => {
    const heartbeatMs = 15_000;
    const { bridge, world, computer, call } = await game({ heartbeatMs });
    await call("watch-events", { events: ["*"] });
    computer.pressKey(65);
    computer.type("abc");
    computer.queueEvent("websocket_message", "ws://elsewhere", "secret");
    const sleeping = call("exec-lua", { code: "sleep(1)" });
    await world.advance(20_000);
    await sleeping;
    await expect.poll(() => kept(bridge)).toEqual([]);
    await call("watch-events", { events: ["*", "timer", "websocket_message", "char"] });
    computer.type("d");
    const link = bridge.computers.find(12);
    for (let beat = 0; beat < 5; beat++) {
      link.ping();
      await world.advance(heartbeatMs);
    }
    expect(bridge.computers.list()).toEqual([link]);
    await expect.poll(() => kept(bridge)).toEqual([["char", "d"]]);
    computer.queueEvent("websocket_message", "ws://elsewhere", "open");
    const again = call("exec-lua", { code: "sleep(1)" });
    await world.advance(2_000);
    await again;
    await expect
      .poll(() => kept(bridge).slice(1))
      .toEqual([
        ["websocket_message", "ws://elsewhere", "open"],
        ["timer", expect.any(Number)],
      ]);
  });

  it("sends the first of 500 at once, the newest when there is room, and counts all others", async () => {
    const { bridge, world, computer, call } = await game();
    await call("watch-events", { events: ["burst"] });
    for (let i = 1; i <= 250; i++) computer.queueEvent("burst", i);
    await computer.idle();
    for (let i = 251; i <= 500; i++) computer.queueEvent("burst", i);
    await computer.idle();
    await expect.poll(() => logOf(bridge).end).toBe(50);
    await world.advance(1_000);
    const { structuredContent } = await call("get-events", { limit: 200 });
    const events = eventsOf(structuredContent);
    expect(events.slice(0, 50).map(({ args }) => args[0])).toEqual(
      Array.from({ length: 50 }, (_, i) => i + 1),
    );
    expect(events).toHaveLength(51);
    expect(events[50]).toMatchObject({ args: [500], dropped: 449 });
    expect(structuredContent).toMatchObject({ dropped: 449, more: 0 });
    await world.advance(5_000);
    for (let second = 0; second < 5; second++) {
      for (let i = 0; i < 40; i++) computer.queueEvent("burst", 1_000 + second * 40 + i);
      await world.advance(1_000);
    }
    await world.advance(1_000);
    const log = logOf(bridge);
    expect(log.end + log.dropped).toBe(700);
    expect(log.end - 51).toBeLessThanOrEqual(50 + 5 * 20 + 1);
    expect(log.read({ cursor: log.end - 1, limit: 1 }).events[0]?.args).toEqual([1_199]);
  });

  it("asks again after the link dropped, and counts what happened meanwhile", async () => {
    const { bridge, world, computer, call } = await game();
    await call("watch-events", { events: [{ name: "tick", filter: { "1": "a*" } }] });
    computer.queueEvent("tick", "a1");
    await world.advance(500);
    bridge.computers.find(12).close("disconnected", "cut by the test");
    await world.advance(50);
    expect(isLinked(bridge, 12)).toBe(false);
    for (const text of ["a2", "b2", "a3"]) computer.queueEvent("tick", text);
    await world.advanceUntil(() => isLinked(bridge, 12));
    await world.advance(500);
    computer.queueEvent("tick", "b4");
    computer.queueEvent("tick", "a4");
    await world.advance(500);
    const { structuredContent, text } = await call("get-events");
    expect(eventsOf(structuredContent)).toMatchObject([
      { seq: 0, args: ["a1"] },
      { seq: 1, args: ["a4"], dropped: 2 },
    ]);
    expect(text).toContain("2 watched events were lost");
  });

  it("asks again after a reboot", async () => {
    const { bridge, world, computer, call } = await game();
    await call("watch-events", { events: ["tick"] });
    computer.queueEvent("tick", 1);
    await world.advance(3_000);
    computer.reboot();
    await world.advanceUntil(() => /> *$/.test(screenText(computer)));
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await world.advanceUntil(() => isLinked(bridge, 12));
    await world.advance(500);
    computer.queueEvent("tick", 2);
    await world.advance(500);
    await expect
      .poll(() => kept(bridge))
      .toEqual([
        ["tick", 1],
        ["tick", 2],
      ]);
    expect(logOf(bridge).dropped).toBe(0);
  });

  it("another bridge gets nothing that it did not ask for", async () => {
    const { bridge, world, computer, call } = await game({ linkPort: await freePort() });
    await call("watch-events", { events: ["tick"] });
    await bridge.close();
    const next = await startTestBridge({ linkPort: bridge.linkPort });
    await world.advanceUntil(() => isLinked(next, 12), 120_000);
    computer.queueEvent("tick", 1);
    await world.advance(500);
    expect(logOf(next).end).toBe(0);
    const client = await connectClient(next.mcpUrl);
    await callTool(client, "watch-events", { computerId: 12, events: ["tock"] });
    computer.queueEvent("tock", 2);
    await world.advance(500);
    await expect
      .poll(() => logOf(next).read({ limit: 9 }).events)
      .toMatchObject([{ args: [2], dropped: 0 }]);
  });

  it("adds, removes and stops, without one client losing what another asked for", async () => {
    const { bridge, world, computer, call } = await game();
    await Promise.all([
      call("watch-events", { events: ["a"], mode: "add" }),
      call("watch-events", { events: ["b", "b"], mode: "add" }),
    ]);
    for (const name of ["a", "b"]) computer.queueEvent(name);
    await world.advance(500);
    await expect.poll(() => kept(bridge)).toEqual([["a"], ["b"]]);
    const { structuredContent } = await call("watch-events", { events: ["a"], mode: "remove" });
    expect(structuredContent).toMatchObject({ watches: [{ name: "b" }] });
    const { text } = await call("watch-events", { events: [], mode: "set" });
    expect(text).toContain(texts.youWatchNoEvents);
    for (const name of ["a", "b"]) computer.queueEvent(name);
    await world.advance(500);
    expect(logOf(bridge).end).toBe(2);
  });

  it("cuts what is too large and marks it", async () => {
    const { bridge, call } = await game({}, { time: "real" });
    await call("watch-events", { events: ["big"] });
    await call("exec-lua", { code: 'os.queueEvent("big", ("x"):rep(100000), "behind")' });
    await expect.poll(() => logOf(bridge).end).toBe(1);
    const { text, structuredContent } = await call("get-events");
    expect(text.length).toBeLessThan(12_000);
    expect(text).toContain("[cut]");
    expect(eventsOf(structuredContent)).toMatchObject([{ truncated: true }]);
    expect(JSON.stringify(structuredContent).length).toBeLessThan(12_000);
  });
});

describe("reading and waiting", () => {
  it("pages through events with a cursor, by name if wanted", async () => {
    const { world, computer, call } = await game();
    await call("watch-events", { events: ["even", "odd"] });
    for (let i = 0; i < 30; i++) computer.queueEvent(i % 2 === 0 ? "even" : "odd", i);
    await world.advance(500);
    const seen: unknown[] = [];
    let cursor = 0;
    for (let page = 0; page < 3; page++) {
      const { structuredContent } = await call("get-events", { cursor, limit: 10 });
      seen.push(...eventsOf(structuredContent).map(({ args }) => args[0]));
      cursor = (structuredContent as { cursor: number }).cursor;
    }
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => i));
    const { structuredContent, text } = await call("get-events", { name: "ev*", limit: 3 });
    expect(eventsOf(structuredContent).map(({ args }) => args[0])).toEqual([0, 2, 4]);
    expect(structuredContent).toMatchObject({ cursor: 5, more: 25 });
    expect(text).toContain('25 more: get-events {"computerId":12,"cursor":5,"name":"ev*"}.');
  });

  it("keeps as many as configured, and says how many are missing", async () => {
    const { world, computer, call } = await game({ maxEvents: 5 });
    await call("watch-events", { events: ["n"] });
    for (let i = 0; i < 12; i++) computer.queueEvent("n", i);
    await world.advance(500);
    const { structuredContent, text } = await call("get-events", { cursor: 1 });
    expect(eventsOf(structuredContent).map(({ seq }) => seq)).toEqual([7, 8, 9, 10, 11]);
    expect(structuredContent).toMatchObject({ missed: 6 });
    expect(text).toContain(texts.olderEventsAreNo);
  });

  it("waits for an event, watches it by itself, and misses none between two calls", async () => {
    const { bridge, world, computer, call } = await game();
    const waiting = call("wait-for-event", { name: "door", filter: { "1": "open" } });
    const provider = () => bridge.registry.events.of(bridge.computers.find(12));
    await expect.poll(() => provider().watches.all.length).toBe(1);
    await world.advance(100);
    computer.queueEvent("door", "shut");
    computer.queueEvent("door", "open", "Steve");
    computer.queueEvent("door", "open", "Alex");
    await world.advance(100);
    const { text, structuredContent } = await waiting;
    expect(text).toMatch(/^Event of 12 \(Label: base-turtle\):\n#0 .+ door "open", "Steve"\n/);
    expect(text).toContain(texts.itWasNotWatchedBefore);
    expect(structuredContent).toMatchObject({
      found: true,
      event: { name: "door", args: ["open", "Steve"] },
      cursor: 1,
    });
    const next = await call("wait-for-event", {
      name: "door",
      filter: { "1": "open" },
      cursor: 1,
      waitMs: 0,
    });
    expect(next.structuredContent).toMatchObject({ event: { args: ["open", "Alex"] }, cursor: 2 });
    expect(provider().watches.all).toHaveLength(1);
  });

  it("gives each client its own list, and the computer the union", async () => {
    const { bridge, world, computer, call } = await game();
    const other = await connectClient(bridge.mcpUrl);
    const callOther = (name: string, args: object) =>
      callTool(other, name, { computerId: 12, ...args });
    await call("watch-events", { events: ["door"] });
    await callOther("watch-events", { events: ["chat"], mode: "set" });
    const asked = () => bridge.registry.events.of(bridge.computers.find(12)).watches.all;
    expect(asked()).toEqual([{ name: "door" }, { name: "chat" }]);
    await call("watch-events", { events: ["alarm"] });
    const { text } = await call("watch-events", {});
    expect(text).toContain("You watch on 12 (Label: base-turtle): door; alarm.");
    expect(text).toContain(texts.otherClientsAlsoWatch);
    expect(asked()).toHaveLength(3);
    computer.queueEvent("door", 1);
    computer.queueEvent("chat", 2);
    await world.advance(500);
    const mine = async () => eventsOf((await call("get-events")).structuredContent);
    await expect.poll(async () => (await mine()).map(({ name }) => name)).toEqual(["door"]);
    const theirs = await callOther("get-events", {});
    expect(eventsOf(theirs.structuredContent).map(({ name }) => name)).toEqual(["chat"]);
    await (other.transport as StreamableHTTPClientTransport).terminateSession();
    await expect.poll(asked).toEqual([{ name: "door" }, { name: "alarm" }]);
  });

  it("shows with each redstone event that is kept which sides changed, and their levels", async () => {
    const { world, computer, call } = await game();
    computer.redstone.setInput("back", 3);
    await world.advance(100);
    await call("watch-events", { events: ["redstone"] });
    computer.redstone.setInput("left", 15);
    await world.advance(100);
    computer.redstone.setInput("left", 0);
    await world.advance(100);
    computer.redstone.setBundledInput("top", 5);
    await world.advance(100);
    await expect
      .poll(async () => eventsOf((await call("get-events")).structuredContent).length)
      .toBe(3);
    const { text } = await call("get-events");
    expect(text).toContain(texts.redstoneChangedLeftFromTo);
    expect(text).toContain("left = { from = 15, to = 0 }");
    expect(text).toContain("top = { bundledFrom = 0, bundledTo = 5 }");
  });

  it("refuses to filter redstone events by side, which none of them would pass", async () => {
    const { call } = await game();
    const watch = { name: "redstone", filter: { "1": "left" } };
    for (const [tool, args] of [
      ["wait-for-event", watch],
      ["watch-events", { events: [watch] }],
    ] as const) {
      const { text, isError } = await call(tool, args);
      expect(isError).toBe(true);
      expect(text).toContain(texts.redstoneEventsCannotBeFiltered);
      expect(text).toContain("Leave the filter out.");
    }
    expect((await call("watch-events")).text).toContain("You watch no events");
    const own = { name: "redstone", filter: { "1": "mine" } };
    expect((await call("watch-events", { events: [own] })).isError).toBeFalsy();
  });

  it("leaves the arguments of a redstone event that a program queued unchanged", async () => {
    const { bridge, world, computer, call } = await game();
    await call("watch-events", { events: ["redstone"] });
    computer.queueEvent("redstone", "mine");
    await world.advance(100);
    await expect.poll(() => kept(bridge)).toEqual([["redstone", "mine"]]);
  });

  it("keeps a change that came just before another watch was added", async () => {
    const { bridge, world, computer, call } = await game();
    await call("watch-events", { events: ["redstone"] });
    computer.redstone.setInput("left", 4);
    await call("watch-events", { events: ["door"] });
    await world.advance(100);
    await expect
      .poll(() => kept(bridge))
      .toEqual([["redstone", { changed: { left: { from: 0, to: 4 } }, inputs: { left: 4 } }]]);
  });

  it("shows the redstone signals to a client that waits for one", async () => {
    const { computer, call } = await game();
    computer.redstone.setInput("left", 7);
    const { text } = await call("wait-for-event", { name: "redstone", waitMs: 10 });
    expect(text).toContain(texts.theRedstoneSignalsNowThe);
  });

  it("says that a cursor is past the end", async () => {
    const { call } = await game();
    await call("watch-events", { events: ["x"] });
    const { text } = await call("get-events", { cursor: 500 });
    expect(text).toContain(texts.thatCursorIsPastThe);
  });

  it("says when nothing came, and where to continue", async () => {
    const { call } = await game();
    const { text, isError, structuredContent } = await call("wait-for-event", {
      name: "never",
      waitMs: 20,
    });
    expect(isError).toBeFalsy();
    expect(text).toContain(texts.noSuchEventWithinMs);
    expect(text).toContain('wait-for-event {"computerId":12,"name":"never","cursor":0}');
    expect(structuredContent).toMatchObject({ found: false, cursor: 0 });
  });

  it("keeps waiting across a dropped link", async () => {
    const { bridge, world, computer, call } = await game();
    const waiting = call("wait-for-event", { name: "back" });
    await expect.poll(() => bridge.registry.events.list()[0]?.watches.all.length).toBe(1);
    await world.advance(100);
    bridge.computers.find(12).close("disconnected", "cut by the test");
    await world.advanceUntil(() => isLinked(bridge, 12));
    await world.advance(500);
    computer.queueEvent("back", "here");
    await world.advance(100);
    expect((await waiting).structuredContent).toMatchObject({ event: { args: ["here"] } });
  });

  it("shows the last events of a computer that is gone", async () => {
    const { bridge, world, computer, call } = await game();
    await call("watch-events", { events: ["last"] });
    computer.queueEvent("last", "words");
    await world.advance(500);
    computer.shutdown();
    await expect.poll(() => isLinked(bridge, 12)).toBe(false);
    const { text, structuredContent } = await call("get-events");
    expect(text).toContain('last "words"');
    expect(text).toContain(texts.theComputerIsNot);
    expect(structuredContent).toMatchObject({ linked: false });
  });

  it.each([
    ["watch-events", { events: ["x"], computerId: 99 }, "Computer 99 is not linked."],
    ["get-events", { computerId: 99 }, "Computer 99 is not linked."],
    ["wait-for-event", { computerId: 99, name: "x" }, "Computer 99 is not linked."],
    ["watch-events", { events: [""] }, "Correct this and call"],
    [
      "watch-events",
      { events: [{ name: "x", filter: { side: "left" } }] },
      "gives arguments by position",
    ],
    ["wait-for-event", { name: "x", waitMs: 50_001 }, "Correct this and call"],
  ])("%s %j fails with a reason", async (name, args, reason) => {
    const { call } = await game();
    const { text, isError } = await call(name, args);
    expect(isError).toBe(true);
    expect(text).toContain(reason);
  });

  it("refuses more watches than an agent keeps, and changes nothing", async () => {
    const { bridge, call } = await game();
    const names = (prefix: string, count: number) =>
      Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    await call("watch-events", { events: names("a", 30) });
    const { text, isError } = await call("watch-events", { events: names("b", 3), mode: "add" });
    expect(isError).toBe(true);
    expect(text).toContain("That would be 33 watches");
    const { registry, computers } = bridge;
    expect(registry.events.of(computers.find(12)).watches.all).toHaveLength(30);
  });
});
