import { z } from "zod";
import { count, cutText } from "../link/bounds.js";
import type { ToolArguments } from "./arguments.js";
import { MAX_CELLS } from "./constants.js";

export interface Cell {
  x: number;
  y: number;
  z: number;
  /** A block's id, with its state in brackets where that is known. */
  block: string;
}

const whole = z.int().min(-30_000_000).max(30_000_000);

/**
 * The blocks that a change replaced. `runs` has five numbers for each run of equal blocks: x, y and z of the first one,
 * how many there are towards the east, and the block's place in the palette. Contents of chests and signs are not in
 * it.
 */
export const BlockSnapshotSchema = z.object({
  world: z.string().min(1).max(256),
  palette: z.array(z.string().min(1).max(512)).max(MAX_CELLS),
  runs: z.array(whole).max(5 * MAX_CELLS),
  /** Whether the palette has the states of blocks, such as `[axis=x]`, and not only their ids. */
  exact: z.boolean(),
});
export type BlockSnapshot = z.infer<typeof BlockSnapshotSchema>;

/** What set_blocks and fill_blocks did, or would do. */
export const BlocksChangedSchema = z.object({
  changed: count,
  unchanged: count.optional().catch(undefined),
  failed: count.optional().catch(undefined),
  failures: z
    .array(z.object({ x: whole, y: whole, z: whole, error: cutText(500) }))
    .max(100)
    .optional()
    .catch(undefined),
  dryRun: z.boolean().optional().catch(undefined),
  before: BlockSnapshotSchema.optional().catch(undefined),
  notes: z.array(cutText(500)).max(20).optional().catch(undefined),
});
export type BlocksChanged = z.infer<typeof BlocksChangedSchema>;

export const FoundBlocksSchema = z.object({
  world: z.string().max(256).optional().catch(undefined),
  found: count,
  places: z.array(z.object({ x: whole, y: whole, z: whole })).max(1_000),
  unloaded: count.optional().catch(undefined),
});
export type FoundBlocks = z.infer<typeof FoundBlocksSchema>;

/** Packs cells, which must be in the order of {@link cellsOf} for equal blocks to share a run. */
export function packCells(world: string, cells: Iterable<Cell>, exact: boolean): BlockSnapshot {
  const palette: string[] = [];
  const numbers = new Map<string, number>();
  const runs: number[] = [];
  for (const { x, y, z, block } of cells) {
    let number = numbers.get(block);
    if (number === undefined) {
      number = palette.push(block) - 1;
      numbers.set(block, number);
    }
    const [lx, ly, lz, length, last] = runs.slice(-5);
    const continues = last === number && ly === y && lz === z && (lx ?? 0) + (length ?? 0) === x;
    if (continues) runs[runs.length - 2] = (length ?? 0) + 1;
    else runs.push(x, y, z, 1, number);
  }
  return { world, palette, runs, exact };
}

/** The cells of a snapshot; no more than a change may have, whatever its runs say. */
export function unpackCells({ palette, runs }: BlockSnapshot): Cell[] {
  const cells: Cell[] = [];
  for (let at = 0; at + 4 < runs.length; at += 5) {
    const [x = 0, y = 0, z = 0, length = 0, number = -1] = runs.slice(at, at + 5);
    const block = palette[number];
    for (let step = 0; block !== undefined && step < length; step++) {
      if (cells.length >= MAX_CELLS) return cells;
      cells.push({ x: x + step, y, z, block });
    }
  }
  return cells;
}

export interface Box {
  from: { x: number; y: number; z: number };
  to: { x: number; y: number; z: number };
}

/** A box with its corners in order. */
export function sorted({ from, to }: Box): Box {
  const pick = (choose: (...values: number[]) => number) => ({
    x: choose(from.x, to.x),
    y: choose(from.y, to.y),
    z: choose(from.z, to.z),
  });
  return { from: pick(Math.min), to: pick(Math.max) };
}

/** The smallest box that has all of these. */
export function around(cells: readonly Omit<Cell, "block">[]): Box {
  const least = (axis: "x" | "y" | "z") => Math.min(...cells.map((cell) => cell[axis]));
  const most = (axis: "x" | "y" | "z") => Math.max(...cells.map((cell) => cell[axis]));
  return {
    from: { x: least("x"), y: least("y"), z: least("z") },
    to: { x: most("x"), y: most("y"), z: most("z") },
  };
}

export function volumeOf(box: Box): number {
  const { from, to } = sorted(box);
  return (to.x - from.x + 1) * (to.y - from.y + 1) * (to.z - from.z + 1);
}

/** The positions of a box: east first, then south, then up. */
export function* placesOf(box: Box): Generator<{ x: number; y: number; z: number }> {
  const { from, to } = sorted(box);
  for (let y = from.y; y <= to.y; y++) {
    for (let z = from.z; z <= to.z; z++) {
      for (let x = from.x; x <= to.x; x++) yield { x, y, z };
    }
  }
}

const AIR = /^minecraft:(?:air|cave_air|void_air)$/;

export function isAir(block: string): boolean {
  return AIR.test(block);
}

/** `oak_log[axis=x]` is `minecraft:oak_log`. */
export function blockId(block: string): string {
  const id = block.replace(/\[.*/, "");
  return id.includes(":") ? id : `minecraft:${id}`;
}

/** What a fill puts in the place of a block; undefined where it leaves it. */
export function filledWith(
  fill: ToolArguments<"fill_blocks">,
  { x, y, z, block: there }: Cell,
): string | undefined {
  const { from, to } = sorted(fill);
  const isSurface =
    x === from.x || x === to.x || y === from.y || y === to.y || z === from.z || z === to.z;
  if (fill.mode === "keep" && !isAir(blockId(there))) return undefined;
  if (fill.mode === "outline" && !isSurface) return undefined;
  if (fill.filter !== undefined && blockId(fill.filter) !== blockId(there)) return undefined;
  return fill.mode === "hollow" && !isSurface ? "minecraft:air" : fill.block;
}

/** Whether putting `wanted` in the place of `there` changes it. A state that is not known counts as another one. */
export function differs(there: string, wanted: string): boolean {
  if (blockId(there) !== blockId(wanted)) return true;
  return wanted.includes("[") && there !== wanted;
}
