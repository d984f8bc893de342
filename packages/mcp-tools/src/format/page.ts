import { utf8Length } from "@ccbridge/protocol";

/** What the items of one page may take as JSON, so that a whole result stays below 12 KB. */
export const PAGE_BYTES = 7_500;

export interface Page<T> {
  items: T[];
  /** Where the next page begins; undefined on the last. */
  next: number | undefined;
}

/** As many items from an offset on as fit into an answer, one at least. */
export function pageOf<T>(all: readonly T[], offset: number, maxBytes = PAGE_BYTES): Page<T> {
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
