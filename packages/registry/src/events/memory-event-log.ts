import type {
  EventLog,
  EventPage,
  EventWait,
  LoggedEvent,
  NewEvent,
  ReadOptions,
} from "./event-log.js";

export interface EventLogLimits {
  maxEvents: number;
  maxBytes: number;
}

const OVERHEAD_BYTES = 100;

export class MemoryEventLog implements EventLog {
  readonly #limits: EventLogLimits;
  readonly #events: LoggedEvent[] = [];
  readonly #weights: number[] = [];
  readonly #listeners = new Set<() => void>();
  #bytes = 0;
  #end = 0;
  #dropped = 0;
  #closed = false;
  readonly #resized: ((delta: number) => void) | undefined;
  #weighed = 0;

  constructor(limits: EventLogLimits, resized?: (delta: number) => void, start = 0) {
    this.#limits = limits;
    this.#end = start;
    this.#resized = resized;
  }

  get maxEvents(): number {
    return this.#limits.maxEvents;
  }

  get first(): number {
    return this.#end - this.#events.length;
  }

  get end(): number {
    return this.#end;
  }

  get dropped(): number {
    return this.#dropped;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get closed(): boolean {
    return this.#closed;
  }

  append({ name, args, size, ...more }: NewEvent): LoggedEvent {
    const { time = Date.now(), dropped = 0, truncated = false } = more;
    const fits = size + OVERHEAD_BYTES + name.length <= this.#limits.maxBytes;
    const weight = OVERHEAD_BYTES + name.length + (fits ? size : 0);
    const event: LoggedEvent = {
      seq: this.#end,
      time,
      name,
      args: fits ? args : [],
      dropped,
      truncated: truncated || !fits,
    };
    this.#events.push(event);
    this.#weights.push(weight);
    this.#end += 1;
    this.#bytes += weight;
    this.#dropped += dropped;
    while (
      this.#events.length > this.#limits.maxEvents ||
      (this.#bytes > this.#limits.maxBytes && this.#events.length > 1)
    ) {
      this.#shift();
    }
    // Before it is weighed, which may drop it: those who wait for it have it then.
    this.#notify();
    this.#weigh();
    return event;
  }

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

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  wait(wait: EventWait): Promise<EventPage> {
    return waitForEvent(this, wait);
  }

  close(): void {
    this.#closed = true;
    this.#resized?.(-this.#weighed);
    this.#weighed = 0;
    this.#notify();
  }

  /** Drops the older half; false when it is empty. */
  halve(): boolean {
    if (this.#events.length === 0) return false;
    for (let half = (this.#events.length + 1) >> 1; half > 0; half--) this.#shift();
    this.#weigh();
    return true;
  }

  #shift(): void {
    this.#events.shift();
    this.#bytes -= this.#weights.shift() ?? 0;
  }

  #weigh(): void {
    if (this.#closed) return;
    const before = this.#weighed;
    this.#weighed = this.#bytes;
    this.#resized?.(this.#bytes - before);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function waitForEvent(log: MemoryEventLog, wait: EventWait): Promise<EventPage> {
  const { matches, timeoutMs, signal } = wait;
  let page = log.read({ cursor: wait.cursor, limit: 1, matches });
  const readMore = () => {
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
      readMore();
      if (over()) finish();
    });
    signal?.addEventListener("abort", finish, { once: true });
  });
}
