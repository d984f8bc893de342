import type { ConformanceCase } from "../case.js";

export const shell: readonly ConformanceCase[] = [
  {
    name: "gives each program its own environment, arguments and require",
    lua: `local function put(path, text) local f = fs.open(path, "w") f.write(text) f.close() end
      put("/lib/mod/init.lua", "return { name = ... }")
      put("/lib/prog.lua", [[STRAY = 1 _G.SEEN = table.concat({ require("mod").name, tostring(require("mod") == require("mod")),
        arg[0], table.concat({ ... }, ","), tostring(_G.STRAY), shell.getRunningProgram() }, "|")]])
      put("/bad.lua", "x x")
      shell.run("lib/prog", "a b", '"c d"') report(_G.SEEN)
      report(shell.execute("/lib/prog", "one two")) report(_G.SEEN)
      report(shell.run("no-such-program"), shell.run("bad.lua"))
      report(shell.resolve("x"), shell.dir(), shell.resolveProgram("id"), (pcall(require, "none")))
      report(require("cc.expect").expect(1, "x", "string"), pcall(require("cc.expect").expect, 2, 5, "string", "nil"))
      report(_G.shell, _G.require, _G.multishell)
      fs.delete("/lib") fs.delete("/bad.lua") _G.SEEN = nil`,
    lines: [
      "mod|true|lib/prog|a,b,c d|nil|lib/prog.lua",
      "true",
      "mod|true|/lib/prog|one two|nil|lib/prog.lua",
      "false|false",
      "x||rom/programs/id.lua|false",
      /^x\|false\|.*bad argument #2 .*\((string expected|expected string), got number\)$/,
      "nil|nil|nil",
    ],
  },
  {
    name: "checks settings, reports changes and saves only on request",
    lua: `settings.define("a.b", { description = "d", type = "number", default = 3 })
      report(settings.get("a.b"), settings.get("none", "fallback"), settings.getDetails("a.b").description)
      settings.set("a.b", 4)
      report(select(2, os.pullEvent("setting_changed")))
      report(pcall(settings.set, "a.b", "text")) report((pcall(settings.set, "f", print)))
      fs.delete("/.settings")
      report(fs.exists("/.settings"), settings.save(), fs.exists("/.settings"))
      settings.unset("a.b") report(settings.get("a.b"))
      fs.delete("/.settings")`,
    lines: [
      "3|fallback|d",
      "a.b|4|3",
      /^false\|.*bad argument #2 .*\((number expected|expected number), got string\)$/,
      "false",
      "false|true|true",
      "3",
    ],
  },
  {
    name: "returns false for a program that fails, and continues",
    lua: `local f = fs.open("/fails.lua", "w") f.write("error('inside')") f.close()
      report(shell.run("/fails.lua"))
      f = fs.open("/asks.lua", "w") f.write("os.pullEvent('never')") f.close()
      os.queueEvent("terminate")
      report(shell.run("/asks.lua"))
      fs.delete("/fails.lua") fs.delete("/asks.lua")`,
    lines: ["false", "false"],
  },
];
