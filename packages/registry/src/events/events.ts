import { BoundedMap, type Memory } from "../budget.js";
import type { RegistryLimits } from "../limits.js";
import type { Provider } from "../provider.js";
import { printable } from "../text.js";
import type { EventLog, EventPage, EventWait, LoggedEvent, NewEvent } from "./event-log.js";
import type { EventStore, StoredLog } from "./event-store.js";
import { MemoryEventLog } from "./memory-event-log.js";
import { readStored, type Stored, type TimedReadOptions, takes } from "./stored-log.js";
import { WatchLists } from "./watch-list.js";

/** How far the clock of a provider may be off before it is not believed. */
const EARLY_MS = 60_000;
const LATE_MS = 86_400_000;

/** After a restart the watches of a client wait for it this long. */
const KEEP_WATCHES_MS = 3_600_000;

export interface ProviderEvents {
  readonly provider: Provider;
  readonly log: EventLog;
  /** The place of the oldest event that a reader without a cursor gets. */
  readonly first: number;
  readonly linked: boolean;
  readonly watches: WatchLists;
  read(options: TimedReadOptions): Promise<EventPage>;
  wait(wait: EventWait): Promise<EventPage>;
}

export interface IncomingEvent {
  readonly name: string;
  readonly args: readonly unknown[];
  readonly size: number;
  /** The provider's own count of what it sends, if it counts: gaps in it are lost events. */
  readonly seq?: number | undefined;
  readonly time?: number | undefined;
  readonly dropped?: number | undefined;
  readonly truncated?: boolean | undefined;
}

/** The events of one provider: the newest in memory, older ones in the store, if there is one. */
class Entry implements ProviderEvents {
  provider: Provider;
  linked: boolean;
  nextSeq: number | undefined;
  readonly log: MemoryEventLog;
  readonly watches: WatchLists;
  readonly #stored: Stored | undefined;

  constructor(provider: Provider, linked: boolean, options: EventsOptions, from?: StoredLog) {
    const { key } = provider;
    this.provider = provider;
    this.linked = linked;
    const { limits, memory } = options;
    // What belongs to a scope ends with this process, and the scope is a secret.
    const store = provider.scope === undefined ? options.store : undefined;
    const { first = 0, end = 0, next = 0, watches } = from ?? {};
    const { maxEvents, maxEventBytes: maxBytes } = limits;
    const resized = (delta: number) => memory.resize(key, delta);
    this.log = new MemoryEventLog({ maxEvents, maxBytes }, resized, next);
    const unsaved = next > end ? { from: end, to: next } : undefined;
    this.#stored = store && { store, key, first, unsaved };
    this.watches = new WatchLists(
      watches,
      store && ((lists) => store.saveWatches(this.provider, lists)),
    );
  }

  get first(): number {
    const { log } = this;
    const oldest = this.#stored?.first ?? log.first;
    return Math.min(log.first, Math.max(oldest, log.end - log.maxEvents));
  }

  append(event: NewEvent): LoggedEvent {
    const logged = this.log.append(event);
    this.#stored?.store.append(this.provider, logged);
    return logged;
  }

  async read(options: TimedReadOptions): Promise<EventPage> {
    if (this.#stored === undefined) return this.log.read({ ...options, matches: takes(options) });
    return readStored(this.log, this.#stored, options);
  }

  async wait(wait: EventWait): Promise<EventPage> {
    if (this.#stored === undefined || wait.cursor >= this.log.first) return this.log.wait(wait);
    const { cursor, matches } = wait;
    const past = await this.read({ cursor, limit: 1, matches });
    if (past.events.length > 0) return past;
    const page = await this.log.wait({ ...wait, cursor: past.next });
    const missed = past.missed + page.missed;
    const dropped = past.dropped + page.dropped;
    return { ...past, events: page.events, next: page.next, missed, dropped };
  }
}

export interface EventsOptions {
  limits: Readonly<RegistryLimits>;
  memory: Memory;
  store?: EventStore | undefined;
  onEvent(provider: Provider, event: string): void;
}

export class Events {
  readonly #options: EventsOptions;
  readonly #linked = new Map<string, Entry>();
  readonly #gone: BoundedMap<string, Entry>;
  #absence: ReturnType<typeof setTimeout> | undefined;
  /** Called with every event that is kept. */
  onKept: ((provider: Provider, event: LoggedEvent) => void) | undefined;

  constructor(options: EventsOptions) {
    this.#options = options;
    const { limits, store } = options;
    // With a store, its events may leave memory, but its cursors and watches count on the next link.
    const keep = store === undefined ? limits.keepEventLogs : limits.maxLinks;
    this.#gone = new BoundedMap(keep, ({ log }) => log.close());
    options.memory.releaseBy("events", (key) => {
      return (this.#linked.get(key) ?? this.#gone.get(key))?.log.halve() === true;
    });
  }

  /** Takes over the logs of an earlier process, before any provider is linked. */
  restore(logs: readonly StoredLog[]): void {
    if (logs.length > 0) this.#absence = setTimeout(() => this.#clearAbsent(), KEEP_WATCHES_MS);
    this.#absence?.unref?.();
    for (const log of logs) {
      const { provider } = log;
      this.#gone.set(provider.key, new Entry(provider, false, this.#options, log));
    }
  }

  of({ provider }: { readonly provider: Provider }): ProviderEvents {
    return this.#entryOf(provider);
  }

  get(key: string): ProviderEvents | undefined {
    return this.#linked.get(key) ?? this.#gone.get(key);
  }

  list(): readonly ProviderEvents[] {
    return [...this.#linked.values(), ...this.#gone.values()];
  }

  receive(provider: Provider, event: IncomingEvent): void {
    const { seq, name, args, size, time, dropped = 0, truncated = false } = event;
    const entry = this.#entryOf(provider);
    // A count that goes back is a program that was started again.
    const expected = seq === undefined ? undefined : entry.nextSeq;
    const lost = expected === undefined ? 0 : Math.max(0, (seq ?? 0) - expected);
    entry.nextSeq = seq === undefined ? undefined : seq + 1;
    const kept = entry.append({
      name: printable(name),
      args,
      size,
      time: believable(time),
      dropped: dropped + lost,
      truncated,
    });
    this.onKept?.(entry.provider, kept);
    this.#options.onEvent(entry.provider, name);
  }

  linked(provider: Provider): void {
    const { key } = provider;
    const entry = this.#gone.get(key) ?? this.#linked.get(key);
    if (entry === undefined) return;
    this.#gone.delete(key);
    this.#linked.set(key, entry);
    entry.provider = provider;
    entry.linked = true;
  }

  unlinked(key: string): void {
    const entry = this.#linked.get(key);
    if (entry === undefined) return;
    this.#linked.delete(key);
    entry.linked = false;
    this.#gone.set(key, entry);
  }

  #clearAbsent(): void {
    for (const { watches } of this.list()) watches.clearAbsent();
  }

  close(): void {
    clearTimeout(this.#absence);
    for (const { log } of this.list()) log.close();
    this.#linked.clear();
    this.#gone.clear();
  }

  #entryOf(provider: Provider): Entry {
    const { key } = provider;
    const known = this.#linked.get(key) ?? this.#gone.get(key);
    if (known !== undefined) return known;
    const entry = new Entry(provider, true, this.#options);
    this.#linked.set(key, entry);
    return entry;
  }
}

function believable(time: number | undefined): number {
  const now = Date.now();
  if (time === undefined || time > now + EARLY_MS || time < now - LATE_MS) return now;
  return Math.round(time);
}
