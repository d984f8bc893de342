import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { game } from "./turtle-game.js";

const stone = "minecraft:stone";
const coal = (count: number) => ({ name: "minecraft:coal", count });
const home = { x: 0, y: 64, z: 0, facing: "north" };

describe("turtle-status", () => {
  it("shows fuel, slots, and that its position is unknown", async () => {
    const { call } = await game({ fuel: 80, items: { 3: coal(5) } });
    const { text, structuredContent } = await call("turtle-status");
    expect(text).toBe(
      [
        texts.computerLabelBaseTurtleIsAt,
        "Fuel: 80 of 20000",
        texts.toolsLeftUnknownRightUnknown,
        "Selected slot: 1",
        "Slots: [3] 5 minecraft:coal",
      ].join("\n"),
    );
    expect(structuredContent).toMatchObject({
      fuel: 80,
      fuelLimit: 20_000,
      selected: 1,
      slots: [{ slot: 3, item: "minecraft:coal", count: 5 }],
      equipped: null,
      position: null,
      facing: null,
      certain: false,
      running: false,
    });
  });

  it.each([
    ["1.100.0", null],
    ["1.116.0", { left: "minecraft:diamond_pickaxe", right: null }],
  ])("shows tools as far as CC %s reports them, and unlimited fuel", async (version, equipped) => {
    const { call } = await game({ fuel: "unlimited" }, { version });
    const { text, structuredContent } = await call("turtle-status");
    expect(structuredContent).toMatchObject({ equipped, fuel: "unlimited" });
    expect(text).toContain("Fuel: unlimited\n");
    expect(text).toContain("All 16 slots are empty.");
  });

  it.each([
    ["turtle-status", {}],
    ["turtle-run", { steps: ["up"] }],
    ["set-position", { x: 1, y: 2, z: 3 }],
  ])("is for turtles only, as is %s", async (tool, args) => {
    const { call } = await game({}, { kind: "computer" });
    const { text, isError } = await call(tool, args);
    expect(isError).toBe(true);
    expect(text).toContain(texts.isNotATurtleBut);
  });
});

describe("turtle-run", () => {
  it("does steps in order and reports where it ends", async () => {
    const { world, call, run, body } = await game({ fuel: 100, items: { 2: coal(1) } });
    world.blocks.set({ x: 0, y: 64, z: -3 }, { name: stone, state: { axis: "y" } });
    await call("set-position", home);
    const steps = [
      "forward 2",
      "inspect",
      "DIG",
      "forward",
      "turnRight",
      "up",
      "detect",
      "select 2",
    ];
    const { text, structuredContent, isError } = await run(steps);
    expect(isError).toBeUndefined();
    expect(text).toContain('step 2 (inspect): minecraft:stone {"axis":"y"}\n');
    expect(text).toContain("step 7 (detect): false\n");
    expect(structuredContent).toMatchObject({
      state: "done",
      returns: [
        {
          value: {
            stepsDone: 8,
            fuel: 96,
            selected: 2,
            position: { x: 0, y: 65, z: -3 },
            facing: "east",
            certain: true,
          },
        },
      ],
    });
    expect(body()).toMatchObject({ position: { x: 0, y: 65, z: -3 }, facing: "east", fuel: 96 });
    expect(body().slots.get(1)).toMatchObject({ name: stone });
  });

  it("stops at the first failure with the reason, the step and the state there", async () => {
    const { world, call, run, body } = await game({ fuel: 100 });
    world.blocks.set({ x: 0, y: 64, z: -3 }, stone);
    await call("set-position", home);
    const { text, structuredContent, isError } = await run(["up", "down", "forward 5", "turnLeft"]);
    expect(isError).toBe(true);
    expect(text).toContain(texts.failedOnLabelBaseTurtleStep);
    expect(text).toContain(texts.stepForwardFailedNowAt);
    expect(text.split("obstructed")).toHaveLength(2);
    expect(text).not.toContain("Returned");
    expect(text).toContain(texts.theStepsBeforeItAre);
    expect(structuredContent).toMatchObject({
      state: "failed",
      error: { code: "turtle-stopped" },
      returns: [
        { value: { failedStep: 3, timesDone: 2, reason: expect.stringContaining("obstructed") } },
      ],
    });
    expect(body().facing).toBe("north");
  });

  it.each([
    [{ fuel: 1 }, ["forward 2"], "step 1 (forward 2) failed after 1 of 2: Out of fuel"],
    [{ fuel: 9 }, ["dig"], "step 1 (dig) failed: Nothing to dig here"],
    [{ fuel: 9, tool: false }, ["dig"], "No tool to dig with"],
    [{ fuel: 9 }, ["place"], "No items to place"],
    [{ fuel: 9 }, ["refuel"], "No items to combust"],
    [{ fuel: 9 }, ["suck 3"], "No items to take"],
    [{ fuel: 9 }, ["craft 1"], "this turtle has no craft"],
  ])("with %j fails at %j", async (turtle, steps, problem) => {
    const { run } = await game(turtle);
    const { text, isError } = await run(steps);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
  });

  it.each([
    [
      ["forward", "fly 3"],
      'Step 2 is not valid: there is no step "fly". Steps are: goto, face, forward, back',
    ],
    [["forward 0"], "forward takes a number from 1 to 1000"],
    [["forward 1.5"], "forward takes a number"],
    [["forward two"], "forward takes a number"],
    [["dig 5"], "dig takes no number"],
    [["select"], "select needs a slot from 1 to 16, or an item such as diamond"],
    [["select diamond 2"], "select takes the name of an item, as in select diamond"],
    [["drop diamond 0"], "drop takes the name of an item and then a number from 1 to 1024"],
    [["drop diamond 1 2"], "as in drop diamond 3"],
    [["suck diamond"], "suck takes a number of items"],
    [["select 17"], "select needs a slot from 1 to 16"],
    [["transferTo 2 65"], "transferTo takes a number of items from 1 to 64"],
    [["drop 65"], "drop takes a number of items"],
    [["sleep 61"], "sleep needs seconds"],
    [[], "Correct this and call"],
  ])("refuses %j before anything is done", async (steps, problem) => {
    const { run, body } = await game({ fuel: 10 });
    const { text, isError } = await run(steps);
    expect(isError).toBe(true);
    expect(text).toContain(problem);
    expect(body().position).toEqual({ x: 0, y: 64, z: 0 });
  });

  it("digs a tunnel in rounds, and continues when a `try` step fails", async () => {
    const { world, run, body } = await game({ fuel: 100 });
    for (const z of [-1, -3]) world.blocks.set({ x: 0, y: 64, z }, stone);
    const { text } = await run(["try dig", "forward"], { rounds: 4 });
    expect(text).toContain("round 1, step 1 (try dig): done");
    expect(text).toContain(texts.roundStepTryDigNot);
    expect(body().position).toEqual({ x: 0, y: 64, z: -4 });
    expect(body().slots.get(1)).toEqual({ name: stone, count: 2 });
  });

  it("moves items: refuel, suck, drop, transferTo, place", async () => {
    const { world, run, body } = await game({ items: { 1: coal(3) } });
    const inventory = [{ name: stone, count: 10 }, undefined, undefined];
    world.blocks.set({ x: 0, y: 65, z: 0 }, { name: "minecraft:chest", inventory });
    const steps = [
      "refuel 2",
      "select 2",
      "suckUp 4",
      "transferTo 5 1",
      "dropUp 1",
      "place",
      "compare",
    ];
    const { text, isError } = await run(steps);
    expect(isError, text).toBeUndefined();
    expect(text).toContain("step 7 (compare): true");
    expect(body().fuel).toBe(160);
    expect(body().slots.get(2)).toEqual({ name: stone, count: 1 });
    expect(body().slots.get(5)).toEqual({ name: stone, count: 1 });
    expect(world.blocks.get({ x: 0, y: 64, z: -1 })?.name).toBe(stone);
  });

  it("selects, drops and burns by item, from any slots, and says how many", async () => {
    const diamond = (count: number) => ({ name: "minecraft:diamond", count });
    const { world, run, body } = await game({
      fuel: 0,
      items: {
        1: { name: "minecraft:diamond_ore", count: 9 },
        2: diamond(3),
        7: diamond(2),
        9: coal(4),
      },
    });
    const inventory = [undefined, undefined, undefined];
    world.blocks.set({ x: 0, y: 64, z: -1 }, { name: "minecraft:chest", inventory });
    const { text, isError } = await run([
      "drop diamond 4",
      "refuel coal 1",
      "refuel minecraft:coal 2",
      "select diamond",
      "drop",
      "try drop diamond",
      "select coal",
    ]);
    expect(isError, text).toBeUndefined();
    expect(text).toContain("step 1 (drop diamond 4): dropped 4 minecraft:diamond\n");
    expect(text).toContain("step 2 (refuel coal 1): done, fuel 80\n");
    expect(text).toContain("step 3 (refuel minecraft:coal 2): done, fuel 240\n");
    expect(text).toContain("step 4 (select diamond): slot 7, 1 minecraft:diamond\n");
    expect(text).toContain("step 5 (drop): dropped 1 minecraft:diamond\n");
    expect(text).toContain(texts.notDoneItCarriesNo);
    expect(text).toContain(
      "; fuel 240; slot 9 selected\n| Slots: [1] 9 minecraft:diamond_ore, [9] 1",
    );
    expect(text).not.toContain("Returned");
    expect(body().slots.get(2)).toBeUndefined();
    const more = await run(["drop coal 5"]);
    expect(more.text).toContain("dropped 1 of 5 minecraft:coal");
  });

  it("says why items were not dropped, and keeps the selected slot", async () => {
    const { world, run } = await game({ items: { 3: coal(4) } });
    const full = [{ name: stone, count: 64 }];
    world.blocks.set({ x: 0, y: 64, z: -1 }, { name: "minecraft:chest", inventory: full });
    const { text, isError } = await run(["drop coal"]);
    expect(isError).toBe(true);
    expect(text).toContain(texts.stepDropCoalFailedNo);
    expect(text).toContain("slot 1 selected\n| Slots: [3] 4 minecraft:coal");
  });

  it("continues as a job, streams its steps, blocks other drivers, and can be cancelled", async () => {
    const { bridge, world, call, run, place, body } = await game({ fuel: 1_000 });
    await call("set-position", home);
    const { structuredContent } = await run(["turnLeft", "forward 500"], { waitMs: 0 });
    const { jobId } = structuredContent as { jobId: string };
    const job = bridge.registry.jobs.get(jobId);
    await world.advanceUntil(
      () => job?.output.toString().includes("(forward 500): 16 of 500") === true,
    );
    const other = await run(["up"]);
    expect(other.isError).toBe(true);
    expect(other.text).toContain(texts.anotherTurtleRunIs);
    expect((await call("turtle-status")).text).toContain(texts.aTurtleRunIs);
    expect((await call("set-position", { x: 1, y: 2, z: 3 })).text).toContain(
      texts.aTurtleRunIsMoving,
    );
    expect((await call("cancel-job", { jobId })).text).toContain("Cancelled on ");
    const { position, facing, certain } = await place();
    expect({ position, facing }).toEqual({ position: body().position, facing: body().facing });
    expect(certain).toBe(true);
    expect((await run(["up"])).isError).toBeUndefined();
  });

  it("knows its facing after a turn that was cancelled half-way", async () => {
    const { bridge, world, call, run, place, body } = await game({ fuel: 10 });
    await call("set-position", home);
    for (let tick = 0; tick < 12; tick++) {
      const { structuredContent } = await run(["turnRight 50"], { waitMs: 0 });
      const { jobId } = structuredContent as { jobId: string };
      world.tick(3 + tick);
      await call("cancel-job", { jobId });
      expect(bridge.registry.jobs.get(jobId)?.state).toBe("cancelled");
      const { facing, certain } = await place();
      expect({ facing, certain }).toEqual({ facing: body().facing, certain: true });
    }
  });

  it("estimates without moving", async () => {
    const { call, run, body } = await game({ fuel: 10 });
    await call("set-position", home);
    const steps = ["forward 5", "turnLeft", "back 2", "up", "turnRight 2", "down 3"];
    const { text, structuredContent } = await run(steps, { dryRun: true, rounds: 2 });
    expect(text).toContain(texts.nothingWasDoneOn);
    expect(text).toContain(texts.fuelNeededAvailableThatIs);
    expect(structuredContent).toMatchObject({
      ok: true,
      estimate: { fuel: 10, fuelNeeded: 22, enough: false },
    });
    expect(body()).toMatchObject({ position: { x: 0, y: 64, z: 0 }, fuel: 10 });
    const { structuredContent: foretold } = await run(steps, { dryRun: true });
    await run(["select 1"]);
    body().fuel = 100;
    await run(steps);
    const { end } = (foretold as { estimate: { end: object } }).estimate;
    expect(end).toEqual({ position: body().position, facing: body().facing });
  });
});
