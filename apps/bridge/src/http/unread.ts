import { Budget } from "@ccbridge/registry";

/** A peer that may not have read all that was written for it. */
export interface Reader {
  /** Bytes that wait for it, with {@link MESSAGE_COST} for each message. */
  readonly unreadBytes: number;
  /** Ends its connection. */
  drop(reason: string): void;
}

/** What a waiting message costs beside its bytes. Small ones cost several times what they hold. */
export const MESSAGE_COST = 512;
/** Less than this is on its way to every peer. */
const WORTH_COUNTING = 16_384;

/** Bounds what all peers of a listener leave unread: the one with the most is dropped first. */
export class UnreadBudget {
  readonly #budget: Budget<Reader>;

  constructor(total: number) {
    this.#budget = new Budget({ total });
  }

  /** Call after each write. */
  note(reader: Reader): void {
    this.#measure(reader);
    if (!this.#budget.isOver) return;
    // The others were measured when something was written for them; they may have read since.
    for (const [each] of [...this.#budget.peers()]) this.#measure(each);
    this.#budget.shed((worst, bytes) =>
      worst.drop(`it did not read: ${bytes} bytes waited, and too many for others`),
    );
  }

  /** The connection is over. */
  release(reader: Reader): void {
    this.#budget.release(reader);
  }

  #measure(reader: Reader): void {
    const { unreadBytes } = reader;
    this.#budget.set(reader, unreadBytes < WORTH_COUNTING ? 0 : unreadBytes);
  }
}
