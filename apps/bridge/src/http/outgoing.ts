const MAX_BYTES = 65_536;
const MAX_WRITES = 16;

let queue: (() => void)[] = [];
let bytes = 0;

/**
 * Queues a write until all received data was read. Consecutive writes cost much less than writes
 * that alternate with reads, because each of those wakes a sleeping peer.
 */
export function queueWrite(length: number, write: () => void): void {
  if (queue.length === 0) setImmediate(flushWrites);
  queue.push(write);
  bytes += length;
  if (bytes > MAX_BYTES || queue.length >= MAX_WRITES) flushWrites();
}

export function flushWrites(): void {
  const writes = queue;
  queue = [];
  bytes = 0;
  for (const write of writes) write();
}
