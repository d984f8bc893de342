import type { Response } from "@ccbridge/protocol";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fill, texts } from "../../../vitest.texts.js";
import type { Link } from "./scripted-bridge.js";
import { type RunningAgent, startAgent } from "./start-agent.js";

interface ExecResult {
  returns: { type: string; value?: unknown; encoding?: string; truncated?: boolean }[];
  output: string;
  encoding?: string;
  truncated?: boolean;
}

function resultOf(response: Response): ExecResult {
  return response.result as ExecResult;
}

describe.each(["1.100.0", "1.109.0", "1.116.0"])("exec-lua on CC:Tweaked %s", (version) => {
  let agent: RunningAgent;
  let link: Link;
  beforeAll(async () => {
    agent = await startAgent({
      computer: { version, files: { "/lib/greet.lua": "return 'hello'" } },
    });
    link = await agent.link();
  });
  afterAll(async () => {
    expect(link.malformed).toEqual([]);
    await agent[Symbol.asyncDispose]();
  });

  async function returns(code: string): Promise<unknown[]> {
    const response = await link.exec(code);
    expect(response).toMatchObject({ ok: true });
    return resultOf(response).returns;
  }

  async function output(code: string): Promise<string> {
    return resultOf(await link.exec(code)).output;
  }

  it("tries an expression first, then statements", async () => {
    expect(await returns("1 + 1")).toEqual([{ type: "number", value: 2 }]);
    expect(await returns("return 1 + 1")).toEqual([{ type: "number", value: 2 }]);
    expect(await returns("local a = 3\nreturn a, 'x', nil")).toEqual([
      { type: "number", value: 3 },
      { type: "string", value: "x" },
      { type: "nil" },
    ]);
    expect(await returns("x = 5")).toEqual([]);
    expect(await returns("os.getComputerID() -- mine")).toEqual([{ type: "number", value: 12 }]);
  });

  it("gives the code shell, require, multishell's absence and all globals", async () => {
    expect(
      await returns(
        "type(shell.run), type(require), multishell, type(peripheral.getNames), require('lib.greet'), type(_G.fs)",
      ),
    ).toEqual([
      { type: "string", value: "function" },
      { type: "string", value: "function" },
      { type: "nil" },
      { type: "string", value: "function" },
      { type: "string", value: "hello" },
      { type: "string", value: "table" },
    ]);
  });

  it("keeps globals of one request from the next, unless they go into _G", async () => {
    await link.exec("leak = 1 _G.kept = 2");
    expect(await returns("leak, kept")).toEqual([{ type: "nil" }, { type: "number", value: 2 }]);
    await link.exec("_G.kept = nil");
  });

  it("captures print, write, printError, io.write, io.stderr and term.write raw", async () => {
    const wide = "w".repeat(200);
    expect(
      await output(
        `print("a", 1, nil) write("b") write("c\\n") printError("d") io.write("e", 2, "\\n")
         term.write("f") print() print("${wide}") textutils.pagedPrint("g")`,
      ),
    ).toBe(fill(texts.aNilBcD, wide));
  });

  it("begins a new line of output where the cursor goes elsewhere", async () => {
    expect(
      await output(
        `term.clear() term.setCursorPos(1, 1) term.write("top") term.setCursorPos(5, 3)
         term.write("mid") term.write("dle") term.setCursorPos(1, 4) term.blit("low", "000", "fff")`,
      ),
    ).toBe("top\nmiddle\nlow");
  });

  it("captures output of coroutines and of programs that the code starts", async () => {
    agent.computer.fs.write("/say.lua", "print('said ' .. ...)");
    expect(
      await output(
        `parallel.waitForAll(function() print("p1") end, function() print("p2") end)
         coroutine.wrap(function() print("w") end)()
         shell.run("say", "it")`,
      ),
    ).toBe("p1\np2\nw\nsaid it\n");
  });

  it("leaves the screen and the program's own functions alone", async () => {
    const before = agent.computer.screen.text();
    await output("print('not on the screen') term.clear()");
    expect(agent.computer.screen.text()).toBe(before);
    expect(await returns("term.getSize()")).toEqual([
      { type: "number", value: 51 },
      { type: "number", value: 19 },
    ]);
  });

  it("writes to a window that the code redirects to, also after it waited", async () => {
    const response = await link.exec(
      `local w = window.create(term.current(), 1, 1, 20, 5, false)
       local old = term.redirect(w) print("inside")
       os.queueEvent("go") os.pullEvent("go")
       print("again") term.redirect(old)
       print("outside") return w.getLine(1), w.getLine(2)`,
    );
    expect(resultOf(response).output).toBe("outside\n");
    expect(resultOf(response).returns.map((entry) => String(entry.value).trim())).toEqual(
      expect.arrayContaining(["inside", "again"]),
    );
  });

  it("marks long bytes as base64 too", async () => {
    await using agent = await startAgent();
    const link = await agent.link();
    const { result } = await link.exec(`return ("\\255\\0"):rep(100000)`);
    const [value] = (result as { returns: { value: string; encoding?: string }[] }).returns;
    expect(value?.encoding).toBe("base64");
    expect(Buffer.from(value?.value ?? "", "base64")).toHaveLength(200_000);
  });

  it("carries bytes that are not UTF-8 as base64", async () => {
    const response = await link.exec(String.raw`print("\255\254") return "\0\128", "h\195\169"`);
    expect(resultOf(response)).toMatchObject({
      output: Buffer.from("fffe0a", "hex").toString("base64"),
      encoding: "base64",
      returns: [
        { type: "string", value: "AIA=", encoding: "base64" },
        { type: "string", value: "hé" },
      ],
    });
  });

  it("runs code with any characters", async () => {
    const response = await link.exec(`return ${JSON.stringify('é "q" \\ € end')}, #"€"`);
    expect(resultOf(response).returns).toEqual([
      { type: "string", value: 'é "q" \\ € end' },
      { type: "number", value: 3 },
    ]);
  });

  it("reports syntax errors by line, with no output", async () => {
    const response = await link.exec("local x = 1\nx x");
    expect(response).toMatchObject({
      ok: false,
      error: expect.stringMatching(new RegExp(texts.syntaxErrorNothingRanExec)),
      result: { output: "", returns: [] },
    });
  });

  it("reports runtime errors with a traceback of the code alone, and the output until then", async () => {
    const response = await link.exec(
      "print('before')\nlocal function inner() error('boom') end\nlocal function outer() inner() end\nouter() return 1",
    );
    expect(response).toMatchObject({ ok: false, result: { output: "before\n", returns: [] } });
    const { error } = response as { error: string };
    expect(error.split("\n")[0]).toBe("exec-lua:2: boom");
    expect(error).toContain("stack traceback:");
    expect(error).toMatch(/exec-lua:3: in .*outer/);
    expect(error).not.toContain("mcp-computer");
  });

  it.each([
    ["error('plain', 0)", /^plain\n/],
    ["error({ code = 7 })", /^error value: \{"code":7\}/],
    ["error(setmetatable({}, { __tostring = function() return 'as text' end }))", /^as text/],
    ["error()", /^nil/],
    ["local x = nil + 1 return x", /^exec-lua:1: attempt to perform arithmetic/],
    ["parallel.waitForAny(function() error('in parallel') end)", /in parallel/],
  ])("reports %s", async (code, message) => {
    const response = await link.exec(code);
    expect(response.ok).toBe(false);
    expect((response as { error: string }).error).toMatch(message);
  });

  it("answers bad params and unknown methods with a reason", async () => {
    expect(await link.request("exec-lua")).toMatchObject({
      ok: false,
      error: expect.stringContaining("params.code"),
    });
    expect(await link.request("exec-lua", { code: 5 })).toMatchObject({ ok: false });
    expect(await link.request("teleport")).toEqual(
      expect.objectContaining({ ok: false, error: "unknown method" }),
    );
  });

  it("answers ping while code sleeps, and gives every event to every waiting request", async () => {
    const sleeper = link.send("exec-lua", { code: "sleep(1) return 'slept'" });
    const a = link.send("exec-lua", { code: "return os.pullEvent('both')" });
    const b = link.send("exec-lua", { code: "return os.pullEvent('both')" });
    expect(await link.request("ping")).toMatchObject({
      ok: true,
      result: "pong from 12 (Label: base-turtle)",
    });
    expect(link.responses(sleeper)).toEqual([]);
    agent.computer.queueEvent("both", 7);
    for (const id of [a, b]) {
      expect(resultOf(await link.response(id)).returns).toEqual([
        { type: "string", value: "both" },
        { type: "number", value: 7 },
      ]);
    }
    await agent.world.advance(1_100);
    expect(resultOf(await link.response(sleeper)).returns).toEqual([
      { type: "string", value: "slept" },
    ]);
  });

  it("does not show the code the link's own events", async () => {
    const id = link.send("exec-lua", {
      code: "local seen = {} repeat local e = os.pullEvent() seen[#seen + 1] = e until e == 'stop' return seen",
    });
    await link.request("ping");
    agent.computer.queueEvent("mine");
    agent.computer.queueEvent("stop");
    expect(resultOf(await link.response(id)).returns).toEqual([
      { type: "table", value: ["mine", "stop"] },
    ]);
  });

  it("answers code that asks for its status", async () => {
    expect(await output("shell.run('mcp-computer', 'status')")).toContain(
      "as 12 (Label: base-turtle)\n1 job running, 0 reconnects",
    );
  });

  it("refuses a seventeenth request at once", async () => {
    const ids = Array.from({ length: 16 }, () =>
      link.send("exec-lua", { code: "os.pullEvent('release')" }),
    );
    expect(await link.exec("1")).toMatchObject({
      ok: false,
      error: texts.requestsAlreadyRunOnThis,
    });
    expect(await link.request("ping")).toMatchObject({ ok: true });
    agent.computer.queueEvent("release");
    for (const id of ids) expect(await link.response(id)).toMatchObject({ ok: true });
    expect(await link.exec("1")).toMatchObject({ ok: true });
  });

  it("runs a request with a known id only once", async () => {
    const id = link.send("exec-lua", { code: "_G.runs = (_G.runs or 0) + 1 os.pullEvent('x')" });
    link.send("exec-lua", { code: "_G.runs = (_G.runs or 0) + 1" }, id);
    expect(await returns("runs")).toEqual([{ type: "number", value: 1 }]);
    agent.computer.queueEvent("x");
    await link.response(id);
  });

  it("costs one event and no tick for a round trip", async () => {
    await agent.computer.idle();
    const { eventsHandled } = agent.computer.stats;
    const ticks = agent.world.ticks;
    expect(await returns("return 1+1")).toEqual([{ type: "number", value: 2 }]);
    expect(agent.computer.stats.eventsHandled - eventsHandled).toBe(1);
    expect(agent.world.ticks).toBe(ticks);
  });
});

describe("calls that wait for the game", () => {
  it("come back to the code that made them, on a turtle", async () => {
    await using agent = await startAgent({ computer: { kind: "turtle" } });
    const link = await agent.link();
    const turns = link.send("exec-lua", { code: "return turtle.turnLeft(), turtle.turnRight()" });
    const other = link.send("exec-lua", { code: "sleep(0.2) return 'beside'" });
    expect(await link.request("ping")).toMatchObject({ ok: true });
    expect(link.responses(turns)).toEqual([]);
    await agent.world.advance(2_000);
    expect(resultOf(await link.response(turns)).returns).toEqual([
      { type: "boolean", value: true },
      { type: "boolean", value: true },
    ]);
    expect(await link.response(other)).toMatchObject({ ok: true });
  });

  it("come back on a command computer, also several at once", async () => {
    await using agent = await startAgent({ computer: { kind: "command" } });
    const link = await agent.link();
    const ids = [1, 2, 3].map(() =>
      link.send("exec-lua", { code: "return commands.exec('say hi')" }),
    );
    await link.request("ping");
    await agent.world.advance(500);
    for (const id of ids) {
      expect(resultOf(await link.response(id)).returns[0]).toEqual({
        type: "boolean",
        value: true,
      });
    }
  });
});

describe("values and labels", () => {
  it("names a computer without a label null", async () => {
    await using agent = await startAgent({ computer: { id: 0, label: "" } });
    const link = await agent.link();
    expect(link.hello.computerId).toBe(0);
    expect(link.hello.computerLabel).toBeNull();
    expect(await link.request("ping")).toMatchObject({ result: "pong from 0 (Label: null)" });
    await agent.shows("linked as 0 (Label: null)");
  });

  it("carries a label with quotes, newlines and bytes, and shows it on one line", async () => {
    await using agent = await startAgent({ computer: { label: 'a "b"\n\\c' } });
    const link = await agent.link();
    expect(link.hello.computerLabel).toBe('a "b"\n\\c');
    expect(await link.request("ping")).toMatchObject({
      result: 'pong from 12 (Label: a "b"\n\\c)',
    });
    await agent.shows('linked as 12 (Label: a "b" \\c)');
    await link.exec(String.raw`os.setComputerLabel("caf\233")`);
    expect(await link.request("ping")).toMatchObject({ result: "pong from 12 (Label: café)" });
  });
});
