import { expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { newWorld, reported, run } from "./helpers.js";

const note = (text: string) => `local f = fs.open("/log", "a") f.write("${text} ") f.close()`;

it("should run one startup file, then the startup directory in order of name", async () => {
  const world = await newWorld();
  const computer = world.computer({
    files: {
      "/startup.lua": note("file"),
      "/startup/20-b.lua": note("b"),
      "/startup/10-a.lua": note("a"),
      "/startup/sub/no.lua": note("no"),
    },
  });
  computer.turnOn();
  await computer.idle();
  expect(computer.fs.read("/log")).toBe("file a b ");
  const other = world.computer({ files: { "/startup.lua": note("lua") } });
  other.fs.write("/startup", note("bare"));
  other.turnOn();
  await other.idle();
  expect(other.fs.read("/log")).toBe("bare ");
});

it("should not reach the prompt while a startup file runs, nor rerun startup in a nested shell", async () => {
  const world = await newWorld();
  const computer = world.computer({
    files: {
      "/startup.lua": `${note("once")} sleep(1) shell.run("shell", "id") os.pullEvent("go")`,
    },
  });
  computer.turnOn();
  await computer.idle();
  world.tick(30);
  expect(computer.screen.text()).toContain("This is computer #0");
  expect(computer.screen.text()).not.toContain(">");
  computer.queueEvent("go");
  await computer.until(() => computer.screen.text().endsWith(">"));
  expect(computer.fs.read("/log")).toBe("once ");
});

it("should honour shell.allow_startup", async () => {
  const world = await newWorld();
  const computer = world.computer({
    files: { "/startup.lua": note("ran"), "/.settings": '{ ["shell.allow_startup"] = false }' },
  });
  computer.turnOn();
  await computer.idle();
  expect(computer.fs.exists("/log")).toBe(false);
});

it("should give each program its own environment, arguments and require", async () => {
  const world = await newWorld();
  const computer = world.computer({
    files: {
      "/lib/mod/init.lua": "return { name = ..., count = (COUNT or 0) + 1 }",
      "/lib/prog.lua":
        'STRAY = 1 local f = fs.open("/out", "a") f.write(table.concat({ tostring(require("mod").name), tostring(require("mod") == require("mod")), arg[0], table.concat({ ... }, ","), tostring(_G.STRAY), shell.getRunningProgram() }, "|") .. "\\n") f.close()',
    },
  });
  await run(
    computer,
    `shell.run("lib/prog", "a b", '"c d"') report(shell.execute("/lib/prog", "one two"))
     report(shell.run("nothing")) report(shell.run("bad.lua")) report(shell.resolve("x"), shell.dir(), shell.path())
     report(shell.resolveProgram("ls"), pcall(require, "none"))
     report(require("cc.expect").expect(1, "x", "string"), pcall(require("cc.expect").expect, 2, 5, "string", "nil"))
     report(_G.shell, _G.require, _G.multishell, multishell)`,
  );
  const lines = reported(computer);
  expect(lines[0]).toBe(texts.modTrueLibProg);
  expect(lines[1]).toBe("mod|true|/lib/prog|one two|nil|lib/prog.lua");
  expect(lines.slice(2, 5)).toEqual(["true", "false", "false"]);
  expect(lines[5]).toBe("x||.:/rom/programs:/rom/programs/http");
  expect(lines[6]).toContain("rom/programs/ls.lua|false|");
  expect(lines.join("\n")).toContain("bad argument #2 (string expected, got number)");
  expect(lines.at(-1)).toBe("nil|nil|nil|nil");
});

it("should save settings only on request, and read them at boot", async () => {
  const world = await newWorld();
  const computer = world.computer();
  await run(
    computer,
    `settings.define("a.b", { description = "d", type = "number", default = 3 })
     report(settings.get("a.b"), settings.get("none", "fallback"), settings.getDetails("a.b").description)
     settings.set("a.b", 4) settings.set("t", { 1, x = "y" })
     report(select(2, os.pullEvent("setting_changed")))
     report(pcall(settings.set, "a.b", "text")) report(pcall(settings.set, "f", print))
     report(fs.exists("/.settings"), settings.save(), fs.exists("/.settings"))
     settings.unset("a.b") report(settings.get("a.b"))`,
  );
  expect(reported(computer)).toEqual([
    "3|fallback|d",
    "a.b|4|3",
    "false|bad argument #2 (number expected, got string)",
    expect.stringContaining("false|"),
    "false|true|true",
    "3",
  ]);
  computer.shutdown();
  world.tick(50);
  expect(await run(computer, 'report(settings.get("a.b"), settings.get("t").x)')).toEqual(["4|y"]);
});

it("should save by itself with the set program", async () => {
  const computer = (await newWorld()).computer();
  computer.turnOn();
  await computer.idle();
  computer.type("set motd.enable false\n");
  await computer.idle();
  expect(computer.fs.read("/.settings")).toContain("motd.enable");
});

it("should offer a Lua prompt that shows expressions", async () => {
  const computer = (await newWorld()).computer();
  computer.turnOn();
  await computer.idle();
  computer.type("lua\n1 + 1\nx = 5\nx * 2\nerror('bad')\nexit()\n");
  await computer.idle();
  expect(computer.screen.text()).toMatch(
    /lua> 1 \+ 1\n2\nlua> x = 5\nlua> x \* 2\n10\nlua> error\('bad'\)\nlua:1: bad\nlua> exit\(\)\n>$/,
  );
});

it("should print errors, Terminated on Ctrl+T, and lose unread events of the killed program", async () => {
  const computer = (await newWorld()).computer();
  computer.turnOn();
  await computer.idle();
  computer.fs.write("/loop.lua", "while true do os.pullEvent() end");
  computer.fs.write("/broken.lua", "local x = nil\nx.y = 1");
  computer.type("broken\nloop\n");
  await computer.idle();
  expect(computer.screen.text()).toContain(texts.brokenLuaAttemptToIndex);
  computer.terminate();
  await computer.idle();
  expect(computer.screen.text()).toMatch(/Terminated\n>$/);
});

it("should shut down when the top shell ends", async () => {
  const world = await newWorld();
  const computer = world.computer();
  computer.turnOn();
  await computer.idle();
  computer.fs.write("/leave.lua", "shell.exit()");
  computer.type("leave\n");
  await computer.idle();
  world.tick(21);
  expect(computer.isOn).toBe(false);
});

it("should refuse stray globals if configured", async () => {
  const world = await newWorld();
  const computer = world.computer({ defaultSettings: "bios.strict_globals=true" });
  expect(await run(computer, "report(pcall(function() stray = 1 end))")).toEqual([
    texts.falseLuaAttemptToCreate,
  ]);
});

it("should keep the last lines of a tab when the bar takes a row", async () => {
  const world = await newWorld();
  const computer = world.computer({ advanced: true });
  const code = `for row = 1, 30 do print(row) end
    write("last")
    shell.openTab("id")
    write(" one")
    report(select(2, term.getCursorPos()), select(2, term.getSize()))
    os.pullEvent("never")`;
  expect(await run(computer, code)).toEqual(["18|18"]);
  expect(computer.screen.lines().at(-1)).toBe("last one");
});

it("should run without multishell if configured", async () => {
  const world = await newWorld();
  const computer = world.computer({ advanced: true, defaultSettings: "bios.use_multishell=false" });
  expect(await run(computer, "report(multishell, shell.openTab, term.isColour())")).toEqual([
    "nil|nil|true",
  ]);
});
