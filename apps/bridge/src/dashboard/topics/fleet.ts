import type { Kinds } from "@ccbridge/mcp-tools";
import type { FleetRow, TopicData } from "@ccbridge/protocol/dashboard";
import {
  type Departure,
  type Provider,
  type ProviderPort,
  type Stop,
  stopOnceStarted,
} from "@ccbridge/registry";
import type { Watch } from "./watch.js";

export async function linkedRows(
  kinds: Kinds,
  providers: ProviderPort,
  isListed: (provider: Provider) => boolean,
): Promise<FleetRow[]> {
  const views = await providers.list();
  return views
    .filter(({ provider }) => isListed(provider))
    .map(({ provider, state, linkedAt, lastSeenAt, runningJobs, bridge = null }) => ({
      ...factsOf(kinds, provider),
      ...{ state, linkedAt, lastSeenAt, runningJobs, bridge },
    }));
}

export function awayRow(
  kinds: Kinds,
  { provider, at }: Departure,
  place: FleetRow["place"],
): FleetRow {
  const away = { state: "away", linkedAt: null, lastSeenAt: at, runningJobs: 0 } as const;
  return { ...factsOf(kinds, provider), ...away, place };
}

function factsOf(kinds: Kinds, provider: Provider) {
  const { key, name } = provider;
  const none = { program: null, lock: null, place: null, bridge: null };
  return { key, name, ...none, ...kinds.dashboardFacts(provider) };
}

/** Poll interval while a page watches: jobs begin and end without a change event. */
const POLL_MS = 1_000;
const SOON_MS = 100;

type Listener = (changed: readonly string[]) => void;

/** The rows of one token's providers, kept up to date while a page watches. */
export class KeptFleet {
  readonly #changes: ProviderPort["changes"];
  readonly #read: () => Promise<readonly FleetRow[]>;
  readonly #listeners = new Set<Listener>();
  #rows = new Map<string, FleetRow>();
  #problem: Error | undefined;
  #stop: Stop | undefined;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;
  #first: Promise<void> | undefined;

  constructor(changes: ProviderPort["changes"], read: () => Promise<readonly FleetRow[]>) {
    this.#changes = changes;
    this.#read = read;
  }

  /** The current rows. Rejects when the client may not read them. */
  async rows(): Promise<ReadonlyMap<string, FleetRow>> {
    await this.#first;
    if (this.#problem !== undefined) throw this.#problem;
    return this.#rows;
  }

  /** Reports the keys of changed rows; none when the rows can no longer be read. */
  watch(listener: Listener): Stop {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      this.#problem = undefined;
      this.#first = this.#refresh();
      this.#stop = stopOnceStarted(
        this.#changes.subscribe(() => this.#schedule(SOON_MS), {
          topics: ["linked", "unlinked", "state", "tools"],
        }),
      );
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

  #schedule(withinMs: number): void {
    if (this.#problem !== undefined) return;
    const dueAt = performance.now() + withinMs;
    if (this.#timer !== undefined && this.#dueAt <= dueAt) return;
    clearTimeout(this.#timer);
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#refresh();
    }, withinMs);
    this.#timer.unref();
  }

  async #refresh(): Promise<void> {
    const read = await this.#read().catch((error: Error) => error);
    if (this.#listeners.size === 0) return;
    if (read instanceof Error) {
      this.#problem = read;
      return this.#notify([]);
    }
    const before = this.#rows;
    const changed: string[] = [];
    this.#rows = new Map(
      read.map((row) => {
        const old = before.get(row.key);
        const kept = old !== undefined && isSame(old, row) ? old : row;
        if (kept !== old) changed.push(row.key);
        return [row.key, kept];
      }),
    );
    for (const key of before.keys()) if (!this.#rows.has(key)) changed.push(key);
    if (changed.length > 0) this.#notify(changed);
    this.#schedule(POLL_MS);
  }

  #notify(changed: readonly string[]): void {
    for (const listener of [...this.#listeners]) listener(changed);
  }
}

/** A live provider updates lastSeenAt constantly: that alone is not a change. */
function isSame(a: FleetRow, b: FleetRow): boolean {
  return (
    a.state === b.state &&
    (a.lastSeenAt === b.lastSeenAt || a.state === "live") &&
    a.runningJobs === b.runningJobs &&
    a.label === b.label &&
    a.name === b.name &&
    a.bridge === b.bridge &&
    a.linkedAt === b.linkedAt
  );
}

export function watchFleet(fleet: KeptFleet, ready: () => void): Watch<TopicData<"fleet">> {
  let isFull = false;
  let changed = new Set<string>();
  const stop = fleet.watch((keys) => {
    for (const key of keys) changed.add(key);
    ready();
  });
  return {
    async poll() {
      const rows = await fleet.rows();
      const keys = [...changed];
      changed = new Set();
      if (!isFull) {
        isFull = true;
        return { full: true, rows: [...rows.values()], gone: [] };
      }
      if (keys.length === 0) return undefined;
      return {
        full: false,
        rows: keys.flatMap((key) => rows.get(key) ?? []),
        gone: keys.filter((key) => !rows.has(key)),
      };
    },
    close: stop,
  };
}
