// The model of jobs over restarts, with the tables, the queue and the records of this package on a real file.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { JobStore } from "@ccbridge/registry";
import { afterEach, beforeEach, it, vi } from "vitest";
import { type JobFile, outliveRestarts } from "../../registry/test/jobs/restarts.js";
import { HistoryDatabase } from "../src/database.js";
import { Engine } from "../src/engine.js";
import { rowsOf } from "../src/journal.js";
import type { StoreAccess } from "../src/store.js";
import { storedJobs } from "../src/stored-jobs.js";
import { WriteQueue } from "../src/write-queue.js";
import { scratchFile } from "./helpers.js";

/** What the thread of the store takes for a batch. */
const WRITE_MS = 7;

class DatabaseFile implements JobFile {
  readonly #engine: Engine;
  #database: HistoryDatabase | undefined;
  #queue: WriteQueue | undefined;

  constructor() {
    const file = scratchFile();
    mkdirSync(dirname(file), { recursive: true });
    const engine = Engine.open(file);
    if (engine === undefined) throw new Error("no engine");
    // One connection for all processes: libsql lets go of a file only some time after it was closed.
    this.#engine = engine;
  }

  open(): JobStore {
    const database = new HistoryDatabase(this.#engine);
    const queue = new WriteQueue({
      write: (batch) => this.#write(database, batch),
      onTrouble: () => {},
    });
    this.#database = database;
    this.#queue = queue;
    return storedJobs({
      ...this.#access,
      add: (row) => queue.add(row),
      addUrgent: (row, withinMs) => queue.addUrgent(row, withinMs),
      async read<T>(method: string, ...args: unknown[]) {
        const flushed = queue.flush();
        await vi.advanceTimersByTimeAsync(2 * WRITE_MS);
        await flushed;
        return read<T>(database, method, args);
      },
      introduce({ key, ...provider }) {
        const data = JSON.stringify({ key, ...provider });
        queue.add({ table: "providers", key, name: provider.name, data });
      },
    });
  }

  kill(): void {
    this.#database = undefined;
    this.#queue?.close();
  }

  async close(): Promise<void> {
    await this.#queue?.flush();
    this.kill();
  }

  saved(id: string) {
    return storedJobs(this.#access).get(id);
  }

  get #access(): StoreAccess {
    return {
      isUnclean: false,
      add: () => {},
      addUrgent: async () => {},
      introduce: () => {},
      clean: (value) => value,
      read: async <T>(method: string, ...args: unknown[]) =>
        this.#database && read<T>(this.#database, method, args),
    };
  }

  #write(database: HistoryDatabase, batch: string): Promise<void> {
    return new Promise((resolve) => {
      setTimeout(() => {
        // A killed process writes nothing more.
        if (this.#database !== database) return;
        database.write(rowsOf(batch));
        resolve();
      }, WRITE_MS);
    });
  }
}

function read<T>(database: HistoryDatabase, method: string, args: readonly unknown[]): T {
  const run = database[method as "job"] as (...values: unknown[]) => unknown;
  return run.apply(database, [...args]) as T;
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("runs each job once and forgets none, however often the bridge restarts or crashes", () =>
  outliveRestarts(() => new DatabaseFile(), 100));
