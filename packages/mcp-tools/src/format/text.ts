import { utf8Length } from "@ccbridge/protocol";
import { cutLength } from "@ccbridge/registry";

/** Clients silently cut texts in the middle from about 12 KB on, so a whole result stays below that. */
export const OUTPUT_BYTES = 7_000;
export const RETURNS_BYTES = 3_500;
export const ANSWER_LENGTH = 11_000;

export function cutEnd(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${cutLength(text, maxLength - 3)}...`;
}

export function list(items: readonly string[], word: "and" | "or"): string {
  if (items.length < 2) return items.join("");
  return `${items.slice(0, -1).join(", ")} ${word} ${items.at(-1)}`;
}

export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Beside events that were read across a move. */
export const MOVED =
  "It was linked to another bridge since that cursor, or may have been: what came there is missing here, and some of this may be shown again. get-history has it by time.";

/** Beside events that were read across a crash. */
export const CUT_OFF =
  "The bridge stopped unexpectedly in between: events of its last second may be missing.";

export interface Page<T> {
  items: T[];
  next: number | undefined;
}

/** At least one item, even if it exceeds `maxBytes` of JSON. */
export function pageOf<T>(all: readonly T[], offset: number, maxBytes: number): Page<T> {
  const items: T[] = [];
  let room = maxBytes;
  for (const item of all.slice(offset)) {
    room -= utf8Length(JSON.stringify(item)) + 1;
    if (room < 0 && items.length > 0) break;
    items.push(item);
  }
  const end = offset + items.length;
  return { items, next: end < all.length ? end : undefined };
}
