import { expect, it } from "vitest";
import { newWorld as anyWorld, reported, run } from "./helpers.js";

/** Seven seconds pass in a fraction of one. */
const newWorld = (options = {}) => anyWorld({ cpuClock: { instructionsPerMs: 1_000 }, ...options });

it("should raise one catchable error after seven seconds", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local ok, err = pcall(function()
       while true do end
     end)
     report(ok, err)`,
  );
  expect(lines).toEqual(["false|/t.lua:2: Too long without yielding"]);
  expect(computer.stats.softAborts).toBe(1);
  expect(computer.isOn).toBe(true);
});

it("should raise it in whatever coroutine runs, and share the budget between them", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local co = coroutine.create(function() while true do end end)
     report(coroutine.resume(co))
     report(coroutine.status(co))`,
  );
  expect(lines).toEqual(["false|/t.lua:1: Too long without yielding", "dead"]);
});

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

it("should give a fresh budget to the next event", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `for i = 1, 3 do
       local ok, err = pcall(function() while true do end end)
       report(i, ok)
       os.queueEvent("go")
       os.pullEvent("go")
     end`,
  );
  expect(lines).toEqual(["1|false", "2|false", "3|false"]);
  expect(computer.stats.softAborts).toBe(3);
  expect(computer.isOn).toBe(true);
});

it("should measure by the wall clock when asked to", async () => {
  const world = await newWorld({ cpuClock: "real" });
  const lines = await run(
    world.computer(),
    "local n = 0 for i = 1, 2e7 do n = n + i end report(n > 0)",
  );
  expect(lines).toEqual(["true"]);
});

it("should let a count hook yield and go on where the code was", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local ticks = 0
     local co = coroutine.create(function(a, b)
       local sum = 0
       for i = 1, 100000 do sum = sum + i + select("#", table.unpack({ 1, 2, 3 })) end
       return a, b, sum
     end)
     debug.sethook(co, function(event) ticks = ticks + 1 report(coroutine.yield("pre", event)) end, "", 500000)
     report(coroutine.resume(co, "x", "y"))
     while coroutine.status(co) ~= "dead" do report(coroutine.resume(co, "answer")) end
     report(ticks)`,
  );
  expect(lines).toEqual([
    "true|pre|count",
    "answer",
    "true|pre|count",
    "answer",
    "true|x|y|5000350000",
    "2",
  ]);
});

it("should raise a hook's error inside the hooked code, where its own pcall can catch it", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local n = 0
     local co = coroutine.create(function()
       local ok, err = pcall(function() while true do end end)
       report("inner", ok, err)
       while true do end
     end)
     debug.sethook(co, function() n = n + 1 error("stop " .. n, 0) end, "", 1000)
     report(coroutine.resume(co))`,
  );
  expect(lines).toEqual(["inner|false|stop 1", "false|stop 2"]);
});

it("should fire no hook again in a coroutine whose hook yielded and then failed", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local fired = 0
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
  );
  expect(lines).toEqual([
    "true|pre",
    "false|stop",
    "true",
    "untouched|1",
    "true|pre",
    "true",
    "dead|2",
  ]);
});

it("should fire the hook that one which yielded sets in its place, until it has its way", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local function raise() error("stop", 0) end
     local co = coroutine.create(function()
       while true do report(pcall(function() while true do end end)) end
     end)
     debug.sethook(co, function() coroutine.yield("pre") debug.sethook(raise, "", 1) end, "", 1000)
     report(coroutine.resume(co))
     report(coroutine.resume(co))`,
  );
  // At every instruction: the pcall that caught it has no time to say so.
  expect(lines).toEqual(["true|pre", "false|stop"]);
});

it("should switch off a computer that is left without hooks and swallows the time limit", async () => {
  const computer = (await newWorld()).computer();
  await run(
    computer,
    `local co = coroutine.create(function() while true do pcall(function() while true do end end) end end)
     debug.sethook(co, function() coroutine.yield() error("Terminated", 0) end, "", 1000)
     coroutine.resume(co)
     coroutine.resume(co)`,
  );
  expect(computer.isOn).toBe(false);
  expect(computer.stats).toMatchObject({ softAborts: 1, hardAborts: 1 });
});

it("should pass hook yields through pcall, sort, gsub, metamethods and iterators", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local function busy() local n = 0 for i = 1, 3000 do n = n + i end return n end
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
  );
  expect(lines).toEqual(["1 2 3 4 5 6 7 8 9 10", "A-B-C", "indexed", "1", "true|done|true"]);
});

it("should not hand a hook down to coroutines that the hooked code makes", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local hits = 0
     local co = coroutine.create(function()
       local inner = coroutine.wrap(function() for i = 1, 50000 do end return hits end)
       return inner()
     end)
     debug.sethook(co, function() hits = hits + 1 end, "", 1000)
     report(coroutine.resume(co))`,
  );
  expect(lines).toEqual(["true|0"]);
});

it("should tell a hook that it runs in the hooked coroutine", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local co
     co = coroutine.create(function() for i = 1, 5000 do end end)
     debug.sethook(co, function() debug.sethook() report(coroutine.running() == co) end, "", 1000)
     coroutine.resume(co)
     report(coroutine.status(co), (debug.gethook(co)))`,
  );
  expect(lines).toEqual(["true", "dead|nil"]);
  expect(reported(computer)).toHaveLength(2);
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

it("should fire a hook at every instruction when asked to, set from inside the hook", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local calls = 0
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
  );
  expect(lines).toEqual(["false|again and again", "2"]);
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

it("should count instructions towards a hook through yields", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local hits = 0
     local co = coroutine.create(function() while true do for i = 1, 100 do end coroutine.yield() end end)
     debug.sethook(co, function() hits = hits + 1 end, "", 1000)
     for i = 1, 100 do coroutine.resume(co) end
     report(hits >= 9 and hits <= 12)`,
  );
  expect(lines).toEqual(["true"]);
});

it("should not take a new coroutine for a collected one that had a hook", async () => {
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

it("should fire hooks between the instructions of programs, not inside of what is native", async () => {
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
