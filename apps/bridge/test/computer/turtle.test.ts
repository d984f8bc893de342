import { describe, expect, it } from "vitest";
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
        "Computer 12 (Label: base-turtle) is at an unknown position (tell it with set-position).",
        "Fuel: 80 of 20000",
        "Tools: left unknown, right unknown (this version of CC:Tweaked does not report pickaxes)",
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
    expect(text).toContain("is not a turtle but a computer: it cannot move.");
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
    expect(text).toContain(
      'Failed on 12 (Label: base-turtle): "step 3 (forward 5) failed after 2 of 5: Movement obstructed by minecraft:stone."\n',
    );
    expect(text).toContain("step 3 (forward 5): FAILED\n| Now at 0 64 -2, facing north; fuel 96; ");
    // The reason is reported once.
    expect(text.split("obstructed")).toHaveLength(2);
    expect(text).not.toContain("Returned");
    expect(text).toContain("The steps before it are done and stay done.");
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
    expect(text).toContain("round 2, step 1 (try dig): not done: Nothing to dig here");
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
    expect(text).toContain(
      "not done: it carries no diamond, but [1] 9 minecraft:diamond_ore, [9] 1 minecraft:coal\n",
    );
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
    expect(text).toContain("step 1 (drop coal) failed: No space for items.");
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
    expect(other.text).toContain("another turtle-run is moving this turtle");
    expect((await call("turtle-status")).text).toContain("A turtle-run is in progress.");
    expect((await call("set-position", { x: 1, y: 2, z: 3 })).text).toContain(
      "a turtle-run is moving this turtle",
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
    expect(text).toContain("Nothing was done on computer 12");
    expect(text).toContain("Fuel: 22 needed, 10 available. That is not enough: refuel first.");
    expect(structuredContent).toMatchObject({
      ok: true,
      estimate: { fuel: 10, fuelNeeded: 22, enough: false },
    });
    expect(body()).toMatchObject({ position: { x: 0, y: 64, z: 0 }, fuel: 10 });
    // The prediction is right.
    const { structuredContent: foretold } = await run(steps, { dryRun: true });
    await run(["select 1"]);
    body().fuel = 100;
    await run(steps);
    const { end } = (foretold as { estimate: { end: object } }).estimate;
    expect(end).toEqual({ position: body().position, facing: body().facing });
  });
});

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
    // A facing that is certain stays.
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
      note: "it moved forward while its facing was unknown",
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
      note: "its fuel went from 50 to 45 without these tools, so it may have been moved",
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
        expect(known.note).toMatch(/stopped while it was turning: it faces/);
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
      // The chunk unloads in the middle of the third move: it is done, but not reported.
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
      note: "it could not be saved to the disk: it will be forgotten at the next start",
    });
    await restart();
    expect(await place()).toMatchObject({ position: null, certain: false });
  });
});
