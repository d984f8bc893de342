import { expect, it } from "vitest";
import { allowAll } from "../src/index.js";
import { install, newWorld, reported, run, socketServer } from "./helpers.js";

it("should drop the newest events silently once 256 are waiting", async () => {
  const world = await newWorld();
  const computer = world.computer();
  const lines = await run(
    computer,
    `for i = 1, 300 do os.queueEvent("n", i) end
     os.queueEvent("stop")
     local last, count = 0, 0
     local timer = os.startTimer(0)
     while true do
       local e, v = os.pullEvent()
       if e == "n" then last, count = v, count + 1 elseif e == "timer" then break end
     end
     report(count, last)`,
  );
  expect(lines).toEqual([]);
  world.tick();
  const [line] = reported(computer);
  // The key_up of Enter was waiting too.
  expect(line).toBe("255|255");
  expect(computer.stats.eventsDropped).toBe(46);
});

it("should hold exactly 256 events after it dropped one, and wait then", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `while true do
       local n = 0
       for i = 1, 400 do os.queueEvent("flood") end
       os.queueEvent("mine")
       while n < 256 do
         if os.pullEvent() == "flood" then n = n + 1 end
         if n == 255 then report(255) elseif n == 256 then report(256) end
       end
       os.pullEvent()
       report("a 257th")
     end`,
  );
  // One of the 256 was the key_up of Enter: the program waits for ever, and nothing moves.
  expect(lines).toEqual(["255"]);
  expect(computer.stats).toMatchObject({ queueLength: 0, eventsDropped: 400 - 255 + 1 });
  computer.queueEvent("flood");
  await computer.idle();
  expect(reported(computer)).toEqual(["255", "256"]);
});

it("should drop timers, messages, closed sockets and terminate alike when it is full", async () => {
  const world = await newWorld({ httpRules: allowAll });
  const { url, server } = await socketServer();
  const computer = world.computer();
  await run(
    computer,
    `local ws = assert(http.websocket("${url}"))
     os.startTimer(0)
     os.pullEvent("go")
     local seen = {}
     for i = 1, 256 do os.queueEvent("flood") end
     while not fs.exists("/stop") do
       local event = os.pullEventRaw()
       seen[event] = (seen[event] or 0) + 1
       for i = 1, 2 do os.queueEvent("flood") end
     end
     for event in pairs(seen) do report(event) end`,
  );
  await computer.until(() => computer.stats.websocketsOpen === 1);
  computer.queueEvent("go");
  await computer.until(() => computer.stats.eventsDropped > 0);
  world.tick();
  expect(computer.stats.timersActive).toBe(0);
  computer.terminate();
  for (const client of server.clients) {
    client.send("lost");
    client.terminate();
  }
  await computer.until(() => computer.stats.websocketsOpen === 0);
  computer.fs.write("/stop", "");
  await computer.until(() => reported(computer).length > 0);
  await computer.idle();
  expect(reported(computer)).toEqual(["flood"]);
  expect(computer.isOn).toBe(true);
});

it("should lose functions and metatables of queued tables and keep cycles and bytes", async () => {
  const computer = (await newWorld()).computer();
  const lines = await run(
    computer,
    `local t = setmetatable({ f = print, s = "a\\0\\255", sub = {} }, { __index = { x = 1 } })
     t.self = t
     os.queueEvent("x", t, print, 5, nil)
     local e = table.pack(os.pullEvent("x"))
     report(e.n, e[2] == t, e[2].self == e[2], e[2].f, e[2].x, #e[2].s, e[2].s:byte(3), e[3], e[4])`,
  );
  expect(lines).toEqual(["5|false|true|nil|nil|3|255|nil|5"]);
});

it("should round timers to ticks, count ids on and keep them through a reboot", async () => {
  const world = await newWorld();
  const computer = world.computer();
  install(
    computer,
    `local first = os.startTimer(0)
     local second = os.startTimer(0.07)
     local third = os.startTimer(0.08)
     report(second - first, third - second, first)
     for i = 1, 3 do local _, id = os.pullEvent("timer") report(id - first, os.clock()) end
     report(pcall(os.startTimer, 0/0))`,
    "/startup.lua",
  );
  computer.turnOn();
  await computer.idle();
  world.tick(3);
  const firstBoot = reported(computer);
  expect(firstBoot.slice(1)).toEqual([
    "0|0.05",
    "1|0.05",
    "2|0.1",
    "false|bad argument #1 (number expected, got nan)",
  ]);
  computer.fs.delete("/out");
  world.tick(60);
  computer.reboot();
  await computer.idle();
  const before = Number(firstBoot[0]?.split("|")[2]);
  expect(Number(reported(computer)[0]?.split("|")[2])).toBe(before + 3);
});

it("should still deliver a timer that was cancelled after it had been queued", async () => {
  const world = await newWorld();
  const computer = world.computer();
  await run(
    computer,
    `local a, b = os.startTimer(0.05), os.startTimer(0.05)
     local _, id = os.pullEvent("timer")
     os.cancelTimer(b)
     local _, other = os.pullEvent("timer")
     report(id == a, other == b)`,
  );
  world.tick();
  expect(reported(computer)).toEqual(["true|true"]);
});

it("should hand terminate through any filter and let pullEventRaw survive it", async () => {
  const computer = (await newWorld()).computer();
  await run(
    computer,
    `local e = os.pullEventRaw("never")
     report(e)
     report(pcall(os.pullEvent, "never"))
     report(pcall(sleep, 5))`,
  );
  for (let press = 0; press < 3; press++) computer.terminate();
  await computer.idle();
  expect(reported(computer)).toEqual(["terminate", "false|Terminated", "false|Terminated"]);
});

it("should give every event to every function of parallel and end them on an error", async () => {
  const world = await newWorld();
  const computer = world.computer();
  const lines = await run(
    computer,
    `local seen = {}
     local function watch(name) return function()
       for i = 1, 2 do local _, v = os.pullEvent("x") seen[#seen + 1] = name .. v end
     end end
     parallel.waitForAll(watch("a"), watch("b"), function() os.queueEvent("x", 1) os.queueEvent("x", 2) end)
     report(table.concat(seen, " "))
     report(parallel.waitForAny(function() os.pullEvent("never") end, function() end))
     report(pcall(parallel.waitForAny, function() error("boom", 0) end, sleep))`,
  );
  expect(lines).toEqual(["a1 b1 a2 b2", "2", "false|boom"]);
});

it("should take no events while off", async () => {
  const computer = (await newWorld()).computer();
  expect(computer.queueEvent("x")).toBe(false);
});

it("should count an event that passes no filter as handled but not as a wake-up", async () => {
  const computer = (await newWorld()).computer();
  await run(computer, 'os.pullEvent("wanted")');
  const before = computer.stats;
  computer.queueEvent("unwanted");
  await computer.idle();
  expect(computer.stats.eventsHandled - before.eventsHandled).toBe(1);
});

it("should let parallel's errors be tables from 1.115 on where nobody catches them", async () => {
  const program = `local co = coroutine.create(function() parallel.waitForAny(function() error("boom", 0) end) end)
     local ok, err = coroutine.resume(co)
     report(type(err), tostring(err), select(2, pcall(parallel.waitForAny, function() error("caught", 0) end)))`;
  expect(await run((await newWorld({ version: "1.114.0" })).computer(), program)).toEqual([
    "string|boom|caught",
  ]);
  expect(await run((await newWorld({ version: "1.115.0" })).computer(), program)).toEqual([
    "table|boom|caught",
  ]);
});
