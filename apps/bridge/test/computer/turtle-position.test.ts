import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { game } from "./turtle-game.js";

const coal = (count: number) => ({ name: "minecraft:coal", count });
const home = { x: 0, y: 64, z: 0, facing: "north" };

describe("set-position", () => {
  it.each([
    [{ x: 1, y: 2 }, "x, y and z are all needed."],
    [{}, "x, y and z are all needed."],
    [{ gps: true, x: 1 }, "With gps, x, y and z must be left out"],
    [{ x: 1, y: 2, z: 3.5 }, "Correct this and call"],
    [{ x: 1, y: 2, z: 3, facing: "up" }, "Correct this and call"],
    [{ gps: true }, "gps found no position: the turtle needs a wireless modem"],
  ])("with %j says what is missing", async (args, problem) => {
    const { call, place } = await game();
    const { text, isError } = await call("set-position", args);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
    expect((await place()).position).toBeNull();
  });

  it("takes the position from gps, and a facing from the player", async () => {
    const { call, place } = await game();
    await call("exec-lua", { code: "_G.gps.locate = function() return 7, 65.0, -9 end" });
    const { text } = await call("set-position", { gps: true });
    expect(text).toContain("is at 7 65 -9, facing unknown.");
    expect(text).toContain("give facing as well");
    await call("set-position", { gps: true, facing: "west" });
    expect(await place()).toMatchObject({
      position: { x: 7, y: 65, z: -9 },
      facing: "west",
      certain: true,
    });
    await call("set-position", { x: 1, y: 2, z: 3 });
    expect(await place()).toMatchObject({ position: { x: 1, y: 2, z: 3 }, facing: "west" });
  });

  it("gives a position up when it moves ahead without a facing", async () => {
    const { call, run, place } = await game({ fuel: 10 });
    await call("set-position", { x: 1, y: 2, z: 3 });
    await run(["up"]);
    expect((await place()).position).toEqual({ x: 1, y: 3, z: 3 });
    await run(["forward"]);
    expect(await place()).toMatchObject({
      position: null,
      certain: false,
      note: texts.itMovedForwardWhileIts,
    });
  });
});

describe("the position", () => {
  it("follows moves by exec-lua", async () => {
    const { call, place, body } = await game({ fuel: 50, items: { 1: coal(1) } });
    await call("set-position", home);
    const code =
      "turtle.turnLeft() turtle.forward() turtle.refuel(1) turtle.up() return turtle.back()";
    expect((await call("exec-lua", { code })).text).toContain("Returned: true");
    expect(await place()).toMatchObject({
      position: body().position,
      facing: "west",
      certain: true,
    });
    expect(body().position).toEqual({ x: 0, y: 65, z: 0 });
  });

  it("survives code that gives up on its own moves", async () => {
    const { call, place, body } = await game({ fuel: 50 });
    await call("set-position", home);
    for (const op of ["forward", "turnLeft", "up", "turnRight"]) {
      await call("exec-lua", {
        code: `parallel.waitForAny(function() turtle.${op}() turtle.${op}() end, function() sleep(0.2) end)`,
      });
      expect(await place()).toMatchObject({
        position: body().position,
        facing: body().facing,
        certain: true,
      });
    }
  });

  it("is in doubt when the turtle was moved by other means, until it is set again", async () => {
    const { call, run, place, body } = await game({ fuel: 50 });
    await call("set-position", home);
    body().position = { x: 0, y: 64, z: 5 };
    body().fuel = 45;
    expect(await place()).toMatchObject({
      certain: false,
      note: texts.itsFuelWentFromTo,
    });
    expect((await call("turtle-status")).text).toContain("but NOT CERTAIN");
    expect((await run(["up"])).structuredContent).toMatchObject({
      returns: [{ value: { certain: false } }],
    });
    await call("set-position", { x: 0, y: 65, z: 5, facing: "north" });
    expect(await place()).toMatchObject({ certain: true });
  });

  it("is kept over a reboot, and so is a doubt", async () => {
    const { call, run, place, body, restart } = await game({ fuel: 50 });
    await call("set-position", home);
    await run(["forward 3", "turnRight"]);
    await restart();
    expect(await place()).toMatchObject({
      position: { x: 0, y: 64, z: -3 },
      facing: "east",
      certain: true,
    });
    body().fuel = 1;
    await place();
    await restart();
    expect(await place()).toMatchObject({ certain: false });
  });

  it("is never wrong after a crash at any moment of a run", async () => {
    const { world, call, run, place, body, restart } = await game({ fuel: 1_000 });
    let [certain, doubtful] = [0, 0];
    for (let ticks = 1; ticks <= 40; ticks += 3) {
      const { position, facing } = body();
      await call("set-position", { ...position, facing });
      await run(["forward", "turnRight", "up", "back", "turnLeft 2"], { waitMs: 0 });
      world.tick(ticks);
      await restart();
      const known = await place();
      expect(known.position).toEqual(body().position);
      if (known.certain) {
        certain += 1;
        expect(known.facing).toBe(body().facing);
      } else {
        doubtful += 1;
        expect(known.note).toMatch(new RegExp(texts.stoppedWhileItWas));
        expect(known.note).toContain(body().facing);
      }
    }
    expect(certain).toBeGreaterThan(3);
    expect(doubtful).toBeGreaterThan(1);
  });

  it("is settled by the fuel after a crash between a move and its answer", async () => {
    const { world, computer, call, run, place, body, restart } = await game({ fuel: 50 });
    await call("set-position", home);
    world.blocks.isLoaded = ({ z }) => {
      if (z === -3) computer.unload();
      return true;
    };
    await run(["forward 9"], { waitMs: 0 });
    await world.advanceUntil(() => !computer.isLoaded);
    world.blocks.isLoaded = () => true;
    expect(body()).toMatchObject({ position: { z: -3 }, fuel: 47 });
    await restart(() => computer.load());
    expect(await place()).toMatchObject({
      position: { x: 0, y: 64, z: -3 },
      facing: "north",
      certain: true,
    });
  });

  const record = { certain: true, facing: "north", fuel: 100, seq: 8, x: 0, y: 64, z: 0 };
  const at = (...records: unknown[]) =>
    Object.fromEntries(
      records.map((each, index) => [
        `/.mcp-computer.at-${index + 1}`,
        typeof each === "string" ? each : JSON.stringify(each),
      ]),
    );

  it.each([
    [
      "it had moved",
      at({ ...record, moving: "forward" }),
      99,
      { certain: true, position: { z: -1 } },
    ],
    [
      "it had not",
      at({ ...record, moving: "forward" }),
      100,
      { certain: true, position: { z: 0 } },
    ],
    [
      "nobody can tell",
      at({ ...record, moving: "forward" }),
      42,
      { certain: false, note: expect.stringContaining("interrupted while moving forward") },
    ],
    [
      "it was turning",
      at({ ...record, moving: "turnLeft" }),
      100,
      { certain: false, note: "the computer stopped while it was turning: it faces north or west" },
    ],
    [
      "fuel is unlimited",
      at({ ...record, fuel: "unlimited", moving: "up" }),
      "unlimited" as const,
      { certain: false },
    ],
    [
      "the later file counts",
      at({ ...record, y: 1 }, { ...record, seq: 9, y: 2 }),
      100,
      { position: { y: 2 } },
    ],
    [
      "a write was cut off",
      at({ ...record, y: 1 }, '{"certain":true,"fac'),
      100,
      { certain: true, position: { y: 1 } },
    ],
    ["both files are broken", at("", "?"), 100, { certain: false, position: null }],
    ["a file makes no sense", at({ ...record, x: "a" }), 100, { certain: false, position: null }],
  ])("after a crash when %s", async (_, files, fuel, expected) => {
    const { place } = await game({ fuel }, { files });
    expect(await place()).toMatchObject(expected);
  });

  it("says that a full disk will forget it, and does not leave an old one there", async () => {
    const { call, run, place, computer, restart } = await game({ fuel: 50 });
    await call("set-position", home);
    // Even the smallest file takes 500 bytes, so these two must be removed first.
    for (const n of [1, 2]) computer.fs.delete(`/.mcp-computer.at-${n}`);
    computer.fs.write("/filler", "x".repeat(computer.fs.freeSpace));
    await run(["forward", "turnLeft"]);
    expect(await place()).toMatchObject({
      position: { z: -1 },
      facing: "west",
      certain: true,
      note: texts.itCouldNotBeSaved,
    });
    await restart();
    expect(await place()).toMatchObject({ position: null, certain: false });
  });
});
