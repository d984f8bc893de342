import { BoundedMap } from "../bounded-map.js";
import type { RegistryLimits } from "../limits.js";
import type { Memory } from "../memory.js";
import type { Provider } from "../provider.js";
import { printable } from "../text.js";
import type { EventLog } from "./event-log.js";
import { MemoryEventLog } from "./memory-event-log.js";
import { WatchLists } from "./watch-list.js";

/** How far the clock of a provider may be off before it is not believed. */
const EARLY_MS = 60_000;
const LATE_MS = 86_400_000;

export interface ProviderEvents {
  readonly provider: Provider;
  readonly log: EventLog;
  readonly linked: boolean;
  /** What it is asked to send, now and on its next links, and for whom. */
  readonly watches: WatchLists;
}

export interface IncomingEvent {
  readonly name: string;
  readonly args: readonly unknown[];
  /** The length of the message that carried it. */
  readonly size: number;
  /** The provider's own count of what it sends, if it counts: gaps in it are lost events. */
  readonly seq?: number | undefined;
  /** When it happened, by the provider's clock. */
  readonly time?: number | undefined;
  readonly dropped?: number | undefined;
  readonly truncated?: boolean | undefined;
}

interface Entry extends ProviderEvents {
  provider: Provider;
  readonly log: MemoryEventLog;
  linked: boolean;
  /** The count of the next event, if none gets lost. */
  nextSeq: number | undefined;
}

export interface EventsOptions {
  limits: Readonly<RegistryLimits>;
  memory: Memory;
  onEvent(provider: Provider, event: string): void;
}

/** The events of the linked providers, and of the last ones that are gone. */
export class Events {
  readonly #options: EventsOptions;
  readonly #linked = new Map<string, Entry>();
  readonly #gone: BoundedMap<string, Entry>;

  constructor(options: EventsOptions) {
    this.#options = options;
    this.#gone = new BoundedMap(options.limits.keepEventLogs, ({ log }) => log.close());
    options.memory.releaseBy("events", (key) => {
      return (this.#linked.get(key) ?? this.#gone.get(key))?.log.halve() === true;
    });
  }

  of({ provider }: { readonly provider: Provider }): ProviderEvents {
    return this.#entryOf(provider);
  }

  /** The events of a provider by its key, if anything is known of them. */
  get(key: string): ProviderEvents | undefined {
    return this.#linked.get(key) ?? this.#gone.get(key);
  }

  /** All providers with events or watches, gone ones included. */
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
    entry.log.append({
      name: printable(name),
      args,
      size,
      time: believable(time),
      dropped: dropped + lost,
      truncated,
    });
    this.#options.onEvent(entry.provider, name);
  }

  /** A provider is linked (again), or says again who it is. */
  linked(provider: Provider): void {
    const { key } = provider;
    const entry = this.#gone.get(key) ?? this.#linked.get(key);
    if (entry === undefined) return;
    this.#gone.delete(key);
    this.#linked.set(key, entry);
    entry.provider = provider;
    entry.linked = true;
  }

  /** A link is gone. Its events are kept until many others are gone too. */
  unlinked(key: string): void {
    const entry = this.#linked.get(key);
    if (entry === undefined) return;
    this.#linked.delete(key);
    entry.linked = false;
    this.#gone.set(key, entry);
  }

  /** Lets go of everyone who waits, as when the bridge stops. */
  close(): void {
    for (const { log } of this.list()) log.close();
    this.#linked.clear();
    this.#gone.clear();
  }

  #entryOf(provider: Provider): Entry {
    const { key } = provider;
    const known = this.#linked.get(key) ?? this.#gone.get(key);
    if (known !== undefined) return known;
    const { limits, memory } = this.#options;
    const { maxEvents, maxEventBytes } = limits;
    const log = new MemoryEventLog({ maxEvents, maxBytes: maxEventBytes }, (delta) =>
      memory.resize(key, delta),
    );
    const entry: Entry = {
      provider,
      log,
      watches: new WatchLists(),
      linked: true,
      nextSeq: undefined,
    };
    this.#linked.set(key, entry);
    return entry;
  }
}

/** A time by a provider's clock, or now where that clock is plainly wrong. */
function believable(time: number | undefined): number {
  const now = Date.now();
  if (time === undefined || time > now + EARLY_MS || time < now - LATE_MS) return now;
  return Math.round(time);
}
