import {
  around,
  type BlocksChanged,
  type Box,
  blockId,
  type Cell,
  differs,
  type FoundBlocks,
  filledWith,
  packCells,
  placesOf,
  ServerErrorCode,
  sorted,
  type ToolArguments,
  volumeOf,
} from "@ccbridge/protocol/minecraft";
import { messageOf, RequestError } from "../errors.js";
import { unexpected, withoutColours } from "./answers.js";
import type { Game } from "./game.js";
import { commonBlocks, guessBlocks, type Position, UNKNOWN } from "./guess-blocks.js";

const OVERWORLD = "minecraft:overworld";
const MAX_FAILURES = 10;
/** Over RCON each block costs at least one command. */
const MAX_GUESSED = 512;
const MAX_TESTED = 4_096;
const otherRoutes = "A command computer or a server mod can read more.";
const unread = `What was there before is not known: over RCON at most ${MAX_GUESSED} blocks are tried, one by one. ${otherRoutes}`;

export async function setBlocks(
  game: Game,
  { blocks, world = OVERWORLD, dryRun }: ToolArguments<"set_blocks">,
  signal: AbortSignal,
): Promise<BlocksChanged> {
  const guesses = [...blocks.map(({ block }) => block), ...commonBlocks];
  const wanted = { box: around(blocks), positions: blocks, guesses, isNeeded: dryRun };
  const there = await read(game, world, wanted, signal);
  const changed: Cell[] = [];
  const failures: NonNullable<BlocksChanged["failures"]> = [];
  let [unchanged, failed] = [0, 0];
  const fail = ({ x, y, z }: Cell, error: string) => {
    failed += 1;
    if (failures.length < MAX_FAILURES) failures.push({ x, y, z, error });
  };
  const uncertain: Cell[] = [];
  let ended: string | undefined;
  for (const cell of blocks) {
    if (signal.aborted) ended ??= "the time was up.";
    if (ended !== undefined) {
      fail(cell, `Not set: ${ended}`);
      continue;
    }
    const before = there?.get(keyOf(cell));
    if (dryRun) {
      if (before === undefined) fail(cell, "That position is not loaded");
      else if (differs(before, cell.block)) changed.push({ ...cell, block: before });
      else unchanged += 1;
      continue;
    }
    const { x, y, z, block } = cell;
    let answer: string;
    try {
      answer = await game.own(`execute in ${world} run setblock ${x} ${y} ${z} ${block}`);
    } catch (error) {
      const { message, mayHaveRun } = asFailure(error);
      if (changed.length === 0 && !mayHaveRun) throw error;
      // What is changed so far, this block perhaps, must not be forgotten with the connection.
      fail(cell, message);
      if (mayHaveRun) uncertain.push({ ...cell, block: before ?? "" });
      ended = message;
      continue;
    }
    const text = withoutColours(answer);
    if (/^Changed the block/.test(text)) changed.push({ ...cell, block: before ?? "" });
    // The game's output for a block that is already there.
    else if (/^Could not set the block/.test(text)) unchanged += 1;
    else fail(cell, unexpected(answer).message);
  }
  return {
    changed: changed.length,
    unchanged,
    failed,
    ...(failed > 0 ? { failures } : {}),
    ...(dryRun ? { dryRun } : {}),
    ...beforeOf(world, there && [...changed, ...uncertain]),
  };
}

/** An error that is not the agent's own came from on the way, when the command was under way. */
function asFailure(error: unknown): { message: string; mayHaveRun: boolean } {
  return error instanceof RequestError ? error : { message: messageOf(error), mayHaveRun: true };
}

export async function fillBlocks(
  game: Game,
  args: ToolArguments<"fill_blocks">,
  signal: AbortSignal,
): Promise<BlocksChanged> {
  const { from, to, block, mode, filter, world = OVERWORLD, dryRun } = args;
  const guesses = [block, ...(filter === undefined ? [] : [filter]), ...commonBlocks];
  const wanted = { box: args, positions: placesOf(sorted(args)), guesses, isNeeded: dryRun };
  const there = await read(game, world, wanted, signal);
  const changing =
    there &&
    [...there].flatMap(([key, before]) => {
      const [x = 0, y = 0, z = 0] = key.split(" ").map(Number);
      const cell = { x, y, z, block: before };
      const after = filledWith(args, cell);
      return after !== undefined && differs(before, after) ? [cell] : [];
    });
  if (dryRun && there !== undefined && changing !== undefined) {
    const unchanged = there.size - changing.length;
    const missing = volumeOf(args) - there.size;
    return {
      changed: changing.length,
      unchanged,
      ...(missing > 0 ? { failed: missing } : {}),
      dryRun,
      ...beforeOf(world, changing),
    };
  }
  const corners = [from.x, from.y, from.z, to.x, to.y, to.z].join(" ");
  const how = filter === undefined ? mode : `replace ${filter}`;
  let answer: string;
  try {
    answer = await game.own(`execute in ${world} run fill ${corners} ${block} ${how}`);
  } catch (error) {
    const { message, mayHaveRun } = asFailure(error);
    if (!mayHaveRun || changing === undefined) throw error;
    const failures = [{ ...sorted(args).from, error: message }];
    return { changed: 0, failed: changing.length, failures, ...beforeOf(world, changing) };
  }
  const text = withoutColours(answer);
  // The game reports a failure when nothing had to be changed.
  if (/^No blocks were filled/.test(text)) return { changed: 0 };
  const [, count] = /^Successfully filled (\d+)/.exec(text) ?? [];
  if (count === undefined) throw unexpected(answer);
  return { changed: Number(count), ...beforeOf(world, changing) };
}

export async function findBlocks(
  game: Game,
  { from, to, block, limit, world = OVERWORLD }: ToolArguments<"find_blocks">,
  signal: AbortSignal,
): Promise<FoundBlocks> {
  const box = { from, to };
  const search = { box, positions: placesOf(sorted(box)), guesses: [block], isNeeded: true };
  const there = await read(game, world, { ...search, maxGuessed: MAX_TESTED }, signal);
  const wanted = blockId(block);
  const places: FoundBlocks["places"] = [];
  let found = 0;
  for (const [key, id] of there ?? []) {
    if (blockId(id) !== wanted) continue;
    found += 1;
    const [x = 0, y = 0, z = 0] = key.split(" ").map(Number);
    if (places.length < limit) places.push({ x, y, z });
  }
  const missing = volumeOf(box) - (there?.size ?? 0);
  return { world, found, places, ...(missing > 0 ? { unloaded: missing } : {}) };
}

function keyOf({ x, y, z }: { x: number; y: number; z: number }): string {
  return `${x} ${y} ${z}`;
}

interface Wanted {
  readonly box: Box;
  readonly positions: Iterable<Position>;
  /** What is tried where blocks cannot be read. */
  readonly guesses: readonly string[];
  readonly isNeeded: boolean;
  readonly maxGuessed?: number;
}

/** The ids of blocks by "x y z"; undefined where they cannot be known. */
async function read(
  game: Game,
  world: string,
  { box, positions, guesses, isNeeded, maxGuessed = MAX_GUESSED }: Wanted,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  if (game.box === undefined) {
    const asked = [...positions];
    if (asked.length <= maxGuessed) {
      return guessBlocks(game, world, { positions: asked, guesses }, signal);
    }
    if (!isNeeded) return undefined;
    throw new RequestError(
      ServerErrorCode.invalidArgs,
      `Nothing was done: over RCON blocks are tried one by one, at most ${maxGuessed} in a call. Use several calls. ${otherRoutes}`,
    );
  }
  try {
    return await game.box(world, box);
  } catch (error) {
    // Far-away corners of a few blocks: the change itself is still possible.
    if (isNeeded) throw error;
    return undefined;
  }
}

/** Only ids are read, so what had a state is put back without it. */
function beforeOf(
  world: string,
  cells: readonly Cell[] | undefined,
): Pick<BlocksChanged, "before" | "notes"> {
  if (cells === undefined) return { notes: [unread] };
  const known = cells.filter(({ block }) => block !== UNKNOWN && block !== "");
  const left = cells.length - known.length;
  const note = `${left} of the changed blocks were of a kind that was not guessed; they are not in what was there before. ${otherRoutes}`;
  return {
    before: packCells(world, known, false),
    ...(left > 0 ? { notes: [note] } : {}),
  };
}
