import { expect, it } from "vitest";
import { newWorld as anyWorld, run } from "./helpers.js";

const newWorld = (options = {}) => anyWorld({ cpuClock: { instructionsPerMs: 1_000 }, ...options });

it("should switch the computer off when the error is swallowed", async () => {
  const world = await newWorld();
  const computer = world.computer();
  await run(computer, "while true do pcall(function() while true do end end) end");
  expect(computer.isOn).toBe(false);
  expect(computer.stats.hardAborts).toBe(1);
  expect(computer.screen.text()).toContain("Error running computer");
  world.tick(100);
  await computer.idle();
  expect(computer.isOn).toBe(false);
  computer.unload();
  computer.load();
  await computer.idle();
  expect(computer.isOn).toBe(false);
  computer.turnOn();
  await computer.until(() => computer.screen.text().includes(">"));
});

it("should measure by the wall clock when asked to", async () => {
  const world = await newWorld({ cpuClock: "real" });
  const lines = await run(
    world.computer(),
    "local n = 0 for i = 1, 2e7 do n = n + i end report(n > 0)",
  );
  expect(lines).toEqual(["true"]);
});

it("should refuse yields from hooks when asked to", async () => {
  const computer = (await newWorld()).computer({ hooksYield: false });
  const lines = await run(
    computer,
    `local co = coroutine.create(function() while true do end end)
     debug.sethook(co, function() coroutine.yield() end, "", 1000)
     report(coroutine.resume(co))`,
  );
  expect(lines).toEqual([
    expect.stringMatching(/^false\|.*attempt to yield across a C-call boundary$/),
  ]);
});

it("should let time pass for a program that computes", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local before = os.epoch("utc")
     for i = 1, 1e6 do end
     local spent = os.epoch("utc") - before
     report(spent >= 900 and spent <= 1100)`,
  );
  expect(lines).toEqual(["true"]);
});

it("should let the wall clock be set while a program computes, and count the limit without it", async () => {
  const world = await newWorld();
  const computer = world.computer();
  computer.attach("back", {
    types: ["clock"],
    methods: { shift: (ms) => world.shiftClock(Number(ms)) },
  });
  const lines = await run(
    computer,
    `local epoch, clock = os.epoch("utc"), os.clock()
     peripheral.call("back", "shift", -3600000)
     local back = epoch - os.epoch("utc")
     report(back > 3590000 and back <= 3600000, os.clock() == clock)
     report(pcall(function() while true do end end))`,
  );
  expect(lines).toEqual([
    "true|true",
    expect.stringMatching(/^false\|.*Too long without yielding$/),
  ]);
});

it("should count short-lived coroutines and hooks that never end against the limit", async () => {
  const world = await newWorld();
  const short = world.computer();
  const lines = await run(
    short,
    `report(pcall(function() while true do coroutine.wrap(function() for i = 1, 1000 do end end)() end end))`,
  );
  expect(lines).toEqual([expect.stringMatching(/^false\|.*Too long without yielding$/)]);
  const nested = world.computer();
  await run(
    nested,
    `local function hook()
       local co = coroutine.create(function() for i = 1, 10 do end end)
       debug.sethook(co, hook, "", 1)
       coroutine.resume(co)
     end
     local co = coroutine.create(function() while true do end end)
     debug.sethook(co, hook, "", 1)
     while true do pcall(coroutine.resume, co) end`,
  );
  expect(nested.isOn).toBe(false);
});

it("should not confuse a new coroutine with a collected one that had a hook", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local mark, strangers = {}, 0
     local function hook()
       for i = 1, 500 do end
       coroutine.yield(mark)
     end
     local function work()
       return (("abcdefgh"):rep(3):gsub("%w", function(c)
         local garbage = {}
         for i = 1, 20 do garbage[i] = {} end
         return c .. c
       end))
     end
     local expected = work()
     for round = 1, 400 do
       local co = coroutine.create(work)
       debug.sethook(co, hook, "", 100)
       for step = 1, round % 50 do
         local _, value = coroutine.resume(co)
         if coroutine.status(co) == "dead" then
           if value ~= expected then strangers = strangers + 1 end
           break
         elseif value ~= mark then
           strangers = strangers + 1
         end
       end
       if round % 20 == 0 then os.queueEvent("on") os.pullEvent("on") end
     end
     report(strangers)`,
  );
  expect(lines).toEqual(["0"]);
});

it("should end a hopeless pattern after seven seconds, in every function that matches", async () => {
  const computer = (await newWorld({ cpuClock: { instructionsPerMs: 100 } })).computer();
  const lines = await run(
    computer,
    `local bomb, text = (".-"):rep(30) .. "b", ("a"):rep(300)
     for name, fn in pairs({
       find = function() text:find(bomb) end,
       match = function() text:match(bomb) end,
       gmatch = function() for _ in text:gmatch(bomb) do end end,
       gsub = function() text:gsub(bomb, "") end,
       callback = function() text:gsub(bomb, function() end) end,
     }) do
       local ok, problem = pcall(fn)
       report(name, ok, (problem:gsub("^.*: ", "")))
       os.queueEvent("on") os.pullEvent("on")
     end`,
  );
  const names = ["callback", "find", "gmatch", "gsub", "match"];
  expect(lines.sort()).toEqual(names.map((name) => `${name}|false|Too long without yielding`));
  expect(computer.isOn).toBe(true);
});

it("should fire hooks between the instructions of programs, not inside native code", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local co = coroutine.create(function()
       for i = 1, 100 do
         os.queueEvent("x", { { {} } })
         table.sort({ 3, 2, 1 }, function(a, b) return a < b end)
         string.gsub("abc", ".", function(c) return c end)
         coroutine.wrap(function() end)()
         string.format("%d", 2 ^ 40)
       end
     end)
     debug.sethook(co, function() coroutine.yield() end, "", 7)
     local fired, inside = 0, {}
     while true do
       coroutine.resume(co)
       if coroutine.status(co) == "dead" then break end
       fired = fired + 1
       local top = debug.traceback(co):match("traceback:%s*(%S-):%d+:")
       if top ~= "/t.lua" then inside[top] = true end
     end
     report(fired > 100, next(inside))`,
  );
  expect(lines).toEqual(["true|nil"]);
});

it("should be able to stop a handler of xpcall that never ends, however deep it is called", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local function busy() while true do end end
     local co = coroutine.create(function() while true do xpcall(busy, busy) end end)
     local fired = 0
     debug.sethook(co, function()
       fired = fired + 1
       if fired == 3 then debug.sethook(function() error("stop", 0) end, "", 1) end
     end, "", 1000)
     report(coroutine.resume(co))
     report(coroutine.status(co))`,
  );
  expect(lines).toEqual(["false|stop", "dead"]);
});
