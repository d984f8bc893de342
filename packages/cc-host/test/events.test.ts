import { expect, it } from "vitest";
import { allowAll } from "../src/index.js";
import { install, newWorld, reported, run, socketServer } from "./helpers.js";

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
    "1|0.05",
    "0|0.05",
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

it("should accept no events while off", async () => {
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
