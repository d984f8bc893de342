import type { ConformanceCase } from "../case.js";

const EMULATOR_LIMIT = "it raises the error again every second, and ends no computer";

export const execution: readonly ConformanceCase[] = [
  {
    name: "raises one catchable error after seven seconds",
    computes: true,
    lua: `local ok, err = pcall(function()
        while true do end
      end)
      report(ok, err)`,
    lines: [/^false\|\/?t\.lua:2: Too long without yielding$/],
  },
  {
    name: "raises it in whatever coroutine runs",
    computes: true,
    lua: `local co = coroutine.create(function() while true do end end)
      report(coroutine.resume(co))
      report(coroutine.status(co))`,
    lines: [/^false\|\/?t\.lua:1: Too long without yielding$/, "dead"],
  },
  {
    name: "gives a fresh budget to the next event",
    computes: true,
    lua: `for i = 1, 2 do
        local ok, err = pcall(function() while true do end end)
        report(i, ok)
        os.queueEvent("go")
        os.pullEvent("go")
      end`,
    lines: ["1|false", "2|false"],
  },
  {
    name: "raises it inside an error handler too",
    computes: true,
    lua: `local function busy() while true do end end
      report((xpcall(busy, function() busy() end)))`,
    lines: [],
    endsOff: true,
    notInEmulator: EMULATOR_LIMIT,
  },
  {
    name: "raises it inside a hopeless pattern",
    computes: true,
    lua: `report(pcall(string.find, ("a"):rep(300), (".-"):rep(30) .. "b"))`,
    lines: [/^false\|.*Too long without yielding$/],
    notInEmulator: "its pattern matcher is not interrupted",
  },
  {
    name: "switches the computer off when the error is swallowed",
    computes: true,
    lua: `report("begun") while true do pcall(function() while true do end end) end`,
    lines: ["begun"],
    endsOff: true,
    notInEmulator: EMULATOR_LIMIT,
  },
  {
    name: "switches it off when a hook that yielded and failed left no hook to stop the code",
    computes: true,
    lua: `report("begun")
      local co = coroutine.create(function() while true do pcall(function() while true do end end) end end)
      debug.sethook(co, function() coroutine.yield() error("Terminated", 0) end, "", 1000)
      coroutine.resume(co)
      coroutine.resume(co)`,
    lines: ["begun"],
    endsOff: true,
    notInEmulator: EMULATOR_LIMIT,
  },
  {
    name: "lets a count hook yield and resume where the code was",
    lua: `local ticks = 0
      local co = coroutine.create(function(a, b)
        local sum = 0
        for i = 1, 100000 do sum = sum + i + select("#", table.unpack({ 1, 2, 3 })) end
        return a, b, sum
      end)
      debug.sethook(co, function(event) ticks = ticks + 1 report(coroutine.yield("pre", event)) end, "", 500000)
      report(coroutine.resume(co, "x", "y"))
      while coroutine.status(co) ~= "dead" do report(coroutine.resume(co, "answer")) end
      report(ticks)`,
    lines: ["true|pre|count", "answer", "true|pre|count", "answer", "true|x|y|5000350000", "2"],
    notInEmulator: "it counts from the beginning after each yield",
  },
  {
    name: "raises an error of a hook inside the hooked code",
    lua: `local n = 0
      local co = coroutine.create(function()
        local ok, err = pcall(function() while true do end end)
        report("inner", ok, err)
        while true do end
      end)
      debug.sethook(co, function() n = n + 1 error("stop " .. n, 0) end, "", 1000)
      report(coroutine.resume(co))`,
    lines: ["inner|false|stop 1", "false|stop 2"],
  },
  {
    name: "fires no hook again in a coroutine whose hook yielded and then failed",
    lua: `local fired = 0
      local function hook() fired = fired + 1 coroutine.yield("pre") error("stop", 0) end
      local co = coroutine.create(function()
        report(pcall(function() while true do end end))
        debug.sethook(hook, "", 10)
        report(debug.gethook() == hook)
        for i = 1, 10000 do end
        report("untouched", fired)
        local inner = coroutine.create(function() while true do end end)
        debug.sethook(inner, hook, "", 1000)
        report(coroutine.resume(inner))
      end)
      debug.sethook(co, hook, "", 1000)
      report(coroutine.resume(co))
      report(coroutine.resume(co))
      report(coroutine.status(co), fired)`,
    lines: ["true|pre", "false|stop", "true", "untouched|1", "true|pre", "true", "dead|2"],
    notInEmulator: "its hooks go on",
  },
  {
    name: "fires the hook that one which yielded sets in its place, until it has its way",
    lua: `local function raise() error("stop", 0) end
      local co = coroutine.create(function()
        while true do report(pcall(function() while true do end end)) end
      end)
      debug.sethook(co, function() coroutine.yield("pre") debug.sethook(raise, "", 1) end, "", 1000)
      report(coroutine.resume(co))
      report(coroutine.resume(co))`,
    lines: ["true|pre", "false|stop"],
  },
  {
    name: "passes hook yields through pcall, sort, gsub, metamethods and iterators",
    lua: `local function busy() local n = 0 for i = 1, 3000 do n = n + i end return n end
      local co = coroutine.create(function()
        pcall(busy)
        local list = { 3, 1, 2, 9, 8, 7, 6, 5, 4, 10 }
        table.sort(list, function(a, b) busy() return a < b end)
        report(table.concat(list, " "))
        report((("a-b-c"):gsub("%w", function(c) busy() return c:upper() end)))
        report(setmetatable({}, { __index = function() busy() return "indexed" end }).x)
        for v in function(_, i) busy() return not i and 1 or nil end do report(v) end
        return "done"
      end)
      local yields = 0
      debug.sethook(co, function() coroutine.yield() end, "", 1000)
      local result
      repeat result = table.pack(coroutine.resume(co)) yields = yields + 1 until coroutine.status(co) == "dead"
      report(result[1], result[2], yields > 50)`,
    lines: ["1 2 3 4 5 6 7 8 9 10", "A-B-C", "indexed", "1", "true|done|true"],
    notInEmulator: "its sort and gsub cannot yield",
  },
  {
    name: "hands no hook down to coroutines that the hooked code makes",
    lua: `local hits = 0
      local co = coroutine.create(function()
        local inner = coroutine.wrap(function() for i = 1, 50000 do end return hits end)
        return inner()
      end)
      debug.sethook(co, function() hits = hits + 1 end, "", 1000)
      report(coroutine.resume(co))`,
    lines: ["true|0"],
  },
  {
    name: "runs a hook in the hooked coroutine",
    lua: `local co
      co = coroutine.create(function() for i = 1, 5000 do end end)
      debug.sethook(co, function() debug.sethook() report(coroutine.running() == co) end, "", 1000)
      coroutine.resume(co)
      report(coroutine.status(co), (debug.gethook(co)))`,
    lines: ["true", "dead|nil"],
  },
  {
    name: "fires a hook at every instruction when asked to",
    lua: `local calls = 0
      local co = coroutine.create(function()
        for i = 1, 3 do pcall(function() while true do end end) end
        return "survived"
      end)
      local function hook()
        calls = calls + 1
        debug.sethook(hook, "", 1)
        error("again and again", 0)
      end
      debug.sethook(co, hook, "", 1000)
      report(coroutine.resume(co))
      report(calls)`,
    lines: ["false|again and again", "2"],
  },
  {
    name: "counts instructions towards a hook through yields",
    lua: `local hits = 0
      local co = coroutine.create(function() while true do for i = 1, 100 do end coroutine.yield() end end)
      debug.sethook(co, function() hits = hits + 1 end, "", 1000)
      for i = 1, 100 do coroutine.resume(co) end
      report(hits >= 9 and hits <= 12)`,
    lines: ["true"],
    notInEmulator: "it counts from the beginning after each yield",
  },
  {
    name: "fires hooks between the instructions of programs, not inside native code",
    lua: `local co = coroutine.create(function()
        for i = 1, 100 do
          os.queueEvent("x", { { {} } })
          table.sort({ 3, 2, 1 }, function(a, b) return a < b end)
          string.gsub("abc", ".", function(c) return c end)
          coroutine.wrap(function() end)()
          string.format("%d", 2 ^ 40)
        end
      end)
      debug.sethook(co, function() coroutine.yield() end, "", 7)
      local fired = 0
      while coroutine.resume(co) and coroutine.status(co) ~= "dead" do fired = fired + 1 end
      report(fired > 100, fired < 4000)`,
    lines: ["true|true"],
    notInEmulator: "its sort and gsub cannot yield",
  },
];
