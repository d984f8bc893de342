import { utf8Length } from "@ccbridge/protocol";

export interface Page<T> {
  items: T[];
  /** Where the next page begins; undefined on the last. */
  next: number | undefined;
}

/** As many items from an offset on as fit into a number of bytes of JSON, at least one. */
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
