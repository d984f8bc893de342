import type { ConformanceCase } from "../case.js";

const DRAIN = 'local function drain(name) os.queueEvent(name) os.pullEvent(name) end drain("a") ';

export const events: readonly ConformanceCase[] = [
  {
    name: "holds 256 events and drops the newest",
    lua: `${DRAIN}
      for i = 1, 300 do os.queueEvent("n", i) end
      local last, count = 0, 0
      local timer = os.startTimer(0.5)
      while true do
        local e, v = os.pullEvent()
        if e == "n" then last, count = v, count + 1 elseif e == "timer" and v == timer then break end
      end
      -- Timers that programs before it left may have a place in the queue too.
      report(count <= 256 and count > 250, last == count)`,
    lines: ["true|true"],
    notInEmulator: "its queue has no end",
  },
  {
    name: "drops a timer that finds the queue full",
    lua: `${DRAIN}
      local lost = os.startTimer(0.1)
      for i = 1, 300 do os.queueEvent("n") end
      local t = os.epoch("utc")
      while os.epoch("utc") - t < 400 do end
      local kept = os.startTimer(0.5)
      local seen = {}
      repeat local e, id = os.pullEvent() if e == "timer" then seen[id] = true end until id == kept
      report(seen[lost], seen[kept])`,
    lines: ["nil|true"],
    notInEmulator: "its queue has no end",
  },
  {
    name: "copies queued values",
    lua: `local t = setmetatable({ f = print, s = "a\\0\\255", sub = {} }, { __index = { x = 1 } })
      t.self = t
      os.queueEvent("x", t, print, 5, nil)
      local e = table.pack(os.pullEvent("x"))
      report(e.n, e[2] == t, e[2].self == e[2], e[2].f, e[2].x, #e[2].s, e[2].s:byte(3), e[3], e[4])`,
    lines: ["5|false|true|nil|nil|3|255|nil|5"],
    notInEmulator: "it keeps functions and metatables",
  },
  {
    name: "numbers timers, rounds them to ticks and refuses what is no time",
    lua: `local first = os.startTimer(0)
      local second = os.startTimer(0.07)
      local third = os.startTimer(0.13)
      report(second - first, third - second)
      local sum = 0
      for i = 1, 2 do local _, id = os.pullEvent("timer") sum = sum + id - first end
      report(sum) -- Those of one tick come in any order.
      local _, id = os.pullEvent("timer") report(id - first)
      report((pcall(os.startTimer, 0/0)))`,
    lines: ["1|1", "1", "2", "false"],
    notInEmulator: "its timers are in milliseconds, and it takes NaN",
  },
  {
    name: "still delivers a timer that was cancelled after it had been queued",
    lua: `local a, b = os.startTimer(0.05), os.startTimer(0.05)
      local _, id = os.pullEvent("timer")
      local left = id == a and b or a
      os.cancelTimer(left)
      os.startTimer(0.3)
      local _, other = os.pullEvent("timer")
      report(other == left)`,
    lines: ["true"],
    notInEmulator: "it forgets the timer",
  },
  {
    name: "hands terminate through any filter",
    lua: `os.queueEvent("terminate")
      report(os.pullEventRaw("never"))
      os.queueEvent("terminate")
      report(pcall(os.pullEvent, "never"))
      os.queueEvent("terminate")
      report(pcall(sleep, 5))`,
    lines: ["terminate", "false|Terminated", "false|Terminated"],
  },
  {
    name: "gives every event to every function of parallel",
    lua: `local seen = {}
      local function watch(name) return function()
        for i = 1, 2 do local _, v = os.pullEvent("x") seen[#seen + 1] = name .. v end
      end end
      parallel.waitForAll(watch("a"), watch("b"), function() os.queueEvent("x", 1) os.queueEvent("x", 2) end)
      report(table.concat(seen, " "))
      report(parallel.waitForAny(function() os.pullEvent("never") end, function() end))
      report(pcall(parallel.waitForAny, function() error("boom", 0) end, sleep))`,
    lines: ["a1 b1 a2 b2", "2", "false|boom"],
  },
  {
    name: "turns uncaught errors of parallel into tables from 1.115 on",
    lua: `local co = coroutine.create(function() parallel.waitForAny(function() error("boom", 0) end) end)
      local ok, err = coroutine.resume(co)
      report(type(err), tostring(err))`,
    lines: ({ since }) => [since("1.115.0") ? "table|boom" : "string|boom"],
    notInEmulator: "they are texts in every version",
  },
  {
    name: "throws away what a filter does not want",
    lua: `os.queueEvent("a", 1) os.queueEvent("b", 2) os.queueEvent("c", 3)
      report(os.pullEvent("b")) report(os.pullEvent("c"))
      os.queueEvent("d", 4) sleep(0) os.queueEvent("e", 5)
      -- Programs that ran before may have left timers.
      local event, value repeat event, value = os.pullEvent() until event ~= "timer"
      report(event, value)`,
    lines: ["b|2", "c|3", "e|5"],
  },
  {
    name: "stops os.clock while a program computes",
    lua: `sleep(0)
      local began, ticks, changes = os.epoch("utc"), os.clock(), 0
      while os.epoch("utc") - began < 20 do if os.clock() ~= ticks then changes = changes + 1 ticks = os.clock() end end
      report(changes <= 1, math.abs(ticks * 20 - math.floor(ticks * 20 + 0.5)) < 1e-6)`,
    lines: ["true|true"],
    notInEmulator: "its os.clock is the wall clock",
  },
];
