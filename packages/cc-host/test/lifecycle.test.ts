import { expect, it } from "vitest";
import { texts } from "../../../vitest.texts.js";
import { allowAll, screenContains } from "../src/index.js";
import { install, newWorld, reported, run, socketServer } from "./helpers.js";

it("should run no Lua and drop its sockets when the chunk unloads, and boot afresh on load", async () => {
  let closeCode = 0;
  const { url } = await socketServer((socket) => {
    socket.on("close", (code) => {
      closeCode = code;
    });
  });
  const world = await newWorld({ httpRules: allowAll });
  const computer = world.computer();
  install(
    computer,
    `report("boot") ws = http.websocket("${url}") while true do report(os.pullEventRaw()) end`,
    "/startup.lua",
  );
  computer.turnOn();
  await computer.until(() => computer.stats.websocketsOpen === 1);
  computer.unload();
  await computer.until(() => closeCode === 1006);
  expect(computer.isOn).toBe(false);
  computer.queueEvent("x");
  world.tick(5);
  await computer.idle();
  expect(reported(computer)).toEqual(["boot"]);
  computer.load();
  await computer.until(() => computer.stats.websocketsOpen === 1);
  expect(reported(computer)).toEqual(["boot", "boot"]);
  expect(computer.stats.boots).toBe(2);
});

it("should stay off after load if it was off, and in 1.110.0 always", async () => {
  const world = await newWorld();
  const computer = world.computer();
  computer.unload();
  computer.load();
  await computer.idle();
  expect(computer.isOn).toBe(false);
  const forgetful = world.computer({ version: "1.110.0" });
  forgetful.turnOn();
  await forgetful.idle();
  forgetful.unload();
  forgetful.load();
  await forgetful.idle();
  expect(forgetful.isOn).toBe(false);
});

it("should reboot from inside and outside, but not within 50 ticks of the last start", async () => {
  const world = await newWorld();
  const computer = world.computer();
  await run(computer, "os.reboot()");
  expect(computer.isOn).toBe(false);
  world.tick(49);
  await computer.idle();
  expect(computer.isOn).toBe(false);
  world.tick(1);
  await computer.idle();
  expect(computer.isOn).toBe(true);
  expect(computer.stats.boots).toBe(2);
  world.tick(50);
  computer.reboot();
  await computer.idle();
  expect(computer.stats.boots).toBe(3);
});

it("should accept no events while a shutdown is pending, and forget timers and outputs", async () => {
  const world = await newWorld();
  const computer = world.computer();
  computer.turnOn();
  await computer.idle();
  await run(
    computer,
    'redstone.setOutput("top", true) os.startTimer(10) os.pullEvent("stop") os.shutdown()',
  );
  expect(computer.redstone.output("top")).toBe(15);
  computer.queueEvent("stop");
  computer.queueEvent("late");
  await computer.idle();
  expect(computer.isOn).toBe(false);
  expect(computer.redstone.output("top")).toBe(0);
  expect(computer.stats.timersActive).toBe(0);
});

it("should follow the wall clock in real time", async () => {
  const world = await newWorld({ time: "real" });
  const computer = world.computer();
  await run(computer, "sleep(0.1) report(os.clock() >= 0.1)");
  await computer.until(() => reported(computer).length === 1);
  expect(reported(computer)).toEqual(["true"]);
});

it("should carry many computers at once", async () => {
  const world = await newWorld();
  const computers = Array.from({ length: 50 }, () => world.computer());
  for (const computer of computers) {
    install(computer, "sleep(1) report(os.getComputerID())", "/startup.lua");
    computer.turnOn();
  }
  await Promise.all(computers.map((computer) => computer.idle()));
  world.tick(20);
  expect(computers.map((computer) => reported(computer)[0])).toEqual(
    computers.map((computer) => String(computer.id)),
  );
});

it("should type as fast as the program reads, never losing a key", async () => {
  const computer = (await newWorld()).computer();
  computer.turnOn();
  computer.type(`lua\n${"-".repeat(2)}${"x".repeat(400)}\nexit()\n`);
  await computer.idle();
  expect(computer.stats.eventsDropped).toBe(0);
  expect(computer.screen.text()).toMatch(/lua> exit\(\)\n>$/);
});

it("should report what it waited for", async () => {
  const computer = (await newWorld()).computer();
  computer.turnOn();
  await expect(computer.until(() => false, 50)).rejects.toThrow(texts.didNotReachTheState);
});

it("should find text on the screen across line breaks", async () => {
  const computer = (await newWorld()).computer({ kind: "pocket" });
  await run(computer, 'print("a sentence that does not fit on one line of a pocket")');
  await computer.until(screenContains("does not fit on one line of a pocket"));
  expect(screenContains(/no such text/)(computer)).toBe(false);
});

it("should advance game time until a condition holds, and time out", async () => {
  const world = await newWorld();
  const computer = world.computer();
  await run(computer, 'sleep(12) print("awake")');
  const before = world.ticks;
  await world.advanceUntil(() => screenContains("awake")(computer));
  expect(world.ticks - before).toBe(240);
  await expect(world.advanceUntil(() => false, 100)).rejects.toThrow("not reached within 100 ms");
});
