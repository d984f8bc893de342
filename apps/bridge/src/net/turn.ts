import { performance } from "node:perf_hooks";

/** Waiting bytes beyond which everything is written at once: a turn must not grow with what peers ask for. */
const MAX_BYTES = 65_536;
/** As many writes follow each other cheaply; with more, the first peers would only wait for the last. */
const MAX_WRITES = 16;
/** How long something waits that nobody waits for, and for how many peers. */
const LATE_MS = 20;
const MAX_LATE = 256;

let waiting: (() => void)[] = [];
let bytes = 0;
/** The turn in which something was last written. */
let turn = -1;

/**
 * Writes the first of a turn of the event loop at once, and the others at its end, after everything that has
 * come in was read. A write that wakes a sleeping process costs many times what the next one costs while that
 * process is awake, so writes that follow each other directly are cheap, and those that alternate with reads
 * are not. Whoever is alone does not wait.
 */
export function writeInTurn(length: number, write: () => void): void {
  if (waiting.length === 0) {
    // Asking for the number is cheaper than an immediate that ends the turn of a write that was alone.
    const { loopCount } = performance.nodeTiming.uvMetricsInfo;
    if (loopCount !== turn) {
      turn = loopCount;
      return write();
    }
    setImmediate(writeWaiting);
  }
  bytes += length;
  waiting.push(write);
  if (bytes > MAX_BYTES || waiting.length >= MAX_WRITES) writeWaiting();
}

/** Has something small to write that nobody waits for. */
export interface LateWriter {
  /** Writes it now, if it is not written yet. */
  writeLate(): void;
}

let late = new Set<LateWriter>();
let lateTimer: NodeJS.Timeout | undefined;

/** Lets somebody write soon, together with others. */
export function writeLate(writer: LateWriter): void {
  late.add(writer);
  if (late.size >= MAX_LATE) writeLateOnes();
  else lateTimer ??= setTimeout(writeLateOnes, LATE_MS).unref();
}

/** Writes all that waits now, in the order in which it came, and then what is late. */
export function writeAll(): void {
  writeWaiting();
  writeLateOnes();
}

function writeWaiting(): void {
  if (waiting.length === 0) return;
  const writes = waiting;
  waiting = [];
  bytes = 0;
  for (const write of writes) write();
}

function writeLateOnes(): void {
  clearTimeout(lateTimer);
  lateTimer = undefined;
  if (late.size === 0) return;
  const writers = late;
  late = new Set();
  for (const writer of writers) writer.writeLate();
}
