// Blocks that were set and filled on a Minecraft server are put back.

import { toolNames } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Config } from "../../src/index.js";
import { BlockWorld } from "../server/block-world.js";
import { connect, startServerBridge } from "../server/helpers.js";

const hello = {
  capabilities: { tools: ["set_blocks", "fill_blocks", "find_blocks"], events: [] },
};

async function startScene(settings: Partial<Config> = {}) {
  const bridge = await startServerBridge({
    minecraftTools: [...toolNames],
    structured: true,
    ...settings,
  });
  const world = new BlockWorld();
  const mod = await bridge.link({ name: "survival", hello, answer: world.answer });
  const { call } = await connect(bridge);
  const changes = async (args: object = {}) => {
    const { structuredContent } = await call("list-changes", args);
    return (structuredContent as { changes: Record<string, unknown>[] }).changes;
  };
  const undo = async (args: object = {}) =>
    call("undo-change", { changes: [(await changes())[0]?.id], ...args });
  return { bridge, world, mod, call, changes, undo };
}

const row = { from: "0 64 0", to: "3 64 0" };

it("a fill and single blocks are put back with their states, and again", async () => {
  const { world, call, undo, changes } = await startScene();
  world.put("1 64 0", "minecraft:oak_log[axis=x]");
  world.put("2 64 0", "minecraft:stone");
  const start = new Map(world.blocks);
  await call("fill_blocks", { ...row, block: "glass" });
  const [filled] = await changes();
  expect(filled).toMatchObject({
    subject: "minecraft:overworld 0 64 0 to 3 64 0",
    before: { kinds: expect.stringContaining("2 minecraft:air") },
    canBeUndone: true,
  });
  const shown = await undo({ dryRun: true });
  expect(shown.text).toContain("| -0 64 0 to 3 64 0: minecraft:glass");
  expect(shown.text).toContain("| +1 64 0: minecraft:oak_log[axis=x]");
  expect((await undo()).text).toContain("Undone: 1 change.");
  expect(world.blocks).toEqual(start);
  // Undoing is itself a change.
  await undo();
  expect(world.at("3 64 0")).toBe("minecraft:glass");
  await undo();
  expect(world.blocks).toEqual(start);
  await call("set_blocks", { blocks: ["1 64 0 oak_log[axis=z]", "5 70 5 minecraft:torch"] });
  expect(world.at("1 64 0")).toBe("minecraft:oak_log[axis=z]");
  await undo();
  expect(world.blocks).toEqual(start);
});

it("blocks that a player changed since are not lost, unless the caller insists", async () => {
  const { world, call, undo } = await startScene();
  await call("fill_blocks", { ...row, block: "glass" });
  world.put("2 64 0", "minecraft:chest");
  const refused = await undo();
  expect(refused.isError).toBe(true);
  expect(refused.text).toContain(texts.somethingElseChangedItSince6);
  expect(refused.text).toContain("| -2 64 0: minecraft:chest");
  expect(world.at("2 64 0")).toBe("minecraft:chest");
  await undo({ force: true });
  expect(world.blocks.size).toBe(0);
  await undo();
  expect(world.at("2 64 0")).toBe("minecraft:chest");
});

it("a large box is put back in few requests", async () => {
  const { world, mod, call, undo } = await startScene();
  const box = { from: "0 0 0", to: "31 31 31" };
  await call("fill_blocks", { from: "0 0 0", to: "31 15 31", block: "stone" });
  world.put("4 4 4", "minecraft:diamond_ore");
  const start = new Map(world.blocks);
  await call("fill_blocks", { ...box, block: "glass" });
  const before = mod.requests.length;
  expect((await undo()).text).toContain("Undone: 1 change.");
  expect(world.blocks).toEqual(start);
  const acting = mod.requests.slice(before).filter(({ args }) => args.dryRun !== true);
  expect(acting.length).toBeLessThan(12);
});

it("what was there before is not known where the server does not say, or does not answer", async () => {
  const { world, mod, call, changes } = await startScene();
  world.saysBefore = false;
  await call("fill_blocks", { ...row, block: "glass" });
  expect(await changes()).toMatchObject([cannotUndo(/did not say/)]);
  world.answers = false;
  const lost = call("set_blocks", { blocks: ["0 64 0 stone"] });
  await mod.until(() => mod.requests.at(-1)?.name === "set_blocks");
  mod.hangUp();
  expect((await lost).isError).toBe(true);
  const [newest] = await changes();
  expect(newest).toMatchObject(cannotUndo(/did not answer/));
});

const cannotUndo = (why: RegExp) => ({ canBeUndone: false, cannot: expect.stringMatching(why) });

it("nothing is put back where it is not loaded", async () => {
  const { world, call, undo } = await startScene();
  await call("set_blocks", { blocks: ["0 64 0 stone"] });
  world.isLoaded = false;
  expect((await undo()).text).toContain(texts.ofItsBlocksAre);
  world.isLoaded = true;
  expect((await undo()).text).toContain("Undone: 1 change.");
});

it("a tool that is switched off puts nothing back", async () => {
  const { bridge } = await startScene({ minecraftTools: ["find_blocks"] });
  const { call } = await connect(bridge);
  expect((await call("fill_blocks", { ...row, block: "glass" })).text).toContain(
    "PERMISSION_DENIED",
  );
  expect((await call("list-changes")).text).toContain("No such change");
});

const coordinate = fc.integer({ min: 0, max: 4 });
const place = fc.tuple(coordinate, coordinate, coordinate).map((all) => all.join(" "));
const block = fc.constantFrom("stone", "air", "oak_log", "minecraft:oak_log[axis=x]", "glass");
const step = fc.oneof(
  fc
    .uniqueArray(fc.tuple(place, block), { minLength: 1, maxLength: 6, selector: ([at]) => at })
    .map((cells) => ["set_blocks", { blocks: cells.map((cell) => cell.join(" ")) }] as const),
  fc
    .record({ from: place, to: place, block, mode: fc.constantFrom("replace", "keep", "hollow") })
    .map((fill) => ["fill_blocks", fill] as const),
);

it("any changes in overlapping boxes are undone to how it was, and redone", async () => {
  const { world, call, changes } = await startScene();
  const numberOf = (id: unknown) => Number(String(id).split("-")[1]);
  let last = 0;
  const newOnes = async () => {
    const ids = (await changes()).map(({ id }) => id).filter((id) => numberOf(id) > last);
    last = Math.max(last, ...ids.map(numberOf));
    return ids;
  };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
      const start = new Map(world.blocks);
      for (const [tool, args] of steps) await call(tool, args);
      const left = new Map(world.blocks);
      const made = await newOnes();
      if (made.length === 0) return;
      await call("undo-change", { changes: made, dryRun: false });
      expect(world.blocks).toEqual(start);
      await call("undo-change", { changes: await newOnes(), dryRun: false });
      expect(world.blocks).toEqual(left);
      await newOnes();
    }),
    { numRuns: 100 },
  );
});
