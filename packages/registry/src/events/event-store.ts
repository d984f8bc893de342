import type { EventWatch } from "@ccbridge/protocol";
import type { Provider } from "../provider.js";
import type { LoggedEvent } from "./event-log.js";

export type ClientWatches = readonly (readonly [client: string, watches: readonly EventWatch[]])[];

export interface StoredLog {
  readonly provider: Provider;
  readonly first: number;
  readonly end: number;
  /** The place of the next event: beyond `end` when the last events may not have been kept. */
  readonly next: number;
  readonly watches: ClientWatches;
}

/** Which stored events are wanted, oldest first: places from `from` to before `to`. */
export interface StoredRange {
  readonly from: number;
  readonly to: number;
  /** Times in milliseconds since 1970, both included. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  readonly limit: number;
}

/**
 * Where events are kept beyond memory and this process. No function rejects or throws: a store that fails reports
 * it by itself, and continues without keeping anything.
 */
export interface EventStore {
  load(): Promise<readonly StoredLog[]>;
  append(provider: Provider, event: LoggedEvent): void;
  saveWatches(provider: Provider, watches: ClientWatches): void;
  read(key: string, range: StoredRange): Promise<readonly LoggedEvent[]>;
}

/** Keeps all events in memory: for tests, and where a registry outlives another. */
export class MemoryEventStore implements EventStore {
  readonly #logs = new Map<
    string,
    { provider: Provider; events: LoggedEvent[]; watches: ClientWatches }
  >();

  async load(): Promise<readonly StoredLog[]> {
    return [...this.#logs.values()].map(({ provider, events, watches }) => {
      const end = (events.at(-1)?.seq ?? -1) + 1;
      return { provider, first: events[0]?.seq ?? end, end, next: end, watches };
    });
  }

  append(provider: Provider, event: LoggedEvent): void {
    const log = this.#logOf(provider);
    log.events.push(structuredClone(event));
  }

  saveWatches(provider: Provider, watches: ClientWatches): void {
    this.#logOf(provider).watches = structuredClone(watches);
  }

  async read(key: string, { from, to, since, until, limit }: StoredRange) {
    return (this.#logs.get(key)?.events ?? [])
      .filter(
        ({ seq, time }) =>
          seq >= from && seq < to && time >= (since ?? 0) && time <= (until ?? Infinity),
      )
      .slice(0, limit);
  }

  #logOf(provider: Provider) {
    const log = this.#logs.get(provider.key) ?? { provider, events: [], watches: [] };
    log.provider = provider;
    this.#logs.set(provider.key, log);
    return log;
  }
}
