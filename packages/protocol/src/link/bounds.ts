import { z } from "zod";
import { MAX_FROM_AGENT_BYTES } from "./constants.js";

// What one frame may hold. Everything is read once, by a schema that names what it keeps; what is larger
// than this is refused before a loop, a recursion or a buffer depends on it.

/** Levels of nesting. An agent sends 16 of a table, inside a few that it adds. */
export const MAX_JSON_DEPTH = 64;

/** Values in one frame. An agent sends 10,000 entries of tables at most. */
export const MAX_JSON_VALUES = 250_000;

/** The longest text of each frame of an agent, in UTF-16 units; of any other type the shortest of them. */
export const frameLengths: Readonly<Record<string, number>> = {
  hello: 65_536,
  response: MAX_FROM_AGENT_BYTES,
  output: 524_288,
  progress: 65_536,
  event: 262_144,
  tools: 262_144,
  screen: 1_048_576,
  chunk: 262_144,
};
export const SHORTEST_FRAME_LENGTH = 65_536;

/** The largest side of a screen, and the most cells: several times the largest monitor of the game. */
export const MAX_SCREEN_SIDE = 1_024;
export const MAX_SCREEN_CELLS = 65_536;

export const MAX_RETURNS = 256;

export const MAX_OFFERED_TOOLS = 128;

export const MAX_ACK_IDS = 128;

export const MAX_HELLO_JOBS = 128;

export const name = z.string().max(512);

export const path = z.string().max(4_096);

export const count = z.int().nonnegative().max(1_000_000_000_000);

/** A coordinate, a cursor, a level: finite, and small enough to add up. */
export const number = z.number().min(-1e15).max(1e15);

/** Text that is shown: cut instead of refused. */
export function cutText(max: number) {
  return z.string().transform((text) => cutString(text, max));
}

/** The beginning of a text, as a copy: V8 keeps the whole text alive for as long as a slice of it. */
export function cutString(text: string, max: number): string {
  return text.length > max ? copyString(text.slice(0, max)) : text;
}

/** A text with its own memory, whatever it is a slice of: to slice what was just joined, V8 has to copy it. */
export function copyString(text: string): string {
  return ` ${text}`.slice(1);
}
