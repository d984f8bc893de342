import type { StoreRow } from "./rows.js";

export interface WriteQueueOptions {
  /** Saves rows, all or none. */
  write(rows: readonly StoreRow[]): Promise<void>;
  /** Whether rows are saved: undefined, or why not. Called when that changes. */
  onTrouble(reason: string | undefined): void;
}

/** A batch waits this long for more rows, unless it has as many; one with a row that is urgent, only this long. */
const BATCH_MS = 1_000;
const BATCH_ROWS = 500;
const URGENT_MS = 5;
/** A batch that takes longer than this means trouble, and callers stop waiting for it. */
const SLOW_MS = 3_000;
const RETRY_MS = 5_000;
/** Rows that wait while nothing can be saved; beyond it the oldest are dropped. */
const MAX_ROWS = 20_000;
const MAX_LENGTH = 32 * 1_024 * 1_024;

/**
 * Rows on their way to the file. One batch is written at a time. While the disk is full or slow the rows wait in
 * memory, up to a bound, and are written as soon as it works again; callers are not kept waiting for it.
 */
export class WriteQueue {
  readonly #options: WriteQueueOptions;
  #rows: StoreRow[] = [];
  #length = 0;
  /** The newest row of each job or state that waits: earlier ones need not be written. */
  #newest = new Map<string, number>();
  #waiting: (() => void)[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isUrgent = false;
  #writing: Promise<void> | undefined;
  #trouble: string | undefined;
  #closed = false;
  dropped = 0;

  constructor(options: WriteQueueOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#rows.length;
  }

  add(row: StoreRow): void {
    if (this.#closed) return;
    const subject = subjectOf(row);
    const earlier = subject === undefined ? undefined : this.#newest.get(subject);
    if (earlier !== undefined) {
      this.#length -= lengthOf(this.#rows[earlier]);
      this.#rows[earlier] = row;
    } else {
      if (subject !== undefined) this.#newest.set(subject, this.#rows.length);
      this.#rows.push(row);
    }
    this.#length += lengthOf(row);
    if (this.#rows.length > MAX_ROWS || this.#length > MAX_LENGTH) this.#drop();
    if (this.#rows.length >= BATCH_ROWS) this.#flushSoon(0);
    else this.#flushSoon(BATCH_MS);
  }

  /** Adds a row whose batch goes at once. Resolves when it is saved, or when there is trouble. */
  addUrgent(row: StoreRow): Promise<void> {
    this.add(row);
    this.#flushSoon(URGENT_MS);
    if (this.#trouble !== undefined || this.#closed) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Writes what waits now. Resolves when that is done, or cannot be. */
  async flush(): Promise<void> {
    while (this.#rows.length > 0 && this.#trouble === undefined) {
      await (this.#writing ?? this.#write());
    }
    await this.#writing;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#release();
  }

  #flushSoon(ms: number): void {
    if (this.#writing !== undefined || this.#trouble !== undefined || this.#closed) return;
    if (this.#timer !== undefined && (this.#isUrgent || ms === BATCH_MS)) return;
    clearTimeout(this.#timer);
    this.#isUrgent = ms < BATCH_MS;
    this.#timer = setTimeout(() => void this.#write(), ms);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
      if (this.#rows.length === 0 || this.#closed) return;
      if (this.#trouble !== undefined) this.#timer = setTimeout(() => void this.#write(), RETRY_MS);
      else this.#flushSoon(this.#waiting.length > 0 ? URGENT_MS : BATCH_MS);
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const rows = this.#rows;
    const waiting = this.#waiting;
    if (rows.length === 0) return;
    this.#rows = [];
    this.#length = 0;
    this.#newest.clear();
    this.#waiting = [];
    const slow = setTimeout(() => {
      this.#setTrouble("the disk is slow");
      for (const resolve of waiting) resolve();
      this.#release();
    }, SLOW_MS);
    try {
      await this.#options.write(rows);
      this.#setTrouble(undefined);
    } catch (error) {
      this.#setTrouble((error as Error).message);
      this.#putBack(rows);
    } finally {
      clearTimeout(slow);
      for (const resolve of waiting) resolve();
    }
  }

  /** They are tried again, in front of what came since. */
  #putBack(rows: readonly StoreRow[]): void {
    const kept = rows.filter((row) => !this.#newest.has(subjectOf(row) ?? ""));
    this.#setRows([...kept, ...this.#rows]);
    this.#drop();
    this.#release();
  }

  #setRows(rows: StoreRow[]): void {
    this.#rows = rows;
    this.#length = 0;
    this.#newest = new Map();
    for (const [index, row] of rows.entries()) {
      this.#length += lengthOf(row);
      const subject = subjectOf(row);
      if (subject !== undefined) this.#newest.set(subject, index);
    }
  }

  /** Down to half of the bounds. What has not ended, and states, are few, and were promised. */
  #drop(): void {
    let rows = this.#rows.length;
    let length = this.#length;
    if (rows <= MAX_ROWS && length <= MAX_LENGTH) return;
    const kept = this.#rows.filter((row) => {
      if (!isDroppable(row) || (rows <= MAX_ROWS / 2 && length <= MAX_LENGTH / 2)) return true;
      rows -= 1;
      length -= lengthOf(row);
      this.dropped += 1;
      return false;
    });
    this.#setRows(kept);
  }

  #setTrouble(reason: string | undefined): void {
    if (this.#trouble === reason) return;
    this.#trouble = reason;
    this.#options.onTrouble(reason);
  }

  #release(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** What a row replaces the earlier row of, if anything. */
function subjectOf(row: StoreRow): string | undefined {
  if (row.table === "jobs") return `job ${row.id}`;
  return row.table === "states" ? `state ${row.name}` : undefined;
}

function isDroppable(row: StoreRow): boolean {
  if (row.table === "jobs") return row.ended !== null;
  return row.table === "events" || row.table === "calls" || row.table === "links";
}

function lengthOf(row: StoreRow | undefined): number {
  if (row === undefined) return 0;
  const {
    data = "",
    payload = "",
    args = "",
    answer = "",
  } = row as unknown as Record<string, string>;
  return 100 + data.length + payload.length + args.length + answer.length;
}
