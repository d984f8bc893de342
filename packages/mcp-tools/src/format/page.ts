import { utf8Length } from "@ccbridge/protocol";

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
