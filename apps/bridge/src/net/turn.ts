/** Waiting bytes beyond which nothing waits any longer: a turn must not grow with what peers ask for. */
const MAX_BYTES = 65_536;

let waiting: (() => void)[] = [];
let bytes = 0;
/** Whether something was written in this turn already. */
let written = false;

/**
 * Writes the first of a turn of the event loop at once, and the others at its end, after everything that has
 * come in was read. A write that wakes a sleeping process costs many times what the next one costs while that
 * process is awake, so writes that follow each other directly are cheap, and those that alternate with reads
 * are not. Whoever is alone does not wait.
 */
export function writeInTurn(length: number, write: () => void): void {
  if (!written) {
    written = true;
    setImmediate(endTurn);
    return write();
  }
  bytes += length;
  waiting.push(write);
  if (bytes > MAX_BYTES) writeAll();
}

/** Writes all that waits now, in the order in which it came. */
export function writeAll(): void {
  if (waiting.length === 0) return;
  const writes = waiting;
  waiting = [];
  bytes = 0;
  for (const write of writes) write();
}

function endTurn(): void {
  written = false;
  writeAll();
}
