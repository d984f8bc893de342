/** Something that happened in the game. */
export interface LoggedEvent {
  /** Counts the events of this log, from 0 on. */
  seq: number;
  /** When it came here, as milliseconds since 1970. */
  time: number;
  name: string;
  args: readonly unknown[];
  /** Events before it, and after the one before, that did not come: too many, or lost with a link. */
  dropped: number;
  /** Whether the arguments were cut. */
  truncated: boolean;
}

export interface EventLogLimits {
  maxEvents: number;
  maxBytes: number;
}

export interface ReadOptions {
  /** Where to begin: the `next` of the last page. Without it: the oldest that is kept. */
  cursor?: number | undefined;
  limit: number;
  /** Reads only events that this takes; the others are passed over. */
  matches?(event: LoggedEvent): boolean;
}

/** Events from a cursor on. */
export interface EventPage {
  events: LoggedEvent[];
  /** Where to read on. */
  next: number;
  /** Events between the cursor and here that are not kept any more. */
  missed: number;
  /** Events that never came, as far as this page got. */
  dropped: number;
  /** True when the cursor is none of this log: the log was begun anew since. */
  restarted: boolean;
}

/** An event's weight beside its arguments, roughly. */
const OVERHEAD_BYTES = 100;

/**
 * The newest events of one provider, up to a number and a size. Each has its place in a count that never
 * goes back, so a cursor stays right whatever is dropped.
 */
export class EventLog {
  readonly #limits: EventLogLimits;
  readonly #events: LoggedEvent[] = [];
  readonly #weights: number[] = [];
  readonly #listeners = new Set<() => void>();
  #bytes = 0;
  #end = 0;
  #dropped = 0;
  #closed = false;

  constructor(limits: EventLogLimits) {
    this.#limits = limits;
  }

  /** The place of the oldest event that is kept. */
  get first(): number {
    return this.#end - this.#events.length;
  }

  /** The place of the next event, and so the number of all that ever came. */
  get end(): number {
    return this.#end;
  }

  /** How many events never came. */
  get dropped(): number {
    return this.#dropped;
  }

  /** What is kept, roughly in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** True once nobody will write to it any more. */
  get closed(): boolean {
    return this.#closed;
  }

  push({ name, args, ...more }: Pick<LoggedEvent, "name" | "args"> & Partial<LoggedEvent>): void {
    const { time = Date.now(), dropped = 0, truncated = false } = more;
    const size = sizeOf(args);
    const fits = size + OVERHEAD_BYTES + name.length <= this.#limits.maxBytes;
    const weight = OVERHEAD_BYTES + name.length + (fits ? size : 0);
    this.#events.push({
      seq: this.#end,
      time,
      name,
      args: fits ? args : [],
      dropped,
      truncated: truncated || !fits,
    });
    this.#weights.push(weight);
    this.#end += 1;
    this.#bytes += weight;
    this.#dropped += dropped;
    while (
      this.#events.length > this.#limits.maxEvents ||
      (this.#bytes > this.#limits.maxBytes && this.#events.length > 1)
    ) {
      this.#events.shift();
      this.#bytes -= this.#weights.shift() ?? 0;
    }
    this.#tell();
  }

  /** Reads events in order, each once, as long as the cursor is passed on. */
  read({ cursor, limit, matches }: ReadOptions): EventPage {
    const { first } = this;
    const restarted = cursor !== undefined && cursor > this.#end;
    const wanted = cursor === undefined || restarted ? first : cursor;
    const from = Math.max(wanted, first);
    const page: EventPage = {
      events: [],
      next: from,
      missed: from - wanted,
      dropped: 0,
      restarted,
    };
    for (let index = from - first; index < this.#events.length; index++) {
      const event = this.#events[index];
      if (event === undefined || page.events.length >= limit) break;
      if (matches === undefined || matches(event)) page.events.push(event);
      page.dropped += event.dropped;
      page.next = event.seq + 1;
    }
    return page;
  }

  /** Calls back after each event and when the log is closed, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Lets go of everyone who waits: this log is forgotten. */
  close(): void {
    this.#closed = true;
    this.#tell();
  }

  #tell(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

/** The length of some JSON; what is nested too deeply to be written counts as endless. */
function sizeOf(args: readonly unknown[]): number {
  try {
    return JSON.stringify(args).length;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export interface EventWait {
  /** Where to begin to look. */
  cursor: number;
  matches(event: LoggedEvent): boolean;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/**
 * Waits for an event, for a time, or for the caller to give up. Resolves with a page that holds the event,
 * or none. Never rejects.
 */
export function waitForEvent(log: EventLog, wait: EventWait): Promise<EventPage> {
  const { matches, timeoutMs, signal } = wait;
  let page = log.read({ cursor: wait.cursor, limit: 1, matches });
  const look = () => {
    const more = log.read({ cursor: page.next, limit: 1, matches });
    page = {
      ...more,
      missed: page.missed + more.missed,
      dropped: page.dropped + more.dropped,
      restarted: page.restarted,
    };
  };
  const over = () => page.events.length > 0 || log.closed;
  if (over() || signal?.aborted || timeoutMs <= 0) return Promise.resolve(page);
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener("abort", finish);
      resolve(page);
    };
    const timer = setTimeout(finish, timeoutMs);
    const stopListening = log.onChange(() => {
      look();
      if (over()) finish();
    });
    signal?.addEventListener("abort", finish, { once: true });
  });
}
