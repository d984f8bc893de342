import { MAX_TO_SERVER_BYTES } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { EventCounts, queuedEvents, takeEvent } from "../../../src/kinds/server/event-counts.js";
import { identifyServer } from "../../../src/kinds/server/provider.js";
import { connectServer, TestServers } from "./harness.js";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const ask = { timeoutMs: 1_000 };

describe("a server's link", () => {
  it("is linked by its hello, and gets its name and the version", () => {
    const servers = new TestServers();
    const { hello, received, link } = connectServer(servers, { name: "survival" });
    hello({ name: "ignored, as the address has one", route: "RCON\u0007+ log" });
    expect(servers.list()).toEqual([link]);
    expect(link.provider).toMatchObject({ serverName: "survival", route: "RCON + log" });
    expect(received).toMatchObject([
      { id: "hello", outcome: { ok: true, data: { version: "1.0.0", name: "survival" } } },
    ]);
  });

  it("is linked after a quarter of a second of silence, as the mod of the documents says no hello", () => {
    const servers = new TestServers();
    connectServer(servers);
    vi.advanceTimersByTime(249);
    expect(servers.list()).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(servers.list().map(({ provider }) => provider.serverName)).toEqual(["minecraft"]);
  });

  it("is refused when no token comes in time, or a wrong one comes", () => {
    const servers = new TestServers({ helloTimeoutMs: 500 });
    const silent = connectServer(servers, { token: undefined });
    vi.advanceTimersByTime(500);
    expect(silent.closedWith?.code).toBe(4_408);
    const wrong = connectServer(servers, { token: undefined });
    wrong.hello({}, "nobody's");
    expect(wrong.closedWith?.code).toBe(4_401);
    expect(wrong.received).toMatchObject([{ type: "error", outcome: { code: "AUTH_FAILED" } }]);
    const inAddress = connectServer(servers, { token: "nobody's" });
    expect(inAddress.closedWith?.code).toBe(4_401);
    expect(servers.list()).toEqual([]);
  });

  it("may try again when its token was not looked at", () => {
    const servers = new TestServers();
    const inAddress = connectServer(servers, { token: "later" });
    const inMessage = connectServer(servers, { token: undefined });
    inMessage.hello({}, "later");
    for (const { closedWith, received } of [inAddress, inMessage]) {
      expect(closedWith).toMatchObject({ code: 4_429, reason: "Too many." });
      expect(received).toMatchObject([{ type: "error", outcome: { code: "CONNECTION_ERROR" } }]);
    }
  });

  it("says nothing that counts before its token", () => {
    const servers = new TestServers();
    const early = connectServer(servers, { token: undefined });
    early.chat("too early");
    expect(early.closedWith?.code).toBe(4_401);
    expect(servers.reported.some(({ topic }) => topic === "events")).toBe(false);
  });

  it("gives way to a newer one of the same owner, and to no other", async () => {
    const servers = new TestServers();
    const first = connectServer(servers, { name: "survival" });
    first.hello();
    const waiting = first.link.request("get_online_players", {}, ask);
    const stranger = connectServer(servers, { name: "survival", token: "bob:1" });
    stranger.hello();
    expect(stranger.closedWith?.code).toBe(4_423);
    const second = connectServer(servers, { name: "survival", token: "alice:2" });
    second.hello();
    expect(first.closedWith?.code).toBe(4_409);
    await expect(waiting).rejects.toMatchObject({ code: "replaced" });
    expect(servers.list()).toEqual([second.link]);
  });

  it("does not take the name of one that another owner has on another bridge", () => {
    const other = connectServer(new TestServers(), { name: "survival" });
    other.hello();
    const { provider, owner } = other.link;
    const servers = new TestServers();
    servers.registry.elsewhere = (key) => (key === provider.key ? { provider, owner } : undefined);
    const stranger = connectServer(servers, { name: "survival", token: "bob:1" });
    stranger.hello();
    expect(stranger.closedWith?.code).toBe(4_423);
    const own = connectServer(servers, { name: "survival", token: "alice:2" });
    own.hello();
    expect(servers.list()).toEqual([own.link]);
  });

  it("is refused while its bridge ends, so that it links to another one", () => {
    const servers = new TestServers();
    servers.registry.isDraining = true;
    expect(connectServer(servers).closedWith?.code).toBe(1_001);
  });

  it("is one of at most 256, including those that have shown no token", () => {
    const servers = new TestServers();
    const many = Array.from({ length: 256 }, () => connectServer(servers, { token: undefined }));
    expect(connectServer(servers).closedWith?.code).toBe(4_429);
    many[0]?.link.closed("gone");
    expect(connectServer(servers).closedWith).toBeUndefined();
  });

  it("answers are matched to requests by id; late, doubled and unknown ones are ignored", async () => {
    const servers = new TestServers();
    const server = connectServer(servers);
    server.hello();
    const both = [
      server.link.request("get_player_info", { player: "A" }, ask),
      server.link.request("get_player_info", { player: "B" }, ask),
    ];
    const [a, b] = server.requests();
    server.answer("unknown", "nobody's");
    server.answer(b?.id ?? "", "of B");
    server.answer(b?.id ?? "", "again");
    server.answer(a?.id ?? "", "of A");
    expect(await Promise.all(both)).toMatchObject([{ result: "of A" }, { result: "of B" }]);
    const late = server.link.request("get_server_info", {}, ask);
    const timedOut = expect(late).rejects.toMatchObject({ code: "timed-out" });
    await vi.advanceTimersByTimeAsync(1_100);
    await timedOut;
    server.answer(server.requests().at(-1)?.id ?? "", "too late");
    expect(server.link.open).toBe(true);
  });

  it("fails what waits when the link drops", async () => {
    const server = connectServer(new TestServers());
    server.hello();
    const waiting = server.link.request("give_item", {}, ask);
    server.link.closed("gone");
    await expect(waiting).rejects.toThrow(texts.giveItemOnServerMinecraft);
  });

  it("does not get more than it accepts or reads", async () => {
    let buffered = 0;
    const servers = new TestServers({ maxBufferedBytes: 1_000_000 });
    const server = connectServer(servers, { bufferedBytes: () => buffered });
    server.hello();
    const args = { command: "x".repeat(MAX_TO_SERVER_BYTES) };
    await expect(server.link.request("execute_command", args, ask)).rejects.toMatchObject({
      code: "too-large",
    });
    buffered = 1_000_000;
    await expect(server.link.request("get_server_info", {}, ask)).rejects.toMatchObject({
      code: "not-reading",
    });
    expect(server.requests()).toEqual([]);
    buffered = 1_000_001;
    server.say({ id: "x" });
    expect(server.closedWith).toBeDefined();
  });

  // Feature: minecraft-mcp-bridge, Property 4: Message forwarding latency
  it("Property 4: forwards without delay, both ways", () => {
    const servers = new TestServers();
    const server = connectServer(servers);
    server.hello();
    fc.assert(
      fc.property(fc.string({ maxLength: 200 }), (text) => {
        const [asked, before] = [server.requests().length, servers.reported.length];
        // Time does not pass here: whatever waited for a timer would not have happened yet.
        void server.link.request("send_message", { message: text }, ask).catch(() => {});
        expect(server.requests().slice(asked)).toMatchObject([
          { payload: { args: { message: text } } },
        ]);
        server.answer(server.requests().at(-1)?.id ?? "");
        server.chat(text);
        expect(
          servers.reported.slice(before).filter(({ topic }) => topic === "events"),
        ).toHaveLength(1);
      }),
      { numRuns: 100 },
    );
  });
});

describe("finding a server", () => {
  it("never guesses", () => {
    const servers = new TestServers();
    expect(() => servers.find(undefined)).toThrow(texts.noMinecraftServerIsLinked);
    const one = connectServer(servers, { name: "one" });
    one.hello();
    expect(servers.find(undefined)).toBe(one.link);
    const two = connectServer(servers, { name: "two" });
    two.hello();
    expect(() => servers.find(undefined)).toThrow("2 servers are linked: one, two.");
    expect(servers.find("two")).toBe(two.link);
    expect(() => servers.find("Two")).toThrow(texts.serverTwoIsNotLinked);
  });
});

const begin = (counts: EventCounts, name: string, instance: string, nextEvent: number) =>
  counts.begin(identifyServer(name, undefined), { instance, nextEvent });
const chat = (seq: number) => ({ eventType: "player_chat", seq });

describe("the numbers of events", () => {
  it("report each event once and every gap, however often links drop", () => {
    const link = fc.record({ back: fc.nat(5), numbers: fc.array(fc.nat(3), { maxLength: 6 }) });
    fc.assert(
      fc.property(fc.array(link, { maxLength: 8 }), (links) => {
        const counts = new EventCounts();
        const taken: number[] = [];
        let missing = 0;
        let next = 0;
        for (const { back, numbers } of links) {
          const count = begin(counts, "a", "run-1", 0);
          let seq = Math.max(0, next - back);
          for (const lost of numbers) {
            seq += lost;
            const gap = takeEvent(count, chat(seq));
            if (gap !== undefined) {
              taken.push(seq);
              missing += gap;
            }
            seq += 1;
            next = Math.max(next, seq);
          }
        }
        expect(taken).toEqual([...new Set(taken)].sort((a, b) => a - b));
        expect(taken.length + missing).toBe(next);
      }),
      { numRuns: 300 },
    );
  });

  it("begin again with another run, and are not kept forever", () => {
    const counts = new EventCounts();
    takeEvent(begin(counts, "a", "run-1", 0), chat(7));
    expect(begin(counts, "a", "run-1", 0).next).toBe(8);
    expect(begin(counts, "a", "run-2", 0).next).toBe(0);
    for (let n = 0; n < 300; n++) begin(counts, `s${n}`, "run", 5);
    expect(begin(counts, "s0", "run", 0).next).toBe(0);
    expect(begin(counts, "s299", "run", 0).next).toBe(5);
  });

  it("are totals over all links and runs, and show what waits in the server's queue", () => {
    const counts = new EventCounts();
    const server = identifyServer("a", undefined);
    const first = counts.begin(server, { instance: "run-1", nextEvent: 0, eventCount: 3 });
    expect(queuedEvents(first)).toBe(3);
    for (const seq of [0, 1, 1]) takeEvent(first, chat(seq));
    expect(queuedEvents(first)).toBe(1);
    takeEvent(first, { eventType: "shop:sold", seq: 5 });
    expect(queuedEvents(first)).toBe(0);
    const second = counts.begin(server, { instance: "run-2", nextEvent: 4, eventCount: 4 });
    takeEvent(second, chat(4));
    takeEvent(second, { eventType: "shop:closed" });
    expect(second.totals.lost).toBe(3);
    expect([...second.totals.received]).toEqual([
      ["player_chat", 3],
      ["custom", 2],
    ]);
    expect(counts.all).toEqual([second]);
  });
});
