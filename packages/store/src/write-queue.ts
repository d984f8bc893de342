import { rowText } from "./journal.js";
import type { StoreRow } from "./rows.js";

/** A row that waits, as text: a thread gets it in a fraction of the time that an object takes. */
interface Waiting {
  /** What it replaces the earlier row of, if anything. */
  readonly subject: string | undefined;
  /** Whether it may be dropped when too many wait. */
  readonly isDroppable: boolean;
  readonly text: string;
}

interface BatchPromise {
  readonly saved: Promise<void>;
  resolve(): void;
}

export interface WriteQueueOptions {
  /** Saves a batch, a list of rows as text: all of them or none. */
  write(batch: string): Promise<void>;
  /** Whether rows are saved: undefined, or why not. Called when that changes. */
  onTrouble(reason: string | undefined): void;
}

/** A batch waits this long for more rows, unless it has as many, or one of its rows has less time. */
const BATCH_MS = 1_000;
const BATCH_ROWS = 500;
const URGENT_MS = 5;
/** More rows than this go in several batches: after trouble there are many. */
const MAX_BATCH_ROWS = 2_000;
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
  #rows: Waiting[] = [];
  #length = 0;
  /** The newest row of each job or state that waits: earlier ones need not be written. */
  #newest = new Map<string, number>();
  /** Settles with the batch of the rows that wait now: one promise for all of them. */
  #batch: BatchPromise | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** How long the rows that wait may wait. */
  #withinMs = Number.POSITIVE_INFINITY;
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
    const waiting = { subject, isDroppable: isDroppable(row), text: rowText(row) };
    const earlier = subject === undefined ? undefined : this.#newest.get(subject);
    if (earlier !== undefined) {
      this.#length -= this.#rows[earlier]?.text.length ?? 0;
      this.#rows[earlier] = waiting;
    } else {
      if (subject !== undefined) this.#newest.set(subject, this.#rows.length);
      this.#rows.push(waiting);
    }
    this.#length += waiting.text.length;
    if (this.#rows.length > MAX_ROWS || this.#length > MAX_LENGTH) this.#drop();
    this.#flushWithin(this.#rows.length >= BATCH_ROWS ? 0 : BATCH_MS);
  }

  /** Adds a row that has less time. Resolves when it is saved, or when there is trouble. */
  addUrgent(row: StoreRow, withinMs = URGENT_MS): Promise<void> {
    this.add(row);
    this.#flushWithin(withinMs);
    if (this.#trouble !== undefined || this.#closed) return Promise.resolve();
    this.#batch ??= batchPromise();
    return this.#batch.saved;
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

  #flushWithin(ms: number): void {
    if (ms >= this.#withinMs || this.#closed) return;
    this.#withinMs = ms;
    if (this.#writing === undefined && this.#trouble === undefined) this.#writeIn(ms);
  }

  #writeIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#write(), ms);
  }

  #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#writing ??= this.#writeBatch().finally(() => {
      this.#writing = undefined;
      if (this.#rows.length === 0 || this.#closed) return;
      this.#writeIn(this.#trouble === undefined ? this.#withinMs : RETRY_MS);
    });
    return this.#writing;
  }

  async #writeBatch(): Promise<void> {
    const [rows, batch] = this.#take();
    if (rows.length === 0) return;
    const slow = setTimeout(() => {
      this.#setTrouble("the disk is slow");
      batch?.resolve();
      this.#release();
    }, SLOW_MS);
    try {
      await this.#options.write(`[${rows.map(({ text }) => text).join(",")}]`);
      this.#setTrouble(undefined);
    } catch (error) {
      this.#setTrouble((error as Error).message);
      this.#putBack(rows);
    } finally {
      clearTimeout(slow);
      batch?.resolve();
    }
  }

  /** The rows of the next batch, and the promise that settles with the last of them. */
  #take(): [rows: readonly Waiting[], batch: BatchPromise | undefined] {
    const rows = this.#rows;
    if (rows.length > MAX_BATCH_ROWS) {
      this.#setRows(rows.slice(MAX_BATCH_ROWS));
      this.#withinMs = 0;
      return [rows.slice(0, MAX_BATCH_ROWS), undefined];
    }
    const batch = this.#batch;
    this.#setRows([]);
    this.#withinMs = Number.POSITIVE_INFINITY;
    this.#batch = undefined;
    return [rows, batch];
  }

  /** They are tried again, in front of what came since. */
  #putBack(rows: readonly Waiting[]): void {
    const kept = rows.filter(({ subject = "" }) => !this.#newest.has(subject));
    this.#setRows([...kept, ...this.#rows]);
    this.#drop();
    this.#release();
  }

  #setRows(rows: Waiting[]): void {
    this.#rows = rows;
    this.#length = 0;
    this.#newest = new Map();
    for (const [index, row] of rows.entries()) {
      this.#length += row.text.length;
      const { subject } = row;
      if (subject !== undefined) this.#newest.set(subject, index);
    }
  }

  /** Down to half of the bounds. What has not ended, and states, are few, and were promised. */
  #drop(): void {
    let rows = this.#rows.length;
    let length = this.#length;
    if (rows <= MAX_ROWS && length <= MAX_LENGTH) return;
    const kept = this.#rows.filter((row) => {
      if (!row.isDroppable || (rows <= MAX_ROWS / 2 && length <= MAX_LENGTH / 2)) return true;
      rows -= 1;
      length -= row.text.length;
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
    this.#batch?.resolve();
    this.#batch = undefined;
  }
}

function batchPromise(): BatchPromise {
  let resolve = () => {};
  const saved = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { saved, resolve };
}

function subjectOf(row: StoreRow): string | undefined {
  if (row.table === "jobs") return row.id;
  if (row.table === "changes") return `change ${row.id}`;
  return row.table === "states" ? `state ${row.name}` : undefined;
}

function isDroppable(row: StoreRow): boolean {
  if (row.table === "jobs") return row.ended !== null;
  // A change without its content is still known, and cannot be undone.
  return ["events", "calls", "links", "changes", "contents"].includes(row.table);
}
