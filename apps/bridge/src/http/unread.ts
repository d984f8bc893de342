import { Budget } from "@ccbridge/registry";

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
