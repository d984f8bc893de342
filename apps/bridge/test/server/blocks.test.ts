import { type BlockSnapshot, packCells, unpackCells } from "@ccbridge/protocol/minecraft";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { connect, startServerBridge } from "./helpers.js";

const hello = {
  capabilities: { tools: ["set_blocks", "fill_blocks", "find_blocks"], events: [] },
};
const before: BlockSnapshot = {
  world: "minecraft:overworld",
  palette: ["minecraft:air", "minecraft:dirt"],
  runs: [0, 64, 0, 2, 0, 2, 64, 0, 1, 1],
  exact: true,
};
const box = { from: "0 64 0", to: "2, 64, 0", block: "stone" };
const allowed = { minecraftTools: ["set_blocks", "fill_blocks", "find_blocks"] as const };

async function startBlocks(data: object, settings: object = { ...allowed, structured: true }) {
  const bridge = await startServerBridge(settings);
  const mod = await bridge.link({ hello, answer: () => ({ success: true, data }) });
  return { mod, ...(await connect(bridge)) };
}

describe("the tools for blocks", () => {
  it("show what a dry run would change, as text and as a picture", async () => {
    const data = { changed: 3, unchanged: 0, failed: 0, dryRun: true, before };
    const { client, call, mod } = await startBlocks(data);
    const { text } = await call("fill_blocks", { ...box, dryRun: true });
    expect(text.split("\n")).toEqual([
      texts.nothingWasDoneItWould,
      "- 2 minecraft:air to stone",
      "- 1 minecraft:dirt to stone",
      texts.fromAboveNorthIsUp,
      "y 64, from x 0, z 0:",
      "++~",
    ]);
    const corners = { from: { x: 0, y: 64, z: 0 }, to: { x: 2, y: 64, z: 0 } };
    expect(mod.requests[0]).toMatchObject({
      name: "fill_blocks",
      args: { ...corners, block: "stone", mode: "replace", dryRun: true },
    });
    const args = { ...box, dryRun: true };
    const { content } = await client.callTool({ name: "fill_blocks", arguments: args });
    const [, image] = content as { type: string; data: string; mimeType: string }[];
    expect(image).toMatchObject({ type: "image", mimeType: "image/png" });
    expect(
      Buffer.from(image?.data ?? "", "base64")
        .subarray(1, 4)
        .toString(),
    ).toBe("PNG");
  });

  it("give what was there before, and what could not be changed", async () => {
    const failures = [{ x: 9, y: 64, z: 0, error: "That position is not loaded" }];
    const data = { changed: 3, unchanged: 1, failed: 1, failures, before };
    const { call, mod } = await startBlocks(data);
    const blocks = [0, 1, 2, 9].map((x) => `${x} 64 0 oak_log[axis=x]`);
    const { text, isError, structuredContent } = await call("set_blocks", { blocks });
    expect(mod.requests[0]?.args).toMatchObject({
      blocks: [0, 1, 2, 9].map((x) => ({ x, y: 64, z: 0, block: "oak_log[axis=x]" })),
    });
    expect(isError).toBe(true);
    expect(text).toMatch(/^Changed 3 blocks .*1 cannot be changed\./);
    expect(text).toContain('- 9, 64, 0: "That position is not loaded"');
    expect(structuredContent).toMatchObject({ server: "minecraft", changed: 3, before });
  });

  it("find blocks, and say what is not loaded", async () => {
    const places = [{ x: 1, y: 2, z: 3 }];
    const { call } = await startBlocks({ found: 2, places, unloaded: 5 });
    const { text } = await call("find_blocks", { ...box, block: "diamond_ore" });
    expect(text).toMatch(/^2 diamond_ore on server minecraft:\n1, 2, 3; and 1 more\n5 blocks/);
  });

  it("are off by default, but for looking", async () => {
    const { call, mod } = await startBlocks({ found: 0, places: [] }, {});
    expect((await call("fill_blocks", box)).text).toContain("PERMISSION_DENIED");
    const blocks = ["0 64 0 stone"];
    expect((await call("set_blocks", { blocks })).text).toContain("PERMISSION_DENIED");
    expect((await call("find_blocks", box)).isError).toBeUndefined();
    expect(mod.requests.map(({ name }) => name)).toEqual(["find_blocks"]);
  });

  it("refuse what is too large, and blocks that would be more than a block", async () => {
    const { call, mod } = await startBlocks({ changed: 0 });
    const large = { ...box, to: "32768 64 0" };
    expect((await call("fill_blocks", large)).text).toContain("more than 32768 blocks");
    expect((await call("find_blocks", large)).text).toContain("more than 32768 blocks");
    for (const block of ["stone run op Steve", "chest{Items:[]}", "stone\nop", ""]) {
      expect((await call("fill_blocks", { ...box, block })).isError).toBe(true);
      expect((await call("set_blocks", { blocks: [`0 64 0 ${block}`] })).isError).toBe(true);
    }
    for (const from of ["~ 64 0", "0 64", "0 64 0 1", "0.5 64 0", "9".repeat(400), ""]) {
      expect((await call("fill_blocks", { ...box, from })).text).toContain("INVALID_ARGS: from");
    }
    const many = new Array(4_097).fill("0 64 0 stone");
    expect((await call("set_blocks", { blocks: many })).text).toContain("INVALID_ARGS: blocks");
    const second = await call("set_blocks", { blocks: ["0 64 0 stone", "stone"] });
    expect(second.text).toContain('INVALID_ARGS: blocks.1: "stone" has no position');
    const filtered = { ...box, mode: "keep", filter: "dirt" };
    expect((await call("fill_blocks", filtered)).text).toContain(texts.goesWithTheMode);
    expect(mod.requests).toEqual([]);
  });
});

it("a snapshot gives back the cells that it was made of", () => {
  const cell = fc.record({
    x: fc.integer({ min: -40, max: 40 }),
    y: fc.integer({ min: -4, max: 4 }),
    z: fc.integer({ min: -4, max: 4 }),
    block: fc.constantFrom("minecraft:air", "minecraft:stone", "minecraft:oak_log[axis=x]"),
  });
  fc.assert(
    fc.property(fc.array(cell, { maxLength: 200 }), (cells) => {
      expect(unpackCells(packCells("minecraft:overworld", cells, true))).toEqual(cells);
    }),
  );
  const endless = { ...before, runs: [0, 0, 0, 30_000_000, 0, 0, 0, 0, 30_000_000, 0] };
  expect(unpackCells(endless)).toHaveLength(32_768);
});
