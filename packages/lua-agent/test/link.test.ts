import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { greet, type Link } from "./scripted-bridge.js";
import { screenText, startAgent } from "./start-agent.js";

describe("linking", () => {
  it("says hello in version 2 and shows the lines that players know", async () => {
    await using agent = await startAgent({ computer: { kind: "turtle", advanced: true } });
    const { hello } = await agent.link();
    expect(hello).toMatchObject({
      computerId: 12,
      computerLabel: "base-turtle",
      protocol: 2,
      agent: { name: "mcp-computer" },
      kind: "turtle",
      advanced: true,
      host: "ComputerCraft 1.113.1 (Minecraft 1.20.1)",
      methods: expect.arrayContaining(["exec-lua", "ping", "run-program"]),
      features: ["acks", "cancel", "chunk", "jobs", "keys", "output", "pairing", "surrogates"],
      maxFrame: 130_048,
      jobs: [],
    });
    expect(hello.instance).toMatch(/^[0-9a-f]{24}$/);
    await agent.shows(`mcp-computer v${hello.agent?.version} connecting to ${agent.bridge.url}`);
    await agent.shows("linked as 12 (Label: base-turtle)");
    await agent.shows("waiting for requests... Press Ctrl+T to stop.");
    await agent.shows("Anyone who controls that bridge controls this computer.");
  });

  it.each([
    ["computer", "computer"],
    ["pocket", "pocket"],
    ["command", "command"],
  ] as const)("knows that it is a %s", async (kind, reported) => {
    await using agent = await startAgent({ computer: { kind } });
    expect((await agent.link()).hello.kind).toBe(reported);
  });

  it("keeps its instance over a reboot, and another computer has another", async () => {
    await using agent = await startAgent();
    const first = (await agent.link()).hello.instance;
    await agent.shows("linked as");
    agent.computer.reboot();
    await agent.world.advance(3_000);
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    expect((await agent.link(2)).hello.instance).toBe(first);
    await using other = await startAgent();
    expect((await other.link()).hello.instance).not.toBe(first);
  });

  it("sends the token and the world's name, and remembers the URL for the next start", async () => {
    await using agent = await startAgent({ args: "--token s3cret --world overworld" });
    expect((await agent.link()).hello).toMatchObject({ token: "s3cret", world: "overworld" });
    await agent.shows("linked as");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    expect((await agent.link(2)).hello.token).toBe("s3cret");
  });

  it("does not give one bridge's token to another", async () => {
    await using agent = await startAgent({ args: "--token s3cret" });
    await agent.shows("linked as");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type(`mcp-computer ws://localhost:${agent.bridge.port}\n`);
    expect((await agent.link(2)).hello.token).toBeUndefined();
  });

  it("works with a version 1 bridge, which gets answers and nothing else", async () => {
    await using agent = await startAgent({
      greeting: (link) => link.sendRaw({ type: "hello-ok" }),
    });
    const link = await agent.link();
    await agent.shows("linked (older bridge: no live output, no jobs)");
    expect(await link.request("ping")).toMatchObject({
      ok: true,
      result: "pong from 12 (Label: base-turtle)",
    });
    const id = link.send("exec-lua", { code: "print('now') os.pullEvent('go') return 'done'" });
    await link.request("ping");
    agent.computer.queueEvent("go");
    expect(await link.response(id)).toMatchObject({ ok: true, result: { output: "now\n" } });
    const big = await link.exec("print('kept') return string.rep('x', 200000)");
    expect(big).toMatchObject({
      ok: false,
      error: expect.stringContaining(texts.tooLargeForThis),
      result: { output: "kept\n" },
    });
    expect(link.frames.map((frame) => frame.type)).not.toContain("output");
    expect(Math.max(...link.sizes)).toBeLessThanOrEqual(131_072);
  });

  it("ignores what it does not know: frame types, garbage, binary, late greetings", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    for (const frame of [
      ...["", "{", "[]", "null", "5", '"text"', '{"type":5}', '{"type":"dance"}'],
      ...['{"type":"hello-ok"}', '{"type":"hello-error","code":"unauthorized","message":"no"}'],
      ...['{"type":"request"}', '{"type":"request","id":5,"method":"ping"}', '{"type":"chunk"}'],
      ...['{"type":"cancel"}', '{"type":"cancel","id":5}'],
    ]) {
      link.sendRaw(frame);
    }
    expect(await link.request("ping")).toMatchObject({ ok: true });
    expect(link.of("response").length).toBe(1);
  });

  it("stops on Ctrl+T, closes the socket and gives the prompt back", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    await agent.shows("linked as");
    agent.computer.terminate();
    await link.until("close", () => link.closed);
    await agent.prompt();
    expect(agent.computer.stats).toMatchObject({ websocketsOpen: 0, timersActive: 0 });
  });
});

describe("a greeting that the game drops", () => {
  const lost = (_: Link) => {};

  it("is asked for again on the same socket, a few times", async () => {
    await using agent = await startAgent({ greeting: lost });
    const link = await agent.link();
    await agent.world.advance(4_800);
    expect(link.of("hello")).toHaveLength(1);
    await agent.world.advance(400);
    await link.until("another hello", () => link.of("hello").length === 2);
    expect(link.of("hello")[1]).toEqual(link.of("hello")[0]);
    greet()(link);
    await agent.shows("linked as 12");
    await agent.world.advance(20_000);
    expect(link.of("hello")).toHaveLength(2);
    expect(agent.bridge.links).toHaveLength(1);
  });

  it("is given up after 15 seconds", async () => {
    await using agent = await startAgent({ greeting: lost });
    const link = await agent.link();
    await agent.world.advance(14_800);
    expect(link.closed).toBe(false);
    await agent.world.advance(500);
    await link.until("close", () => link.closed);
    expect(link.of("hello")).toHaveLength(3);
    await agent.shows("not as a bridge does. (no hello-ok)");
  });

  it("is asked for at once when requests come without it, and those run once, in their order", async () => {
    await using agent = await startAgent({ greeting: lost });
    const link = await agent.link();
    const run = (code: string) => link.send("exec-lua", { code });
    const ids = ["a", "b", "c"].map((name) => run(`_G.ran = (_G.ran or "") .. "${name}"`));
    link.send("exec-lua", { code: 'ran = ran .. "twice"' }, ids[0]);
    const cancelled = run("while true do sleep(1) end");
    link.cancel(cancelled);
    await agent.world.advance(1_200);
    await link.until("another hello", () => link.of("hello").length === 2);
    expect(link.of("response")).toEqual([]);
    greet({ jobs: [] })(link);
    for (const id of ids) expect(await link.response(id)).toMatchObject({ ok: true });
    expect(await link.response(cancelled)).toMatchObject({ ok: false, error: "cancelled" });
    expect(await link.exec("return ran")).toMatchObject({
      result: { returns: [{ value: "abc" }] },
    });
  });

  it("may be lost with many requests behind it: the rest is unknown, and may come again", async () => {
    await using agent = await startAgent({ greeting: lost });
    const link = await agent.link();
    const ids = Array.from({ length: 40 }, () => link.send("exec-lua", { code: "return 1" }));
    await agent.world.advance(1_200);
    await link.until("another hello", () => link.of("hello").length === 2);
    greet({ jobs: [] })(link);
    await link.until("answers", () => link.of("response").length === 16);
    const { result } = await link.request("check-requests", { ids });
    expect(result).toEqual({ unknown: ids.slice(16) });
  });

  it("may be that of a bridge that pairs: no hello disturbs the code that is shown", async () => {
    await using agent = await startAgent({ greeting: lost });
    const link = await agent.link();
    await agent.world.advance(5_100);
    await link.until("another hello", () => link.of("hello").length === 2);
    link.sendRaw({ type: "pairing", code: "1234", expiresMs: 60_000 });
    await agent.shows("1234");
    await agent.world.advance(60_000);
    expect(link.of("hello")).toHaveLength(2);
    link.sendRaw({ type: "paired", secret: "s3cret" });
    await link.until("a hello with the secret", () => link.of("hello").length === 3);
    await agent.world.advance(5_100);
    await link.until("a fourth hello", () => link.of("hello").length === 4);
    expect(link.of("hello").map(({ secret }) => secret)).toEqual([
      ...[undefined, undefined],
      ...["s3cret", "s3cret"],
    ]);
    greet()(link);
    await agent.shows("linked as 12");
  });

  it("leaves nothing for the next link, which gets the requests again", async () => {
    await using agent = await startAgent({ greeting: lost });
    const link = await agent.link();
    const id = link.send("exec-lua", { code: "return 1" });
    await agent.world.advance(100);
    agent.bridge.greeting = greet({ jobs: [] });
    link.drop();
    await agent.shows("next try in");
    await agent.world.advance(2_100);
    const next = await agent.link(2);
    expect(await next.request("check-requests", { ids: [id] })).toMatchObject({
      result: { unknown: [id] },
    });
  });
});

describe("liveness", () => {
  it("idles at few events: the bridge's ping, and a scan for new tools", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    await link.request("ping");
    await agent.computer.idle();
    const before = agent.computer.stats.eventsHandled;
    for (let beat = 0; beat < 20; beat++) {
      await agent.world.advance(15_000);
      await link.request("ping");
    }
    // A ping every 15 s and a scan every 5 s.
    expect(agent.computer.stats.eventsHandled - before).toBeLessThanOrEqual(20 + 60);
    expect(agent.computer.stats.timersActive).toBe(2);
  });

  it("probes with a hello before it closes, and accepts any answer", async () => {
    await using agent = await startAgent({ greeting: greet({ heartbeatMs: 2_000, jobs: [] }) });
    const link = await agent.link();
    await agent.shows("linked");
    const id = link.send("exec-lua", { code: "return 'once'" });
    expect(await link.response(id)).toMatchObject({ ok: true });
    // The bridge pings only idle computers; this one is never idle.
    for (let beat = 1; beat <= 20; beat++) {
      await agent.world.advance(3_900);
      expect(link.of("hello")).toHaveLength(beat);
      await agent.world.advance(200);
      await link.until("another hello", () => link.of("hello").length === beat + 1);
      greet({ heartbeatMs: 2_000, jobs: [{ id, seq: 0 }] })(link);
      await agent.computer.idle();
    }
    expect(link.of("hello").at(-1)).toEqual({ ...link.hello, jobs: [id] });
    expect(link.responses(id)).toHaveLength(1);
    expect(link.closed).toBe(false);
    expect(agent.bridge.links).toHaveLength(1);
  });

  it("reconnects when nothing is heard for three heartbeats, and not before", async () => {
    await using agent = await startAgent({ greeting: greet({ heartbeatMs: 2_000 }) });
    const link = await agent.link();
    await agent.shows("linked");
    await agent.world.advance(5_900);
    expect(link.closed).toBe(false);
    await link.request("ping");
    await agent.world.advance(5_900);
    expect(link.closed).toBe(false);
    await agent.world.advance(2_300);
    await link.until("close", () => link.closed);
    await agent.shows("no link, next try in");
    await agent.world.advance(2_100);
    expect((await agent.link(2)).hello.computerId).toBe(12);
  });

  it("gives a version 1 bridge, which promises no heartbeat, all the time it wants", async () => {
    await using agent = await startAgent({
      greeting: (link) => link.sendRaw({ type: "hello-ok" }),
    });
    const link = await agent.link();
    await agent.shows("linked");
    await agent.world.advance(600_000);
    expect(link.closed).toBe(false);
    expect(await link.request("ping")).toMatchObject({ ok: true });
  });
});

describe("reconnecting", () => {
  it("waits longer each time, between 1 and 30 seconds", async () => {
    await using agent = await startAgent({ greeting: (link) => link.close(1001, "restarting") });
    const ticks: number[] = [];
    for (let number = 1; number <= 8; number++) {
      const next = agent.link(number).then(() => ticks.push(agent.world.ticks));
      while (agent.bridge.links.length < number) await agent.world.advance(50);
      await next;
      const link = agent.bridge.links[number - 1];
      await agent.computer.until(() => screenText(agent.computer).includes("next try in"));
      expect(link?.hello.computerId).toBe(12);
      expect(agent.computer.stats.timersActive).toBeLessThanOrEqual(4);
    }
    const pauses = ticks.slice(1).map((tick, index) => (tick - (ticks[index] ?? 0)) / 20);
    const bounds: [number, number][] = [
      ...([
        [1, 2],
        [1.5, 3],
        [2.2, 4.5],
        [3.3, 6.8],
      ] as [number, number][]),
      ...([
        [5, 10.2],
        [7.5, 15.2],
        [11.3, 22.8],
      ] as [number, number][]),
    ];
    pauses.forEach((pause, index) => {
      const [low, high] = bounds[index] as [number, number];
      expect(pause).toBeGreaterThanOrEqual(low - 0.1);
      expect(pause).toBeLessThanOrEqual(high + 0.3);
    });
  });

  it("comes back soon after a link", async () => {
    await using agent = await startAgent();
    for (let number = 1; number <= 4; number++) {
      const link = await agent.link(number);
      await agent.shows(/linked(?!.*next try)/);
      await agent.world.advance(11_000);
      await link.request("ping");
      link.drop();
      await agent.shows("next try in 2 s");
      await agent.world.advance(2_100);
    }
    await agent.link(5);
  });

  it("shows reconnects in place, without scrolling the greeting away", async () => {
    await using agent = await startAgent();
    for (let number = 1; number <= 6; number++) {
      (await agent.link(number)).drop();
      await agent.shows("next try in");
      await agent.world.advance(31_000);
    }
    await agent.link(7);
    await agent.shows("linked, 6 reconnects");
    expect(screenText(agent.computer)).toMatch(/mcp-computer v\S+ connecting to/);
    expect(screenText(agent.computer)).not.toContain("Connection closed");
  });

  it("survives hundreds of reconnects with two timers and one socket", async () => {
    await using agent = await startAgent();
    for (let number = 1; number <= 300; number++) {
      const link = await agent.link(number);
      await agent.computer.until((computer) => computer.stats.websocketsOpen === 1);
      expect(await link.request("ping")).toMatchObject({ ok: true });
      expect(agent.computer.stats.timersActive).toBe(2);
      await agent.world.advance(10_100);
      link.drop();
      await agent.computer.until((computer) => computer.stats.websocketsOpen === 0);
      await agent.computer.idle();
      await agent.world.advance(2_100);
    }
    const last = await agent.link(301);
    expect(last.hello.jobs).toEqual([]);
    expect(await last.exec("return 1")).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ websocketsOpen: 1, timersActive: 2, boots: 1 });
  });

  it("distinguishes its attempts by URL, so that a late event of an old one does no harm", async () => {
    await using agent = await startAgent({
      computer: {
        files: {
          "/run.lua": `local dial = http.websocketAsync
            _G.dialled = {}
            http.websocketAsync = function(url) table.insert(_G.dialled, url) return dial(url) end
            shell.run("mcp-computer", ...)`,
        },
      },
      command: (url) => `run ${url}\n`,
    });
    (await agent.link(1)).drop();
    await agent.shows("next try in");
    await agent.world.advance(2_100);
    const link = await agent.link(2);
    const { result } = await link.exec("dialled");
    const [first, second] = (result as { returns: [{ value: string[] }] }).returns[0].value;
    expect(first).toMatch(new RegExp(`^${agent.bridge.url}/\\?#.*1$`));
    expect(second).toBe(first?.replace(/1$/, "2"));
    agent.computer.queueEvent("websocket_closed", first ?? "", "Connection closed");
    agent.computer.queueEvent("websocket_failure", first ?? "", "Could not connect");
    expect(await link.request("ping")).toMatchObject({ ok: true });
    expect(agent.bridge.links.length).toBe(2);
  });

  it("resumes after the server restarted it", async () => {
    await using agent = await startAgent();
    await agent.link();
    await agent.shows("linked as");
    agent.computer.terminate();
    await agent.prompt();
    agent.computer.type("mcp-computer --autostart\n");
    await agent.shows("Starts at boot");
    agent.computer.unload();
    agent.computer.load();
    expect((await agent.link(2)).hello.jobs).toEqual([]);
  });
});

describe("refusals that end the loop", () => {
  it("stops when the token is wrong, and says which command helps", async () => {
    await using agent = await startAgent({
      greeting: (link) => {
        link.sendRaw({ type: "hello-error", code: "unauthorized", message: "bad token" });
        link.close(4401, "bad token");
      },
    });
    await agent.shows("The bridge refused the token. (bad token)");
    await agent.shows(`mcp-computer ${agent.bridge.url} --token <token>`);
    await agent.prompt();
    await agent.world.advance(60_000);
    expect(agent.bridge.links.length).toBe(1);
  });

  it.each([
    [4401, "The bridge refused the token."],
    [4409, "Another program linked as this computer, so this one stops."],
  ])("stops on close code %d", async (code, text) => {
    await using agent = await startAgent();
    const link = await agent.link();
    await agent.shows("linked as");
    link.close(code, "told so");
    await agent.shows(text);
    await agent.world.advance(60_000);
    expect(agent.bridge.links.length).toBe(1);
    expect(agent.computer.stats.timersActive).toBe(0);
  });

  it("stops after the first link with --once", async () => {
    await using agent = await startAgent({ args: "--once" });
    (await agent.link()).close(1001, "restarting");
    await agent.prompt();
    await agent.world.advance(60_000);
    expect(agent.bridge.links.length).toBe(1);
  });
});
