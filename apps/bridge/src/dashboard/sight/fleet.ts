import type { FleetRow } from "@ccbridge/protocol/dashboard";
import type { ProviderPort, Stop } from "@ccbridge/registry";
import type { Departure } from "./departures.js";
import { awayRow, rowsOf } from "./fleet-rows.js";

/** How often the fleet is looked at while somebody watches: jobs begin and end without a word. */
const LOOK_MS = 1_000;
/** How soon after a word, at most so often. */
const SOON_MS = 100;

type Listener = (changed: readonly string[]) => void;

/** The providers of one port as rows, kept up to date while anybody watches. */
export class Fleet {
  readonly #providers: ProviderPort;
  readonly #departures: () => Iterable<Departure>;
  readonly #listeners = new Set<Listener>();
  #rows = new Map<string, FleetRow>();
  #stop: Stop | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #first: Promise<void> | undefined;

  constructor(providers: ProviderPort, departures: () => Iterable<Departure>) {
    this.#providers = providers;
    this.#departures = departures;
  }

  get rows(): ReadonlyMap<string, FleetRow> {
    return this.#rows;
  }

  /** Tells which rows have changed, until the returned function is called. */
  watch(listener: Listener): Stop {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#first = this.#look();
      this.#stop = this.#providers.changes.subscribe(({ topic }) => {
        if (topic !== "events") this.#schedule(SOON_MS);
      });
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      this.#stop?.();
      clearTimeout(this.#timer);
      this.#timer = undefined;
      this.#rows = new Map();
    };
  }

  /** Resolves when the rows are those of now. */
  async ready(): Promise<void> {
    await this.#first;
  }

  #schedule(withinMs: number): void {
    const dueAt = performance.now() + withinMs;
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#look();
    }, withinMs);
    this.#timer.unref();
  }

  async #look(): Promise<void> {
    const before = this.#rows;
    const rows = new Map<string, FleetRow>();
    const changed: string[] = [];
    const add = (row: FleetRow) => {
      const old = before.get(row.key);
      const kept = old !== undefined && isSame(old, row) ? old : row;
      if (kept !== old) changed.push(row.key);
      rows.set(row.key, kept);
    };
    for (const row of await rowsOf(this.#providers)) add(row);
    for (const departure of this.#departures()) {
      if (!rows.has(departure.provider.key)) add(awayRow(departure));
    }
    if (this.#listeners.size === 0) return;
    for (const key of before.keys()) if (!rows.has(key)) changed.push(key);
    this.#rows = rows;
    if (changed.length > 0) for (const listener of [...this.#listeners]) listener(changed);
    this.#schedule(LOOK_MS);
  }
}

/** A live provider is heard from all the time: that alone is not a change. */
function isSame(a: FleetRow, b: FleetRow): boolean {
  return (
    a.state === b.state &&
    (a.lastSeenAt === b.lastSeenAt || a.state === "live") &&
    a.runningJobs === b.runningJobs &&
    a.label === b.label &&
    a.name === b.name &&
    a.linkedAt === b.linkedAt
  );
}
