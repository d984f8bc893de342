import { afterEach, beforeEach, it, vi } from "vitest";
import type { JobRecord, JobStore } from "../../src/index.js";
import { MemoryJobStore } from "../../src/testing/index.js";
import { type JobFile, outliveRestarts, SAVE_MS } from "./restarts.js";

class BatchingFile implements JobFile {
  readonly #saved = new MemoryJobStore();
  #process: { batch: Map<string, JobRecord>; waiting: (() => void)[] } | undefined;

  constructor() {
    setInterval(() => this.#flush(), SAVE_MS / 2);
  }

  open(): JobStore {
    const process = { batch: new Map<string, JobRecord>(), waiting: [] as (() => void)[] };
    this.#process = process;
    return {
      load: (endedAfter) => this.#saved.load(endedAfter),
      get: async (id) => process.batch.get(id) ?? this.#saved.get(id),
      save(record) {
        process.batch.set(record.id, structuredClone(record));
        return new Promise((resolve) => process.waiting.push(resolve));
      },
    };
  }

  kill(): void {
    this.#process = undefined;
  }

  async close(): Promise<void> {
    this.#flush();
    this.kill();
  }

  saved(id: string) {
    return this.#saved.get(id);
  }

  #flush(): void {
    for (const record of this.#process?.batch.values() ?? []) void this.#saved.save(record);
    this.#process?.batch.clear();
    for (const resolve of this.#process?.waiting.splice(0) ?? []) resolve();
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("runs each job once and forgets none, however often the bridge restarts or crashes", () =>
  outliveRestarts(() => new BatchingFile(), 300));
