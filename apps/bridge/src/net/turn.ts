/** Waiting bytes beyond which nothing waits any longer: a turn must not grow with what peers ask for. */
const MAX_BYTES = 65_536;

let waiting: (() => void)[] = [];
let bytes = 0;

/**
 * Writes at the end of this turn of the event loop, after everything that has come in was read. A write that
 * wakes a sleeping process costs many times what the next one costs while that process is awake, so writes
 * that follow each other directly are cheap, and those that alternate with reads are not.
 */
export function writeAtEndOfTurn(length: number, write: () => void): void {
  bytes += length;
  if (waiting.push(write) === 1) setImmediate(writeAll);
  if (bytes > MAX_BYTES) writeAll();
}

/** Writes all that waits now, in the order in which it came. */
export function writeAll(): void {
  const writes = waiting;
  waiting = [];
  bytes = 0;
  for (const write of writes) write();
}
