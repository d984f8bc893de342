import { monitorPeripheral } from "@ccbridge/cc-host";
import type { Tools } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../vitest.texts.js";
import type { Link } from "./scripted-bridge.js";
import { screenText, startAgent } from "./start-agent.js";

const newest = (link: Link): Tools | undefined => link.of("tools").at(-1);

async function broken(text: string, files: Record<string, string> = {}) {
  const agent = await startAgent({
    computer: { files: { ...files, "/mcp-tools/door.lua": text } },
  });
  const link = await agent.link();
  await agent.world.advanceUntil(() => (newest(link)?.broken ?? []).length > 0);
  return { agent, link, problem: newest(link)?.broken?.[0]?.problem ?? "" };
}

describe("keys that a tool does not have", () => {
  it.each([
    ["inputSchema", "return { description = 'x', inputSchema = {}, run = print }", "input"],
    ["parameters", "return { description = 'x', parameters = {}, run = print }", "input"],
    ["handler", "return { description = 'x', handler = print }", "run"],
    [
      "min",
      "return { description = 'x', run = print, input = { n = { type = 'number', min = 1 } } }",
      "minimum",
    ],
  ])("such as %s are refused with the right name", async (key, text, right) => {
    const { agent, problem } = await broken(text);
    await using _ = agent;
    expect(problem).toMatch(new RegExp(fill(texts.hasAnUnknownKey, key, right)));
  });

  it.each([
    [
      "a JSON Schema",
      "return { description = 'x', run = print, input = { type = 'object', properties = { n = { type = 'string' } } } }",
      texts.inputNamesTheArguments,
    ],
    [
      "required",
      "return { description = 'x', run = print, input = { n = { type = 'string', required = true } } }",
      "input.n has an unknown key required: each argument is, unless it has optional = true",
    ],
    [
      "another name",
      "return { name = 'gate', description = 'x', run = print }",
      "its name is that of its file, door: leave out the key name",
    ],
    ["a string", "return 'door'", "but it returned a string"],
    ["nothing", "local x = 1", "but it returned nothing"],
  ])("and %s is explained", async (_name, text, said) => {
    const { agent, problem } = await broken(text);
    await using _ = agent;
    expect(problem).toContain(said);
  });
});

describe("while a file is loaded", () => {
  it.each([
    ["a turtle's move", "turtle.forward()", "turtle.forward"],
    ["a caught one", "pcall(turtle.dig) turtle.select(2)", "turtle.select"],
    ["redstone", "redstone.setOutput('back', true)", "redstone.setOutput"],
    ["rs", "rs.setAnalogOutput('back', 3)", "setAnalogOutput"],
    ["writing a file", "fs.open('/x', 'w')", "fs.open for writing"],
    ["appending by io", "io.open('/kept', 'a')", "fs.open for writing"],
    ["deleting", "fs.delete('/kept')", "fs.delete"],
    ["a monitor", "peripheral.wrap('left').write('hi')", "peripheral.call write"],
    ["a reboot", "os.reboot()", "os.reboot"],
    ["an event", "os.queueEvent('boo')", "os.queueEvent"],
    ["the web", "http.get('http://127.0.0.1')", "http.get"],
    ["a setting", "settings.set('x', 1)", "settings.set"],
    ["the prompt's folder", "shell.setDir('/rom')", "shell.setDir"],
    ["a program that acts", "shell.run('acts')", "redstone.setOutput"],
    [
      "a coroutine",
      "coroutine.wrap(function() redstone.setOutput('back', true) end)()",
      "redstone.setOutput",
    ],
  ])("%s is refused, with where and why", async (_name, code, what) => {
    const monitor = monitorPeripheral();
    const agent = await startAgent({
      computer: {
        kind: "turtle",
        turtle: { position: { x: 0, y: 64, z: 0 }, fuel: 100 },
        files: {
          "/kept": "1",
          "/acts.lua": "local ok, why = pcall(redstone.setOutput, 'back', true) _G.why = why",
        },
      },
    });
    await using _ = agent;
    agent.computer.attach("left", monitor);
    const link = await agent.link();
    const body = code.startsWith("shell") ? `${code} error(_G.why, 0)` : code;
    agent.computer.fs.write("/mcp-tools/door.lua", `local a = 1\n${body}`);
    await agent.world.advanceUntil(() => (newest(link)?.broken ?? []).length > 0);
    const problem = newest(link)?.broken?.[0]?.problem;
    expect(problem).toContain(`${what} ${texts.isRefusedWhileThisFile}`);
    expect(agent.computer.redstone.output("back")).toBe(0);
    expect(agent.computer.fs.exists("/x")).toBe(false);
    expect(agent.computer.fs.exists("/kept")).toBe(true);
    expect(monitor.screen.text().trim()).toBe("");
    expect(await link.exec("return select(2, turtle.getFuelLevel())")).toMatchObject({ ok: true });
    const before = (await link.exec("return turtle.getFuelLevel()")).result;
    expect(before).toMatchObject({ returns: [{ value: 100 }] });
  });

  it("it may look, and what it keeps for later acts in run", async () => {
    const agent = await startAgent({
      computer: {
        kind: "turtle",
        turtle: { position: { x: 0, y: 64, z: 0 }, fuel: 100 },
        files: {
          "/name.txt": "back",
          "/mcp-tools/door.lua": `print("loading") term.clear()
            local forward, set, open = turtle.forward, redstone.setOutput, fs.open
            local file = open("/name.txt", "r") local side = file.readAll() file.close()
            local fuel, full = turtle.getFuelLevel(), peripheral.isPresent("left")
            return { description = "moves", run = function()
              set(side, true) local f = open("/out", "w") f.write("ok") f.close()
              return forward(), fuel, turtle.getFuelLevel() end }`,
        },
      },
    });
    await using _ = agent;
    const link = await agent.link();
    await link.until("the tool", () => newest(link)?.tools.length === 1);
    const ran = link.request("call-tool", { name: "door" });
    await agent.world.advance(1_000);
    expect(await ran).toMatchObject({
      ok: true,
      result: { returns: [{ value: true }, { value: 100 }, { value: 99 }] },
    });
    expect(agent.computer.redstone.output("back")).toBe(15);
    expect(agent.computer.fs.read("/out")).toBe("ok");
    expect(screenText(agent.computer)).not.toContain("loading");
    expect(screenText(agent.computer)).toContain("linked as 12");
  });

  it("one that never ends is stopped, and the link answers meanwhile", async () => {
    const agent = await startAgent({
      computer: {
        files: { "/mcp-tools/door.lua": "while true do pcall(turtle and print or error) end" },
      },
    });
    await using _ = agent;
    const link = await agent.link();
    expect(await link.request("ping")).toMatchObject({ ok: true });
    await agent.world.advanceUntil(() => (newest(link)?.broken ?? []).length > 0);
    expect(newest(link)?.broken?.[0]?.problem).toContain(texts.itDidNotReturnItsTable);
    expect(await link.exec("return 1")).toMatchObject({ ok: true });
  });
});
