import { fileHash } from "@ccbridge/protocol";
import {
  type BlockSnapshot,
  BlockSnapshotSchema,
  BlocksChangedSchema,
  type Cell,
  packCells,
  unpackCells,
} from "@ccbridge/protocol/minecraft";
import type { KeptState, ServerView } from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext } from "../../core/define.js";
import { ToolError } from "../../core/errors.js";
import { textOf, utf8 } from "../../format/bytes.js";
import { inline } from "../../format/set-apart.js";
import { readResult, requestServer } from "./server.js";

/** What a change replaced, and by what: the same positions. */
export interface KeptBlocks {
  readonly before: BlockSnapshot;
  readonly after: BlockSnapshot;
}

const KeptBlocksSchema = z.object({ before: BlockSnapshotSchema, after: BlockSnapshotSchema });

/** As many as the server agent tries one by one, see docs/minecraft.md. */
export const BATCH = 500;
const MAX_KINDS = 4;
const UNKNOWN = "unknown";

export const placeOf = ({ x, y, z }: Omit<Cell, "block">) => `${x} ${y} ${z}`;

export function toContent(kept: KeptBlocks): Uint8Array {
  return utf8(JSON.stringify(kept));
}

export function fromContent(content: Uint8Array | undefined): KeptBlocks {
  const text = content === undefined ? undefined : textOf(content);
  if (text !== undefined) return KeptBlocksSchema.parse(JSON.parse(text));
  throw new ToolError("what was there before is not kept any more", "Set the blocks by hand.");
}

/** Each position once, bottom first: the first of several blocks is the one that was there. */
export function inOrder(cells: Iterable<Cell>): Cell[] {
  const first = new Map<string, Cell>();
  for (const cell of cells) if (!first.has(placeOf(cell))) first.set(placeOf(cell), cell);
  return [...first.values()].sort((a, b) => a.y - b.y || a.z - b.z || a.x - b.x);
}

/** `missing`: how many more there are whose kind is not known. */
export function stateOf({ world, palette, runs, exact }: BlockSnapshot, missing = 0): KeptState {
  const cells = unpackCells({ world, palette, runs, exact });
  const counts = new Map<string, number>();
  for (const { block } of cells) counts.set(block, (counts.get(block) ?? 0) + 1);
  const kinds = [...counts].sort(([, a], [, b]) => b - a);
  const shown = kinds.slice(0, MAX_KINDS).map(([block, count]) => `${count} ${inline(block)}`);
  const more = kinds.length > MAX_KINDS ? [`${kinds.length - MAX_KINDS} other kinds`] : [];
  return {
    kinds: [...shown, ...more].join(", "),
    ...(missing > 0 ? { missing } : {}),
    hash: fileHash(utf8(JSON.stringify([world, cells]))),
  };
}

export function isSame(a: KeptState, b: KeptState): boolean {
  return a.hash !== UNKNOWN && a.hash === b.hash;
}

export function stateText({ kinds, missing }: KeptState): string {
  const unknown = missing === undefined ? [] : [`${missing} of an unknown kind`];
  return [...(kinds === "" ? [] : [kinds]), ...unknown].join(", ");
}

/** One line for each run of equal blocks. */
export function linesOf({ before: { palette, runs } }: KeptBlocks): string {
  const lines: string[] = [];
  for (let at = 0; at + 4 < runs.length; at += 5) {
    const [x = 0, y = 0, z = 0, length = 0, number = -1] = runs.slice(at, at + 5);
    const to = length > 1 ? ` to ${x + length - 1} ${y} ${z}` : "";
    lines.push(`${x} ${y} ${z}${to}: ${palette[number]}`);
  }
  return lines.join("\n");
}

export interface BlocksNow {
  readonly state: KeptState;
  readonly snapshot: BlockSnapshot;
}

/** What is now at the positions of a snapshot. Nothing is said of a block's state that the snapshot leaves open. */
export async function lookAt(
  context: ToolContext,
  server: ServerView,
  { world, exact, ...wanted }: BlockSnapshot,
): Promise<BlocksNow> {
  const cells = unpackCells({ world, exact, ...wanted });
  const found: Cell[] = [];
  let unknown = 0;
  for (let at = 0; at < cells.length; at += BATCH) {
    const blocks = cells.slice(at, at + BATCH);
    const args = { world, blocks, dryRun: true };
    const result = await requestServer(context, server, "set_blocks", args);
    const { changed, failed = 0, before } = readResult(BlocksChangedSchema, { server, result });
    if (failed > 0) {
      throw new ToolError(
        `${failed} of its blocks are not loaded`,
        "A place is loaded while a player is near.",
      );
    }
    const there = new Map(
      (before === undefined ? [] : unpackCells(before)).map((cell) => [placeOf(cell), cell.block]),
    );
    const unread = Math.max(0, changed - there.size);
    unknown += unread;
    for (const cell of blocks) {
      const block = there.get(placeOf(cell)) ?? (unread > 0 ? undefined : cell.block);
      if (block !== undefined) found.push({ ...cell, block });
    }
  }
  const snapshot = packCells(world, found, exact);
  const state = stateOf(snapshot, unknown);
  return { snapshot, state: unknown > 0 ? { ...state, hash: UNKNOWN } : state };
}
