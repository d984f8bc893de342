import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { game } from "./turtle-game.js";

const stone = "minecraft:stone";
const home = { x: 0, y: 64, z: 0, facing: "north" };

describe("goto", () => {
  it("walks to a place, up first, and turns at the end", async () => {
    const { call, run, body } = await game({ fuel: 100 });
    await call("set-position", home);
    const { text, isError } = await run(["goto 3 66 -4 south"]);
    expect(isError, text).toBeUndefined();
    expect(text).toContain("step 1 (goto 3 66 -4 south): done, 9 moves\n");
    expect(body()).toMatchObject({ position: { x: 3, y: 66, z: -4 }, facing: "south", fuel: 91 });
  });

  it("stays where it is already, and accepts commas", async () => {
    const { call, run, body } = await game({ fuel: 0 });
    await call("set-position", home);
    expect((await run(["goto 0, 64, 0", "face west"])).isError).toBeUndefined();
    expect(body()).toMatchObject({ position: { x: 0, y: 64, z: 0 }, facing: "west" });
  });

  it("reports what it carries at the end", async () => {
    const { run } = await game({ fuel: 5, items: { 3: { name: stone, count: 7 } } });
    const { structuredContent, text } = await run(["up"]);
    expect(structuredContent).toMatchObject({
      returns: [{ value: { slots: [{ slot: 3, name: stone, count: 7 }] } }],
    });
    expect(text).toContain("minecraft:stone");
  });

  it.each([
    ["a wall", wall],
    ["a dead end", deadEnd],
  ])("goes around %s without digging", async (_, build) => {
    const { world, call, run, body } = await game({ fuel: 500 });
    const blocks = build();
    for (const block of blocks) world.blocks.set(block, stone);
    await call("set-position", home);
    const { text, isError } = await run(["goto 0 64 -8"]);
    expect(isError, text).toBeUndefined();
    expect(text).toMatch(/went around \d+ obstacles?/);
    expect(body().position).toEqual({ x: 0, y: 64, z: -8 });
    for (const block of blocks) expect(world.blocks.get(block)?.name).toBe(stone);
  });

  it("digs only when it is asked to, and never inventories", async () => {
    const { world, call, run, body } = await game({ fuel: 500 });
    for (const block of wall()) world.blocks.set(block, stone);
    world.blocks.set({ x: 0, y: 64, z: -3 }, { name: "minecraft:chest", inventory: [] });
    await call("set-position", home);
    const { text, isError } = await run(["goto 0 64 -8 dig"]);
    expect(isError, text).toBeUndefined();
    expect(text).toContain("dug 1, went around 1 obstacle");
    expect(world.blocks.get({ x: 0, y: 64, z: -3 })?.name).toBe("minecraft:chest");
    expect(body().position).toEqual({ x: 0, y: 64, z: -8 });
  });

  it("gives up where the place is occupied or walled in, and says where it is", async () => {
    const { world, call, run } = await game({ fuel: 5_000 });
    world.blocks.set({ x: 0, y: 64, z: -4 }, stone);
    await call("set-position", home);
    const taken = await run(["goto 0 64 -4"]);
    expect(taken.isError).toBe(true);
    expect(taken.text).toContain(texts.stepGotoFailedTheDestination);
    expect(taken.text).toContain(texts.nowAtFacingNorthFuel);
    for (const [x, y, z] of [
      [1, 0, 0],
      [-1, 0, 0],
      [0, 1, 0],
      [0, -1, 0],
      [0, 0, 1],
      [0, 0, -1],
    ]) {
      world.blocks.set({ x: 9 + Number(x), y: 64 + Number(y), z: 9 + Number(z) }, stone);
    }
    const walled = await run(["goto 9 64 9"]);
    expect(walled.isError).toBe(true);
    expect(walled.text).toMatch(new RegExp(texts.failedNoFreeRouteWas));
  });

  it("says what blocks all six sides, what helps, and what not even dig helps against", async () => {
    const { world, call, run } = await game({ fuel: 500 });
    const chest = { name: "minecraft:chest", inventory: [] };
    const sides = [
      { x: 0, y: 64, z: -1 },
      { x: 0, y: 64, z: 1 },
      { x: 1, y: 64, z: 0 },
      { x: -1, y: 64, z: 0 },
      { x: 0, y: 65, z: 0 },
    ];
    for (const side of sides) world.blocks.set(side, stone);
    world.blocks.set({ x: 0, y: 63, z: 0 }, chest);
    await call("set-position", home);
    const walled = await run(["goto 5 64 0"]);
    expect(walled.isError).toBe(true);
    expect(walled.text).toContain(texts.failedAllSixSidesAre);
    expect(walled.text).not.toContain("went around");
    for (const side of sides) world.blocks.set(side, { name: "computercraft:turtle_normal" });
    const spared = await run(["goto 5 64 0 dig"]);
    expect(spared.text).toContain(texts.allSixSidesAreBlocked);
    for (const side of sides) {
      expect(world.blocks.get(side)?.name).toBe("computercraft:turtle_normal");
    }
  });

  it("says before it moves that its place is not known or not certain", async () => {
    const { call, run, body } = await game({ fuel: 50 });
    for (const steps of [
      ["up", "goto 1 64 1"],
      ["up", "face east"],
    ]) {
      const { text, isError } = await run(steps);
      expect(isError).toBe(true);
      expect(text).toContain(texts.isAtAnUnknown);
      expect(text).toContain("Nothing was done.");
      const estimated = await call("turtle-run", { steps, dryRun: true });
      expect(estimated.text).toContain(texts.isAtAnUnknown);
      expect(estimated.text).not.toContain("That is enough");
    }
    await call("set-position", { x: 0, y: 64, z: 0 });
    expect((await run(["goto 1 64 1"])).text).toContain("facing unknown");
    await call("set-position", home);
    body().fuel = 20;
    expect((await run(["goto 1 64 1"])).text).toContain("NOT CERTAIN");
    expect(body().position).toEqual({ x: 0, y: 64, z: 0 });
  });

  it("says before it moves that the fuel is too little", async () => {
    const { call, run, body } = await game({
      fuel: 9,
      items: { 1: { name: "minecraft:coal", count: 1 } },
    });
    await call("set-position", home);
    const { text, isError } = await run(["up 2", "goto 5 64 0 north", "goto 0 64 0"]);
    expect(isError).toBe(true);
    expect(text).toContain(texts.hasFuelButTheseSteps);
    expect(body().position).toEqual({ x: 0, y: 64, z: 0 });
    const refuelled = await run(["refuel", "goto 5 64 0 north", "goto 0 64 0"]);
    expect(refuelled.isError, refuelled.text).toBeUndefined();
    expect((await run(["goto 3000 64 0", "refuel 0"])).text).toContain("it is too far");
  });

  it("stops with the reason when the detour takes more fuel than there is", async () => {
    const { world, call, run } = await game({ fuel: 8 });
    for (const block of wall()) world.blocks.set(block, stone);
    await call("set-position", home);
    const { text, isError } = await run(["goto 0 64 -8"]);
    expect(isError).toBe(true);
    expect(text).toMatch(new RegExp(texts.theRouteTakesFuelBut));
  });

  it("is estimated", async () => {
    const { call, run } = await game({ fuel: 100 });
    await call("set-position", home);
    const { text } = await run(["goto 4 64 4 east", "forward"], { dryRun: true });
    expect(text).toContain("Fuel: 9 needed, 100 available.");
    expect(text).toContain("End: at 5 64 4, facing east.");
  });
});

function wall() {
  const blocks = [];
  for (let x = -2; x <= 2; x++) {
    for (let y = 62; y <= 66; y++) blocks.push({ x, y, z: -3 });
  }
  return blocks;
}

/** A tube that ends in a wall, so that the way out leads back. */
function deadEnd() {
  const blocks = [{ x: 0, y: 64, z: -5 }];
  for (let z = -4; z <= -2; z++) {
    blocks.push({ x: 1, y: 64, z }, { x: -1, y: 64, z }, { x: 0, y: 65, z }, { x: 0, y: 63, z });
  }
  return blocks;
}
