import { describe, expect, it } from "vitest";
import { type StartOptions, startAgent } from "./start-agent.js";

const BUSY = "while true do end";
const CATCHING = `while true do pcall(function() ${BUSY} end) end`;
const HOUR = 3_600_000;

async function start(options: StartOptions = {}) {
  const agent = await startAgent(options);
  agent.computer.attach("back", {
    types: ["clock"],
    methods: { shift: (ms) => agent.world.shiftClock(Number(ms)) },
  });
  return agent;
}

const shift = (ms: number) => `peripheral.call("back", "shift", ${ms})`;

describe("a wall clock that is set while a job computes", () => {
  it.each([
    ["back by 8 seconds", shift(-8_000)],
    ["back by an hour", shift(-HOUR)],
    ["forward by 8 seconds", shift(8_000)],
    ["forward by an hour", shift(HOUR)],
    ["forward and back", `${shift(HOUR)} ${shift(-HOUR)}`],
  ])("%s: the job continues in slices and can be cancelled", async (_name, set) => {
    await using agent = await start();
    const link = await agent.link();
    for (const code of [`${set} ${BUSY}`, `${set} ${CATCHING}`]) {
      const id = link.send("exec-lua", { code });
      for (let slice = 0; slice < 3; slice++) await link.request("ping");
      link.cancel(id);
      expect(await link.response(id)).toMatchObject({ ok: false, error: "cancelled" });
    }
    expect(agent.computer.stats).toMatchObject({ hardAborts: 0, softAborts: 0, boots: 1 });
  });

  it("back again and again: the job continues in slices", async () => {
    await using agent = await start();
    const link = await agent.link();
    const id = link.send("exec-lua", { code: `while true do ${shift(-60_000)} end` });
    for (let slice = 0; slice < 3; slice++) await link.request("ping");
    link.cancel(id);
    expect(await link.response(id)).toMatchObject({ ok: false, error: "cancelled" });
    expect(agent.computer.stats).toMatchObject({ hardAborts: 0, softAborts: 0, boots: 1 });
  });

  it.each([
    ["back by an hour", -HOUR],
    ["forward by an hour", HOUR],
  ])("%s: code that cannot be taken off the processor is stopped in time", async (_name, ms) => {
    await using agent = await start({ computer: { hooksYield: false } });
    const link = await agent.link();
    const answer = await link.exec(`${shift(ms)} ${CATCHING}`);
    expect(answer).toMatchObject({ ok: false, error: expect.stringContaining("ran for 5 s") });
    expect(agent.computer.stats).toMatchObject({ hardAborts: 0, softAborts: 0, boots: 1 });
  });

  it.each([
    ["back by an hour", -HOUR],
    ["forward by an hour", HOUR],
  ])("%s: code that takes two seconds is not stopped for it", async (_name, ms) => {
    await using agent = await start({ computer: { hooksYield: false } });
    const link = await agent.link();
    const answer = await link.exec(`${shift(ms)} for i = 1, 2500000 do end return "through"`);
    expect(answer).toMatchObject({ ok: true, result: { returns: [{ value: "through" }] } });
  });
});

describe("a wall clock that is set while nothing happens", () => {
  it.each([
    ["back", -HOUR],
    ["forward", HOUR],
  ])("%s: the link stays, and jobs run as before", async (_name, ms) => {
    await using agent = await start();
    const link = await agent.link();
    await agent.shows("linked");
    for (let beat = 0; beat < 4; beat++) {
      agent.world.shiftClock(ms);
      await agent.world.advance(15_000);
      expect(await link.exec("print('a') return 1")).toMatchObject({ ok: true });
    }
    expect(agent.bridge.links).toHaveLength(1);
  });
});

describe("a tick clock that goes back, as that of CraftOS-PC does with the wall clock", () => {
  const files = {
    "/run.lua": `local clock = os.clock
      os.clock = function() return clock() + (_G.shift or 0) end
      shell.run("mcp-computer", ...)`,
  };

  it("delays neither output nor the end of a dead link", async () => {
    await using agent = await startAgent({ computer: { files }, command: (url) => `run ${url}\n` });
    const link = await agent.link();
    const id = link.send("exec-lua", {
      code: "print('a') sleep(1) _G.shift = -3600 print('b') sleep(1000)",
    });
    await agent.world.advance(2_000);
    await link.until("output", () => link.outputs(id).some(({ text }) => text.includes("b")));
    await agent.world.advance(47_500);
    await link.until("close", () => link.closed);
  });
});

it("says in its pongs for how long the world has stood still", async () => {
  await using agent = await start();
  const link = await agent.link();
  const pong = async () => {
    const id = link.send("ping");
    await link.response(id);
    return JSON.parse(link.texts.find((text) => text.includes(id)) ?? "") as { pausedMs?: number };
  };
  expect(await pong()).not.toHaveProperty("pausedMs");
  agent.world.shiftClock(15_000);
  expect((await pong()).pausedMs).toBeGreaterThanOrEqual(15_000);
  agent.world.shiftClock(15_000);
  expect((await pong()).pausedMs).toBeGreaterThanOrEqual(30_000);
  await agent.world.advance(50);
  expect(await pong()).not.toHaveProperty("pausedMs");
});
