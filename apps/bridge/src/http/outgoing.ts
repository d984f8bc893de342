import { Budget } from "@ccbridge/registry";

const MAX_BYTES = 65_536;
const MAX_WRITES = 16;

/** Is corked while a batch is written, so that several writes to it become one system call. */
export interface Corkable {
  cork(): unknown;
  uncork(): unknown;
}

interface QueuedWrite {
  readonly write: () => void;
  readonly to: Corkable | undefined;
}

let queue: QueuedWrite[] = [];
let bytes = 0;
let isBatching = false;

/**
 * Writes at once, unless something was written since received data was read: then it waits until all of that was
 * read. Consecutive writes cost much less than writes that alternate with reads, because each of those wakes a
 * sleeping peer; but a peer that is alone should not wait for work that has nothing to do with it.
 */
export function queueWrite(length: number, write: () => void, to?: Corkable): void {
  if (!isBatching) {
    isBatching = true;
    setImmediate(flushWrites);
    return write();
  }
  queue.push({ write, to });
  bytes += length;
  if (bytes > MAX_BYTES || queue.length >= MAX_WRITES) writeQueued();
}

export function flushWrites(): void {
  writeQueued();
  // A write may have led to further ones.
  if (queue.length > 0) setImmediate(flushWrites);
  else isBatching = false;
}

function writeQueued(): void {
  const writes = queue;
  queue = [];
  bytes = 0;
  for (const { to } of writes) to?.cork();
  for (const { write } of writes) write();
  for (const { to } of writes) to?.uncork();
}

export interface Reader {
  /** Queued bytes, with {@link MESSAGE_COST} for each message. */
  readonly unreadBytes: number;
  drop(reason: string): void;
}

export const MESSAGE_COST = 512;
const WORTH_COUNTING = 16_384;

/** Bounds what all peers of a listener leave unread: the one with the most is dropped first. */
export class UnreadBudget {
  readonly #budget: Budget<Reader>;

  constructor(total: number) {
    this.#budget = new Budget({ total });
  }

  note(reader: Reader): void {
    this.#measure(reader);
    if (!this.#budget.isOver) return;
    // The others were measured at their last write, and may have read since.
    for (const [each] of [...this.#budget.peers()]) this.#measure(each);
    this.#budget.shed((worst, bytes) =>
      worst.drop(`it did not read: ${bytes} bytes waited, and too many for others`),
    );
  }

  release(reader: Reader): void {
    this.#budget.release(reader);
  }

  #measure(reader: Reader): void {
    const { unreadBytes } = reader;
    this.#budget.set(reader, unreadBytes < WORTH_COUNTING ? 0 : unreadBytes);
  }
}
