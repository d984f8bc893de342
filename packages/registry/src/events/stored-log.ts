import type { EventPage, LoggedEvent, ReadOptions } from "./event-log.js";
import type { EventStore } from "./event-store.js";
import type { MemoryEventLog } from "./memory-event-log.js";

/** Rows that are read from the store at once, and how often for one page. */
const CHUNK = 500;
const MAX_CHUNKS = 40;

export interface TimedReadOptions extends ReadOptions {
  /** Only events of this time: milliseconds since 1970, both included. */
  since?: number | undefined;
  until?: number | undefined;
}

/** What a store has of a provider's events: those of earlier processes, and those that left memory. */
export interface Stored {
  readonly store: EventStore;
  readonly key: string;
  readonly first: number;
  /** The last process may not have saved its last events: those would be at these places. */
  readonly unsaved: { readonly from: number; readonly to: number } | undefined;
}

/** Reads a page from the store and then from memory. A search that takes long ends early: its cursor continues. */
export async function readStored(
  log: MemoryEventLog,
  stored: Stored,
  options: TimedReadOptions,
): Promise<EventPage> {
  const { cursor, limit, since, until } = options;
  const isTimed = since !== undefined || until !== undefined;
  const fits = takes(options);
  // Without a cursor: as much as memory could hold, whatever it does hold; for a time, all.
  const oldest = isTimed ? stored.first : Math.max(stored.first, log.end - log.maxEvents);
  if (cursor !== undefined && cursor > log.end) return log.read({ cursor, limit, matches: fits });
  let from = cursor ?? oldest;
  const start = from;
  const page: EventPage = { events: [], next: from, missed: 0, dropped: 0, restarted: false };
  for (let chunk = 0; from < log.first && page.events.length < limit; chunk++) {
    if (chunk === MAX_CHUNKS) return page;
    const to = log.first;
    const range = { from, to, since, until, limit: CHUNK };
    const events = await stored.store.read(stored.key, range);
    for (const event of events) {
      if (page.events.length >= limit) return page;
      if (!isTimed && event.seq > from) page.missed += lost(stored, from, event.seq);
      if (fits(event)) page.events.push(event);
      page.dropped += event.dropped;
      page.next = event.seq + 1;
      from = page.next;
    }
    if (events.length < CHUNK) {
      if (!isTimed && from < to) page.missed += lost(stored, from, to);
      // Memory may have dropped more while the store was read: then there is another round.
      from = Math.max(from, to);
      page.next = from;
    }
  }
  if (page.events.length < limit) {
    const rest = log.read({ cursor: from, limit: limit - page.events.length, matches: fits });
    page.events.push(...rest.events);
    page.missed += isTimed ? 0 : rest.missed;
    page.dropped += rest.dropped;
    page.next = rest.next;
  }
  const { unsaved } = stored;
  if (unsaved !== undefined && start < unsaved.to && page.next >= unsaved.to) page.cutOff = true;
  return page;
}

/** Whether an event is of the time and the sort that is wanted. */
export function takes({ matches, since, until }: TimedReadOptions) {
  return (event: LoggedEvent) =>
    event.time >= (since ?? 0) &&
    event.time <= (until ?? Number.POSITIVE_INFINITY) &&
    matches?.(event) !== false;
}

function lost({ unsaved }: Stored, from: number, to: number): number {
  if (unsaved === undefined) return to - from;
  const overlap = Math.min(to, unsaved.to) - Math.max(from, unsaved.from);
  return to - from - Math.max(0, overlap);
}
