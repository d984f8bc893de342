import type { ExecLuaResult } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { greet } from "./scripted-bridge.js";
import { startAgent } from "./start-agent.js";

const BUSY = "while true do end";

describe("cancel", () => {
  it("stops code that waits, and answers with the output until then", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", { code: "print('working') sleep(1000) print('never')" });
    await link.until("output", () => link.outputs(id).length > 0);
    link.cancel(id);
    expect(await link.response(id)).toEqual({
      type: "response",
      id,
      ok: false,
      error: "cancelled",
      result: { returns: [], output: "working\n" },
    });
    link.cancel(id);
    await link.request("ping");
    expect(link.responses(id).length).toBe(1);
  });

  it("lets code clean up, and drops code that will not stop", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const tidy = link.send("exec-lua", { code: "pcall(sleep, 100) print('tidied')" });
    const stubborn = link.send("exec-lua", {
      code: "while true do pcall(os.pullEvent) _G.alive = (_G.alive or 0) + 1 end",
    });
    link.cancel(tidy);
    link.cancel(stubborn);
    expect(await link.response(tidy)).toMatchObject({
      error: "cancelled",
      result: { output: "tidied\n" },
    });
    expect(await link.response(stubborn)).toMatchObject({ error: "cancelled" });
    const first = await link.exec("alive");
    for (let i = 0; i < 5; i++) agent.computer.queueEvent("anything");
    expect((await link.exec("alive")).result).toEqual(first.result);
  });

  it.each([
    ["a loop", BUSY],
    ["a loop that catches every error", `while true do pcall(function() ${BUSY} end) end`],
    ["a loop in a coroutine", `coroutine.wrap(function() ${BUSY} end)()`],
    [
      "a loop in parallel",
      `parallel.waitForAny(function() sleep(100) end, function() ${BUSY} end)`,
    ],
    [
      "endless coroutines",
      `while true do coroutine.resume(coroutine.create(function() ${BUSY} end)) end`,
    ],
    ["a loop in another program", "shell.run('busy')"],
  ])("stops %s that never yields", async (_name, code) => {
    await using agent = await startAgent({ computer: { files: { "/busy.lua": BUSY } } });
    const link = await agent.link();
    const id = link.send("exec-lua", { code });
    expect(await link.request("ping")).toMatchObject({ ok: true });
    link.cancel(id);
    expect(await link.response(id)).toMatchObject({ ok: false, error: "cancelled" });
    await agent.computer.idle();
    expect(await link.exec("return 'well'")).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ hardAborts: 0, softAborts: 0, boots: 1 });
  });
});

describe("code that computes for long", () => {
  it("continues in slices while pings and other requests are served", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "local n = 0 for i = 1, 40000000 do n = n + 1 end return n",
    });
    let pings = 0;
    while (link.responses(id).length === 0) {
      expect(await link.request("ping")).toMatchObject({ ok: true });
      pings++;
    }
    expect(await link.response(id)).toMatchObject({
      ok: true,
      result: { returns: [{ type: "number", value: 40_000_000 }] },
    });
    expect(pings).toBeGreaterThan(3);
    expect(agent.computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0 });
  });

  it("keeps the events that come meanwhile, in order", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: `os.queueEvent("ready") os.pullEvent("ready") _G.started = true
             for i = 1, 10000000 do end
             local seen = {} for i = 1, 5 do seen[i] = select(2, os.pullEvent("n")) end return seen`,
    });
    while (JSON.stringify((await link.exec("started")).result).includes('"nil"'));
    for (let n = 1; n <= 5; n++) agent.computer.queueEvent("n", n);
    expect(await link.response(id)).toMatchObject({
      result: { returns: [{ type: "table", value: [1, 2, 3, 4, 5] }] },
    });
  });

  it("is not seen by generators: a coroutine yields what it yields", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const response = await link.exec(
      `local squares = coroutine.wrap(function()
         for i = 1, 3 do for _ = 1, 3000000 do end coroutine.yield(i * i) end
       end)
       return squares(), squares(), squares()`,
    );
    expect((response.result as ExecLuaResult).returns.map((value) => value.value)).toEqual([
      1, 4, 9,
    ]);
  });

  it("shares the processor between two of them", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const endless = link.send("exec-lua", { code: BUSY });
    const other = await link.exec("for i = 1, 8000000 do end return 'through'");
    expect(other).toMatchObject({ ok: true });
    link.cancel(endless);
    await link.response(endless);
  });
});

describe("the seven seconds", () => {
  // Without hooks only the game's own limit applies.
  const noHooks = { "/run.lua": "debug.sethook = nil shell.run('mcp-computer', ...)" };

  it.each([
    ["a runaway loop", BUSY, /Too long without yielding/],
    [
      "code that swallows the abort and then waits",
      "pcall(function() while true do end end) sleep(0) error('went on', 0)",
      /went on/,
    ],
  ])("%s ends as an error, and the computer stays up", async (_name, code, message) => {
    await using agent = await startAgent({
      computer: { files: noHooks },
      command: (url) => `run ${url}\n`,
    });
    const link = await agent.link();
    for (let round = 0; round < 2; round++) {
      const id = link.send("exec-lua", { code });
      await agent.computer.until((computer) => computer.stats.softAborts > round);
      await agent.world.advance(100);
      const response = await link.response(id);
      expect(response).toMatchObject({ ok: false });
      expect((response as { error: string }).error).toMatch(message);
    }
    expect(await link.exec("return 1")).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ softAborts: 2, hardAborts: 0, boots: 1 });
  });

  it("leave enough for the answer, however much the code used", async () => {
    await using agent = await startAgent({
      computer: { files: noHooks },
      command: (url) => `run ${url}\n`,
    });
    const link = await agent.link();
    const response = await link.exec(
      "for i = 1, 60000000 do end local t = {} for i = 1, 9000 do t[i] = 'entry ' .. i end return t",
    );
    expect(response).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0 });
  });

  it("are given afresh to each request that one event wakes", async () => {
    await using agent = await startAgent({
      computer: { files: noHooks },
      command: (url) => `run ${url}\n`,
    });
    const link = await agent.link();
    const ids = [1, 2, 3].map(() =>
      link.send("exec-lua", {
        code: "os.pullEvent('go') for i = 1, 40000000 do end os.pullEvent('end') return 'ok'",
      }),
    );
    await link.request("ping");
    agent.computer.queueEvent("go");
    agent.computer.queueEvent("end");
    for (const id of ids) expect(await link.response(id)).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0 });
  });

  it("may strike in the program's own loop, which continues", async () => {
    // The abort may hit any code: here the clock used by streaming.
    await using agent = await startAgent({
      computer: {
        files: {
          "/run.lua": `local clock = os.clock
            os.clock = function()
              if _G.strike then _G.strike = nil error("Too long without yielding", 0) end
              return clock()
            end
            shell.run("mcp-computer", ...)`,
        },
      },
      command: (url) => `run ${url}\n`,
    });
    const link = await agent.link();
    const id = link.send("exec-lua", { code: "_G.strike = true print('a') sleep(1) return 'b'" });
    await agent.shows(/last problem at \d\d:\d\d: Too long without yielding/);
    expect(await link.request("ping")).toMatchObject({ ok: true });
    await agent.world.advance(1_100);
    expect(await link.response(id)).toMatchObject({ ok: true, result: { output: "a\n" } });
  });

  it("is not used up by hooks that cannot yield: the code is stopped in time", async () => {
    // As in plain Lua: hooks may raise but not yield.
    const files = {
      "/run.lua": `local sethook, owner = debug.sethook, nil
        local create, resume, status = coroutine.create, coroutine.resume, coroutine.status
        debug.sethook = function(co, fn, mask, count)
          if type(co) ~= "thread" then
            co, fn, mask, count = owner or coroutine.running(), co, fn, mask
          end
          return sethook(co, function(...)
            owner = co
            local hook = create(fn)
            local ok, problem = resume(hook, ...)
            owner = nil
            if not ok then error(problem, 0) end
            if status(hook) ~= "dead" then
              error("attempt to yield across a C-call boundary", 0)
            end
          end, mask, count)
        end
        shell.run("mcp-computer", ...)`,
    };
    await using agent = await startAgent({
      computer: { files },
      command: (url) => `run ${url}\n`,
    });
    const link = await agent.link();
    const response = await link.exec(`while true do pcall(function() ${BUSY} end) end`);
    expect(response).toMatchObject({ ok: false });
    expect((response as { error: string }).error).toContain(texts.ranForSWithout);
    expect(await link.exec("return 1")).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0, boots: 1 });
  });
});

describe("output of a running request", () => {
  it("is streamed in order, at a bounded rate, and repeated in the result", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", { code: "for i = 1, 100 do print(i) sleep(0.05) end" });
    await link.until("first output", () => link.outputs(id).length > 0);
    await agent.world.advance(5_200);
    const response = await link.response(id);
    const all = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");
    expect((response.result as ExecLuaResult).output).toBe(all);
    const outputs = link.outputs(id);
    expect(outputs.map((frame) => frame.seq)).toEqual(outputs.map((_, index) => index));
    expect(outputs.map((frame) => frame.text).join("")).toBe(all);
    expect(outputs.length).toBeGreaterThan(5);
    expect(outputs.length).toBeLessThanOrEqual(23);
    expect(link.frames.at(-1)).toBe(response);
  });

  it("is not sent for code that ends at once", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    expect(await link.exec("print('quick')")).toMatchObject({ result: { output: "quick\n" } });
    expect(link.of("output")).toEqual([]);
  });

  it("is cut to its end when there is much of it, within seven seconds", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const response = await link.exec("for i = 1, 40000 do print(string.format('%09d', i)) end");
    const result = response.result as ExecLuaResult;
    expect(result.truncated).toBe(true);
    expect(result.output.endsWith("000039999\n000040000\n")).toBe(true);
    expect(result.output.length).toBe(262_144);
    expect(Math.max(...link.sizes)).toBeLessThanOrEqual(130_048);
    expect(agent.computer.stats.softAborts).toBe(0);
  });

  it("handles a megabyte in one print", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const response = await link.exec("print(string.rep('word ', 200000))");
    expect(response).toMatchObject({ ok: true, result: { truncated: true } });
    expect(agent.computer.stats.softAborts).toBe(0);
  });
});

describe("size", () => {
  it("accepts three megabytes of code and returns a megabyte", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const line = "s = 'é \"quoted\" \\\\ text' -- padding padding padding\n";
    const code = `${line.repeat(3_000_000 / line.length)}return #s`;
    expect(code.length).toBeGreaterThan(2_900_000);
    expect(await link.exec(code)).toMatchObject({
      ok: true,
      result: { returns: [{ type: "number", value: 18 }] },
    });
    const big = await link.exec("return string.rep('\\\\\"\\n\\195\\169', 200000)");
    const [value] = (big.result as ExecLuaResult).returns;
    expect(value?.value === '\\"\né'.repeat(200_000)).toBe(true);
    expect(value?.truncated).toBeUndefined();
    expect(link.sizes.length).toBeGreaterThan(10);
    expect(agent.computer.stats.softAborts).toBe(0);
    expect(Math.max(...link.sizes)).toBeLessThanOrEqual(130_048);
    expect(link.malformed).toEqual([]);
  });

  it("keeps to a smaller frame size that the bridge asks for", async () => {
    await using agent = await startAgent({ greeting: greet({ maxFrame: 4_096 }) });
    const link = await agent.link();
    const response = await link.exec("return string.rep('x', 50000)");
    expect((response.result as ExecLuaResult).returns[0]?.value).toBe("x".repeat(50_000));
    expect(Math.max(...link.sizes)).toBeLessThanOrEqual(4_096);
  });

  it("finds its way below a server's own message limit", async () => {
    await using agent = await startAgent({
      world: { httpRules: [{ host: "*", action: "allow", maxWebsocketMessage: 20_000 }] },
    });
    const link = await agent.link();
    const response = await link.exec("return string.rep('x', 100000)");
    expect((response.result as ExecLuaResult).returns[0]?.value).toBe("x".repeat(100_000));
    expect(await link.request("ping")).toMatchObject({ ok: true });
    expect(agent.bridge.links.length).toBe(1);
  });
});

describe("a dropped link", () => {
  it("does not stop a job; its output and answer are delivered once on the next link", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "print('one') os.pullEvent('go') print('two') return 7",
    });
    await link.until("output", () => link.outputs(id).length > 0);
    link.drop();
    await agent.shows("next try in");
    agent.computer.queueEvent("go");
    await agent.computer.idle();
    await agent.world.advance(2_100);
    const second = await agent.link(2);
    expect(second.hello.jobs).toEqual([id]);
    const response = await second.response(id);
    expect(response).toMatchObject({
      ok: true,
      result: { returns: [{ type: "number", value: 7 }], output: "one\ntwo\n" },
    });
    expect(second.outputs(id)).toEqual([{ type: "output", id, seq: 1, text: "two\n" }]);
    await second.request("ping");
    second.drop();
    await agent.shows("next try in");
    await agent.world.advance(5_000);
    const third = await agent.link(3);
    expect(third.hello.jobs).toEqual([]);
    await third.request("ping");
    expect([...second.responses(id), ...third.responses(id)].length).toBe(1);
  });

  it("leaves running jobs running, named, cancellable and answered later", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const waits = link.send("exec-lua", { code: "return os.pullEvent('go')" });
    const sleeps = link.send("exec-lua", { code: "sleep(1000)" });
    await link.request("ping");
    link.drop();
    await agent.shows("2 jobs running");
    await agent.world.advance(2_100);
    const second = await agent.link(2);
    expect(second.hello.jobs).toEqual([waits, sleeps]);
    await second.request("ping");
    second.cancel(sleeps);
    expect(await second.response(sleeps)).toMatchObject({ error: "cancelled" });
    agent.computer.queueEvent("go");
    expect(await second.response(waits)).toMatchObject({ ok: true });
  });

  it("keeps a bounded end of what a job prints meanwhile, and says what is gone", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "print('start') os.pullEvent('go') for i = 1, 150000 do print(string.format('%09d', i)) end sleep(100)",
    });
    await link.until("output", () => link.outputs(id).length > 0);
    link.drop();
    await agent.shows("next try in");
    agent.computer.queueEvent("go");
    await agent.computer.idle();
    await agent.world.advance(2_100);
    const second = await agent.link(2);
    await agent.world.advanceUntil(() =>
      second.outputs(id).some((frame) => frame.text.endsWith("000150000\n")),
    );
    const text = second
      .outputs(id)
      .map((frame) => frame.text)
      .join("");
    expect(text).toMatch(/^\[\.\.\. \d+ bytes are gone \.\.\.\]\n/);
    expect(text.length).toBeLessThan(1_050_000);
    expect(second.outputs(id).map((frame) => frame.seq)).toEqual(
      second.outputs(id).map((_, index) => index + 1),
    );
  });

  it("loses the jobs with the computer: after a reboot none is named", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    await agent.shows("linked as");
    link.send("exec-lua", { code: "sleep(1000)" });
    await link.request("ping");
    agent.computer.reboot();
    await agent.world.advance(3_000);
    await agent.prompt();
    agent.computer.type("mcp-computer\n");
    expect((await agent.link(2)).hello.jobs).toEqual([]);
  });
});

describe("many computers", () => {
  it("are fifty at once, each with its own work", async () => {
    await using agent = await startAgent({ command: () => "" });
    const computers = Array.from({ length: 50 }, (_, index) =>
      agent.world.computer({
        id: 100 + index,
        files: {
          "/mcp-computer.lua": agent.computer.fs.read("/mcp-computer.lua"),
          "/startup.lua": `shell.run("mcp-computer", "${agent.bridge.url}")`,
        },
      }),
    );
    for (const computer of computers) computer.turnOn();
    const links = await Promise.all(computers.map((_, index) => agent.link(index + 1)));
    const answers = await Promise.all(links.map((link) => link.exec("return os.getComputerID()")));
    expect(
      answers.map((answer) => (answer.result as ExecLuaResult).returns[0]?.value).sort(),
    ).toEqual(computers.map((computer) => computer.id));
  });
});

describe("events", () => {
  it("may lose the answer to a dial: it dials again", async () => {
    await using agent = await startAgent({
      computer: {
        files: {
          "/run.lua": `local dial = http.websocketAsync
            http.websocketAsync = function() http.websocketAsync = dial return true end
            shell.run("mcp-computer", ...)`,
        },
      },
      command: (url) => `run ${url}\n`,
    });
    await agent.shows("connecting to");
    await agent.world.advance(44_000);
    expect(agent.bridge.links.length).toBe(0);
    await agent.world.advance(3_500);
    await agent.link();
  });

  it("are all seen in a burst of 200, requests among them", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "local n = 0 repeat local e, last = os.pullEvent('burst') n = n + 1 until last return n",
    });
    await link.request("ping");
    for (let i = 1; i <= 200; i++) agent.computer.queueEvent("burst", i === 200);
    expect(await link.request("ping")).toMatchObject({ ok: true });
    expect(await link.response(id)).toMatchObject({
      result: { returns: [{ type: "number", value: 200 }] },
    });
    expect(agent.computer.stats.eventsDropped).toBe(0);
  });

  it("may overflow the queue without stopping anything for good", async () => {
    await using agent = await startAgent({ greeting: greet({ heartbeatMs: 2_000 }) });
    const link = await agent.link();
    const busy = link.send("exec-lua", { code: "for i = 1, 20000000 do end return 'done'" });
    await link.request("ping");
    for (let i = 0; i < 1_000; i++) agent.computer.queueEvent("flood", i);
    expect(agent.computer.stats.eventsDropped).toBeGreaterThan(0);
    expect(await link.response(busy)).toMatchObject({ ok: true });
    expect(await link.request("ping")).toMatchObject({ ok: true });
  });
});
