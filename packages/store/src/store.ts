import type {
  ChangeStore,
  EventStore,
  HistoryFilter,
  HistoryPage,
  HistorySummary,
  JobStore,
  Provider,
} from "@ccbridge/registry";
import type { EngineName, Row } from "./engine.js";
import type {
  CallRow,
  EventRow,
  ForgetStep,
  Forgotten,
  LinkRow,
  Retention,
  Sight,
  StoreRow,
} from "./rows.js";
import { storedChanges } from "./stored-changes.js";
import { storedEvents } from "./stored-events.js";
import { storedJobs } from "./stored-jobs.js";
import type { StoreMethod } from "./worker-messages.js";
import { WorkerThread } from "./worker-thread.js";
import { WriteQueue } from "./write-queue.js";

export interface StoreOptions {
  readonly file: string;
  readonly retention: Retention;
  /** Removes secrets from what is stored; the same value when there are none. */
  clean?<T>(value: T): T;
  /** Whether history is kept: undefined, or why not. Called when that changes. */
  onTrouble?(reason: string | undefined): void;
  /** A damaged file was put there, and another one begun. */
  onDamage?(path: string): void;
  /** Which engine must be used. @default the first that is there */
  readonly engine?: EngineName | undefined;
}

/** A row of another bridge. The place of an event is beyond {@link ELSEWHERE}. */
export interface ElsewhereRow {
  readonly provider?: Provider | undefined;
  readonly row: CallRow | LinkRow | EventRow;
}

/** How the history is kept now, for people. */
export interface StoreStatus {
  readonly engine: EngineName;
  readonly file: string;
  /** Why nothing is saved at the moment: then it waits in memory. */
  readonly trouble: string | undefined;
  /** Rows that wait, and those that were dropped because too many did. */
  readonly waiting: number;
  readonly dropped: number;
}

/** What a part of the bridge needs to save and read rows. Nothing here rejects. */
export interface StoreAccess {
  readonly isUnclean: boolean;
  add(row: StoreRow): void;
  /** Resolves once the row survives a crash, which it does within this time, or there is trouble. */
  addUrgent(row: StoreRow, withinMs?: number): Promise<void>;
  /** Makes sure that a provider is known before rows name it. */
  introduce(provider: Provider): void;
  clean<T>(value: T): T;
  /** Undefined when it cannot be read. Sees everything that was added before. */
  read<T>(method: StoreMethod, ...args: readonly unknown[]): Promise<T | undefined>;
}

/**
 * The history of a bridge in one SQLite file, written and read by a separate thread. No function but
 * {@link openStore} ever fails: trouble is reported, and what cannot be saved waits in memory.
 */
export class Store {
  readonly jobs: JobStore;
  readonly events: EventStore;
  readonly changes: ChangeStore;
  readonly #thread: WorkerThread;
  readonly #queue: WriteQueue;
  readonly #access: StoreAccess;
  readonly #status: { engine: EngineName; file: string; trouble: string | undefined };
  readonly #states: Map<string, unknown>;
  readonly #closing: (() => void)[] = [];

  /** @internal use {@link openStore} */
  constructor(parts: {
    thread: WorkerThread;
    queue: WriteQueue;
    access: StoreAccess;
    status: { engine: EngineName; file: string; trouble: string | undefined };
    states: Map<string, unknown>;
  }) {
    this.#thread = parts.thread;
    this.#queue = parts.queue;
    this.#access = parts.access;
    this.#status = parts.status;
    this.#states = parts.states;
    this.jobs = storedJobs(parts.access);
    this.events = storedEvents(parts.access);
    this.changes = storedChanges(parts.access);
  }

  get status(): StoreStatus {
    const { size: waiting, dropped } = this.#queue;
    return { ...this.#status, waiting, dropped };
  }

  /** What a part of the bridge saved under this name, in an earlier process. */
  state(name: string): unknown {
    return this.#states.get(name);
  }

  /** All of them whose names begin like this, by the rest of their names. */
  states(prefix: string): ReadonlyMap<string, unknown> {
    const found = [...this.#states].filter(([name]) => name.startsWith(prefix));
    return new Map(found.map(([name, value]) => [name.slice(prefix.length), value]));
  }

  /** Replaces it, and resolves once that survives a crash, or there is trouble. */
  keepState(name: string, value: unknown): Promise<void> {
    const data = JSON.stringify(value);
    return this.#access.addUrgent({ table: "states", name, data, time: Date.now() });
  }

  /** Replaces it: with the next batch, or at once. */
  saveState(name: string, value: unknown, isUrgent = false): void {
    const data = JSON.stringify(value);
    const row = { table: "states", name, data, time: Date.now() } as const;
    if (isUrgent) void this.#access.addUrgent(row);
    else this.#access.add(row);
  }

  addCall(call: CallRow): void {
    this.#access.add(call);
  }

  addLink(provider: Provider, link: Pick<LinkRow, "what" | "reason">): void {
    this.#access.introduce(provider);
    const { key, name } = provider;
    this.#access.add({ table: "links", time: Date.now(), key, name, ...link });
  }

  /** Adds what happened on another bridge. */
  addElsewhere(rows: readonly ElsewhereRow[]): void {
    for (const { provider, row } of rows) {
      if (provider !== undefined) this.#access.introduce(provider);
      this.#access.add(row);
    }
  }

  /** What happened, newest first. */
  async timeline(filter: HistoryFilter, sight: Sight = ALL): Promise<HistoryPage> {
    const page = await this.#access.read<HistoryPage>("timeline", filter, sight);
    return page ?? { entries: [], next: undefined };
  }

  /** What changed, latest first. */
  async summary(filter: Omit<HistoryFilter, "limit">, sight: Sight = ALL): Promise<HistorySummary> {
    const summary = await this.#access.read<HistorySummary>("summary", filter, sight);
    return summary ?? { changes: [], since: undefined };
  }

  /** All providers that are known, as they last introduced themselves. */
  async providers(): Promise<readonly Provider[]> {
    const rows = (await this.#access.read<Row[]>("providers")) ?? [];
    return rows.map((row) => JSON.parse(String(row.data)) as Provider);
  }

  /** Deletes what is kept of one provider, or of the calls of one client. */
  async forget(what: { key?: string; client?: string }): Promise<Forgotten | undefined> {
    const total = { calls: 0, changes: 0, events: 0, jobs: 0, links: 0 };
    for (;;) {
      // In small steps, so that writes come in between.
      const step = await this.#access.read<ForgetStep>("forget", what);
      if (step === undefined) return undefined;
      const { more, ...some } = step;
      for (const [table, count] of Object.entries(some)) total[table as keyof Forgotten] += count;
      if (!more) return total;
    }
  }

  /** From now on older or more than this is deleted. */
  retain(retention: Retention): void {
    void this.#thread.request("retain", retention).catch(() => {});
  }

  async bytes(): Promise<number | undefined> {
    return this.#access.read<number>("bytes");
  }

  /** Calls back before the file is closed, for what is saved only now and then. */
  onClose(listener: () => void): void {
    this.#closing.push(listener);
  }

  /** Saves what waits, and closes the file. */
  async close(): Promise<void> {
    for (const listener of this.#closing.splice(0)) listener();
    await this.#queue.flush();
    this.#queue.close();
    await this.#thread.request("close").catch(() => {});
    await this.#thread.end();
  }
}

/** Opens the history. Rejects with the reason when it cannot be kept in this file. */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { file, engine, retention, onTrouble, onDamage } = options;
  const status = { engine: "libsql" as EngineName, file, trouble: undefined as string | undefined };
  const report = (reason: string | undefined) => {
    status.trouble = reason;
    onTrouble?.(reason);
  };
  let isOpen = false;
  const introduced = new Map<string, Provider>();
  const thread = new WorkerThread(
    { file, engine, retention },
    {
      onDamage(path) {
        introduced.clear();
        onDamage?.(path);
      },
      onEnd: (reason) => isOpen && report(reason),
    },
  );
  const ready = await thread.ready.catch(async (error) => {
    await thread.end();
    throw error;
  });
  status.engine = ready.engine;
  isOpen = true;
  if (ready.damaged !== undefined) onDamage?.(ready.damaged);
  const queue = new WriteQueue({
    write: async (batch) => void (await thread.request("write", batch)),
    onTrouble: report,
  });
  const { clean = <T>(value: T) => value } = options;
  const access: StoreAccess = {
    isUnclean: ready.isUnclean,
    add: (row) => queue.add(row),
    addUrgent: (row, withinMs) => queue.addUrgent(row, withinMs),
    introduce(provider) {
      const { key, name } = provider;
      if (introduced.get(key) === provider) return;
      if (introduced.size >= MAX_INTRODUCED) introduced.clear();
      introduced.set(key, provider);
      queue.add({ table: "providers", key, name, data: JSON.stringify(clean(provider)) });
    },
    clean,
    async read<T>(method: StoreMethod, ...args: readonly unknown[]) {
      try {
        await queue.flush();
        return (await thread.request(method, ...args)) as T;
      } catch {
        return undefined;
      }
    },
  };
  const rows = (await access.read<{ name: string; data: string }[]>("states")) ?? [];
  const states = new Map(rows.map(({ name, data }) => [name, JSON.parse(data) as unknown]));
  return new Store({ thread, queue, access, status, states });
}

const ALL: Sight = { hidden: [], hiddenEvents: [], withoutTools: [] };

/** Providers whose introduction is remembered. */
const MAX_INTRODUCED = 8_192;
