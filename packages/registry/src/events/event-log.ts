import type { EventWatch } from "@ccbridge/protocol";
import type { Cancellation } from "../cancellation.js";

export interface LoggedEvent {
  /** Counts the events of this log, from 0 on. */
  seq: number;
  /** When it happened, as milliseconds since 1970. */
  time: number;
  name: string;
  args: readonly unknown[];
  /** Events before it, and after the one before, that did not come: too many, or lost with a link. */
  dropped: number;
  truncated: boolean;
}

export interface ReadOptions {
  /** Where to begin: the `next` of the last page. Without it: the oldest that is kept. */
  cursor?: number | undefined;
  limit: number;
  /** Reads only events that this takes; the others are passed over. */
  matches?(event: LoggedEvent): boolean;
}

export interface EventPage {
  events: LoggedEvent[];
  next: number;
  /** Events between the cursor and here that are no longer kept. */
  missed: number;
  dropped: number;
  /** True when the cursor does not belong to this log, which was restarted since. */
  restarted: boolean;
  /** True when the bridge crashed in between: events of its last second may be missing. */
  cutOff?: boolean;
  /** True when the provider may have been linked to another bridge since the cursor, which keeps what came there. */
  hasMoved?: boolean;
}

export interface EventWait {
  cursor: number;
  matches(event: LoggedEvent): boolean;
  timeoutMs: number;
  signal?: Cancellation | undefined;
}

export type NewEvent = Pick<LoggedEvent, "name" | "args"> &
  Partial<LoggedEvent> & {
    readonly size: number;
  };

/**
 * The events of one provider, in order. Each has its place in a count that never goes back, so a cursor
 * stays right whatever is dropped.
 */
export interface EventLog {
  readonly first: number;
  /** The place of the next event, and so the number of all that ever came. */
  readonly end: number;
  readonly dropped: number;
  append(event: NewEvent): LoggedEvent;
  read(options: ReadOptions): EventPage;
  /**
   * Waits for an event, for a time, or for the caller to give up. Resolves with a page that has the
   * event, or none. Never rejects.
   */
  wait(wait: EventWait): Promise<EventPage>;
  /** Lets go of everyone who waits: this log is forgotten. */
  close(): void;
}

export function matchesGlob(pattern: string, text: string): boolean {
  const pieces = pattern.split("*");
  const [head = "", ...rest] = pieces;
  const tail = rest.pop();
  if (tail === undefined) return text === head;
  const stop = text.length - tail.length;
  if (stop < head.length || !text.startsWith(head) || !text.endsWith(tail)) return false;
  let from = head.length;
  for (const piece of rest) {
    const at = text.indexOf(piece, from);
    if (at < 0 || at + piece.length > stop) return false;
    from = at + piece.length;
  }
  return true;
}

export function matchesWatch(
  { name, filter }: EventWatch,
  event: { name: string; args: readonly unknown[] },
): boolean {
  if (!matchesGlob(name, event.name)) return false;
  return Object.entries(filter ?? {}).every(([position, wanted]) => {
    const value = event.args[Number(position) - 1];
    if (typeof wanted !== "string") return value === wanted;
    const comparable = ["string", "number", "boolean"].includes(typeof value);
    return comparable && matchesGlob(wanted, String(value));
  });
}

export function sameWatch(a: EventWatch, b: EventWatch): boolean {
  return a.name === b.name && sorted(a) === sorted(b);
}

function sorted({ filter = {} }: EventWatch): string {
  return JSON.stringify(Object.entries(filter).sort(([a], [b]) => Number(a) - Number(b)));
}
