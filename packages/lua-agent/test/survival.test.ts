import type { ExecLuaResult } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { greet } from "./scripted-bridge.js";
import { screenText, startAgent } from "./start-agent.js";

const BUSY = "while true do end";
const CATCHING = `while true do pcall(function() ${BUSY} end) end`;

describe("code that catches every error", () => {
  it.each([
    ["around a loop", CATCHING],
    ["around short work", "while true do pcall(function() for i = 1, 100 do end end) end"],
    ["in a coroutine", `coroutine.wrap(function() ${CATCHING} end)()`],
    [
      "around coroutines",
      `while true do coroutine.resume(coroutine.create(function() ${BUSY} end)) end`,
    ],
    ["in parallel", `parallel.waitForAny(function() ${CATCHING} end, function() sleep(1000) end)`],
    ["around parallel", `while true do pcall(parallel.waitForAny, function() ${BUSY} end) end`],
    ["in another program", "shell.run('catching')"],
    ["in a callback", `while true do pcall(string.gsub, 'aaaa', 'a', function() ${BUSY} end) end`],
    [
      "in a metamethod",
      `local t = setmetatable({}, { __index = function() ${CATCHING} end }) return t.x`,
    ],
  ])("%s is cancelled after it was pre-empted, and the computer stays on", async (_name, code) => {
    await using agent = await startAgent({ computer: { files: { "/catching.lua": CATCHING } } });
    const link = await agent.link();
    const id = link.send("exec-lua", { code });
    for (let slice = 0; slice < 3; slice++) await link.request("ping");
    link.cancel(id);
    expect(await link.response(id)).toMatchObject({ ok: false, error: "cancelled" });
    expect(await link.exec("return 'well'")).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ hardAborts: 0, softAborts: 0, boots: 1 });
  });
});

describe("nested coroutines", () => {
  it("end with an error that names the cause, and not with the computer", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    expect(await link.exec("local function f() return coroutine.wrap(f)() end f()")).toMatchObject({
      ok: false,
      error: expect.stringContaining(texts.moreThanCoroutinesInsideOf),
    });
    const deep = await link.exec(
      `local function f(n) if n == 0 then return 'deep' end return coroutine.wrap(f)(n - 1) end
       return f(90)`,
    );
    expect(deep).toMatchObject({ ok: true, result: { returns: [{ value: "deep" }] } });
  });
});

describe("a full event queue", () => {
  /** Drops events as a full queue does: every timer, or the next internal event, while `_G.lose` is set. */
  const losing = {
    "/run.lua": `local start, cancel, queue = os.startTimer, os.cancelTimer, os.queueEvent
      os.startTimer = function(seconds)
        local id = start(seconds)
        if _G.lose == "timers" then cancel(id) end
        return id
      end
      os.queueEvent = function(name, ...)
        if _G.lose == "own" and name == "mcp-computer" then
          _G.lose = nil
          return
        end
        return queue(name, ...)
      end
      shell.run("mcp-computer", ...)`,
  };
  const start = (lose: string) =>
    startAgent({
      computer: { files: { ...losing, "/lose.lua": `_G.lose = "${lose}"` } },
      command: (url) => `lose\nrun ${url}\n`,
    });

  it("may drop the timer that dials: it dials anyway", async () => {
    await using agent = await start("timers");
    (await agent.link()).drop();
    await agent.shows("next try in");
    await agent.world.advance(2_100);
    expect(agent.bridge.links.length).toBe(1);
    agent.computer.queueEvent("anything");
    await agent.link(2);
  });

  it("may drop the hello-ok, and the timer that gives it up", async () => {
    await using agent = await start("timers");
    agent.bridge.greeting = () => {};
    (await agent.link()).drop();
    await agent.shows("next try in");
    await agent.world.advance(2_100);
    agent.computer.queueEvent("anything");
    const silent = await agent.link(2);
    for (let hellos = 1; hellos <= 3; hellos++) {
      await silent.until("hello", () => silent.of("hello").length === hellos);
      expect(silent.closed).toBe(false);
      await agent.world.advance(5_100);
      agent.computer.queueEvent("anything");
    }
    await silent.until("close", () => silent.closed);
    expect(silent.of("hello")).toHaveLength(3);
  });

  it("may drop the event that lets computing code continue, and has 256 after that", async () => {
    await using agent = await start("");
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "_G.lose = 'own' fs.makeDir('/began') for i = 1, 4000000 do end return 'through'",
    });
    await agent.computer.until((computer) => computer.fs.exists("/began"));
    await agent.computer.idle();
    expect(link.responses(id)).toEqual([]);
    for (let n = 1; n <= 256; n++) agent.computer.queueEvent("flood", n);
    expect(await link.response(id)).toMatchObject({ ok: true });
  });

  it("may drop the timers of output and of a reboot", async () => {
    await using agent = await start("timers");
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "for i = 1, 3 do print(i) os.pullEvent('go') end os.pullEvent('never')",
    });
    await link.until("output", () => link.outputs(id).length === 1);
    for (let round = 2; round <= 3; round++) {
      agent.computer.queueEvent("go");
      await agent.computer.idle();
      expect(link.outputs(id).length).toBe(round - 1);
      await agent.world.advance(500);
      agent.computer.queueEvent("anything");
      await link.until("the rest", () => link.outputs(id).length === round);
    }
    await link.request("reboot-computer", {});
    await agent.world.advance(700);
    expect(link.closed).toBe(false);
    agent.computer.queueEvent("anything");
    await link.until("close", () => link.closed);
  });

  it("is not filled by a job: requests come through while it floods", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const flood = link.send("exec-lua", {
      code: "while true do os.queueEvent('flood', string.rep('x', 100)) end",
    });
    await link.request("ping");
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => link.exec(`return ${index}`)),
    );
    expect(answers.every((answer) => answer.ok)).toBe(true);
    link.cancel(flood);
    expect(await link.response(flood)).toMatchObject({ error: "cancelled" });
    expect(agent.computer.stats.eventsDropped).toBe(0);
  });
});

describe("terminate", () => {
  it("that a job queues ends that job and nothing else", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const bystander = link.send("exec-lua", { code: "return os.pullEvent('go')" });
    expect(await link.exec("os.queueEvent('terminate') sleep(1000)")).toMatchObject({
      ok: false,
      error: expect.stringContaining("Terminated"),
    });
    expect(
      await link.exec("os.queueEvent('terminate') return os.pullEventRaw('timer')"),
    ).toMatchObject({ ok: true, result: { returns: [{ value: "terminate" }] } });
    expect(await link.exec("os.queueEvent('terminate')")).toMatchObject({ ok: true });
    expect(await link.request("ping")).toMatchObject({ ok: true });
    agent.computer.queueEvent("go");
    expect(await link.response(bystander)).toMatchObject({ ok: true });
    expect(agent.bridge.links.length).toBe(1);
  });

  it("of the player stops the program, whatever runs", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    link.send("exec-lua", { code: BUSY });
    await link.request("ping");
    agent.computer.terminate();
    await link.until("close", () => link.closed);
    await agent.prompt();
  });
});

describe("fast output", () => {
  const text = (outputs: { text: string }[]) => outputs.map((frame) => frame.text).join("");

  it("arrives whole while the link is up, a megabyte of it in one go", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: `local line = string.rep("x", 90) for i = 1, 20000 do print(line .. i) end`,
    });
    const response = await link.response(id);
    const all = Array.from({ length: 20_000 }, (_, i) => `${"x".repeat(90)}${i + 1}\n`).join("");
    expect(text(link.outputs(id)) === all).toBe(true);
    const result = response.result as ExecLuaResult & { lost?: number };
    expect(result.lost).toBeUndefined();
    expect(result.truncated).toBe(true);
    expect(all.endsWith(result.output)).toBe(true);
  });

  it("arrives whole when it is one text, and from programs on a screen", async () => {
    await using agent = await startAgent({
      computer: { files: { "/many.lua": "for i = 1, 20000 do print(i) end" } },
    });
    const link = await agent.link();
    const one = link.send("exec-lua", { code: "write(string.rep('0123456789', 300000))" });
    await link.response(one);
    expect(text(link.outputs(one)).length).toBe(3_000_000);
    const program = link.send("run-program", { command: "many" });
    await link.response(program);
    expect(text(link.outputs(program))).toBe(
      Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join(""),
    );
  });

  it("keeps a megabyte while there is no link, and the result says how much is lost", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "os.pullEvent('go') for i = 1, 15000 do print(string.format('%099d', i)) end",
    });
    await link.request("ping");
    link.drop();
    await agent.shows("next try in");
    agent.computer.queueEvent("go");
    await agent.computer.idle();
    await agent.world.advance(2_100);
    const second = await agent.link(2);
    const answered = second.response(id);
    await agent.world.advanceUntil(() => second.responses(id).length > 0);
    const result = (await answered).result as { lost?: number };
    const streamed = text(second.outputs(id));
    expect(streamed).toMatch(/^\[\.\.\. \d+ bytes are gone \.\.\.\]\n/);
    expect(result.lost).toBe(1_500_000 - 1_048_576);
    expect(streamed.endsWith("00015000\n")).toBe(true);
    expect(streamed.length).toBeGreaterThan(1_048_000);
  });
});

describe("an answer", () => {
  it("that takes long to write or to read does not cost the seven seconds", async () => {
    await using agent = await startAgent({
      world: { cpuClock: { instructionsPerMs: 100 } },
    });
    const link = await agent.link();
    const response = await link.exec(
      String.raw`write(string.rep("\255\1", 8000)) return string.rep("\226\130\172\1", 40000)`,
    );
    const { returns, encoding } = response.result as ExecLuaResult;
    expect(returns[0]?.value === "€\u0001".repeat(40_000)).toBe(true);
    expect(encoding).toBe("base64");
    const code = `--${"\u20ac\n--".repeat(30_000)}\nreturn 'read'`;
    expect(await link.exec(code)).toMatchObject({ ok: true });
    expect(agent.computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0 });
  });

  it("of an error whose text never ends comes by itself", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    for (const text of [BUSY, CATCHING]) {
      const code = `error(setmetatable({}, { __tostring = function() ${text} end }))`;
      expect(await link.exec(code)).toMatchObject({
        ok: false,
        error: expect.stringContaining(texts.anErrorWithoutA),
      });
    }
    expect(agent.computer.stats).toMatchObject({ hardAborts: 0, softAborts: 0, boots: 1 });
  });

  it("runs nothing that hides in the keys of a table", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const busy = `local function busy() return setmetatable({}, { __tostring = function() ${CATCHING} end }) end`;
    const keys = `${busy} local keys = { [busy()] = 1, [busy()] = 2 }`;
    expect(await link.exec(`${keys} error(keys)`)).toMatchObject({
      ok: false,
      error: expect.stringContaining("<table>"),
    });
    expect(await link.exec(`${keys} return keys`)).toMatchObject({ ok: true });
  });

  it("that cannot be written is an answer too", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const response = await link.exec(
      "error(setmetatable({}, { __tostring = function() while true do coroutine.yield() end end }))",
    );
    expect(response).toMatchObject({ ok: false });
    expect(await link.request("ping")).toMatchObject({ ok: true });
  });
});

describe("the token", () => {
  it("is never on the screen nor in the status", async () => {
    await using agent = await startAgent({
      command: (url) => `mcp-computer ${url}/link?token=s3cret-1 --token s3cret-2\n`,
    });
    const written = () => screenText(agent.computer).split("mcp-computer v")[1];
    const link = await agent.link();
    await agent.shows("linked as");
    const status = await link.exec("shell.run('mcp-computer status')");
    expect((status.result as ExecLuaResult).output).toContain(
      `linked to ${agent.bridge.url}/link as`,
    );
    expect(JSON.stringify(status.result)).not.toContain("s3cret");
    expect(written()).toContain(`connecting to ${agent.bridge.url}/link`);
    expect(written()).not.toContain("s3cret");
    link.close(4401, "no");
    await agent.shows("--token <token>");
    expect(written()).not.toContain("s3cret");
  });
});

describe("a quick series of restarts", () => {
  it("does not make the computer wait longer and longer", async () => {
    await using agent = await startAgent();
    for (let number = 1; number <= 6; number++) {
      const link = await agent.link(number);
      await agent.shows(/linked(?!.*next try)/);
      link.close(1001, "restarting");
      await agent.shows("next try in");
      await agent.world.advance(2_100);
    }
    await agent.link(7);
  });
});
