import { blockId } from "@ccbridge/protocol/minecraft";
import { withoutColours } from "./answers.js";
import type { Game } from "./game.js";

export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A block that none of the guesses fits. */
export const UNKNOWN = "unknown";

/** What most of a world consists of, tried in this order where nothing else is known. */
export const commonBlocks = [
  ...["air", "stone", "dirt", "grass_block", "deepslate", "water", "sand", "cobblestone"],
  ...["oak_planks", "gravel", "cave_air", "bedrock", "oak_log", "oak_leaves", "short_grass"],
  ...["glass", "sandstone", "netherrack", "end_stone", "snow", "lava", "tuff", "granite"],
  ...["diorite", "andesite", "stone_bricks", "torch", "coal_ore", "iron_ore", "farmland"],
].map((name) => `minecraft:${name}`);

/**
 * The ids of blocks by "x y z", found by asking about one guess after the other: no command of the game says what a
 * block is. Positions that are not loaded, and those after the time is up, are left out.
 */
export async function guessBlocks(
  game: Game,
  world: string,
  { positions, guesses }: { positions: Iterable<Position>; guesses: readonly string[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  // The last hit comes first: neighbours are mostly of one kind.
  const order = [...new Set(guesses.map(blockId))];
  for (const { x, y, z } of positions) {
    if (signal.aborted) break;
    const at = `${x} ${y} ${z}`;
    let block: string | undefined = UNKNOWN;
    for (const guess of order) {
      const answer = withoutColours(await game.own(`execute in ${world} if block ${at} ${guess}`));
      if (/^That position is not loaded|^That position is out of/i.test(answer)) block = undefined;
      else if (/^Test passed/i.test(answer)) block = guess;
      else continue;
      break;
    }
    if (block === undefined) continue;
    found.set(at, block);
    if (block === UNKNOWN) continue;
    order.splice(order.indexOf(block), 1);
    order.unshift(block);
  }
  return found;
}
