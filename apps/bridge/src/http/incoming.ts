import { Budget } from "@ccbridge/registry";

export interface Unfinished {
  readonly address: string;
  drop(reason: string): void;
}

/** Up to this length they are bounded by the number of connections, and not counted. */
export const UNCOUNTED_BYTES = 4_096;

/**
 * Bounds the incomplete messages of all peers of a listener. Each message has its own limit, but
 * thousands of peers may send half of one and wait. The oldest message of the address with the most
 * bytes is dropped first: an honest peer completes its message at once.
 */
export class IncomingBudget {
  readonly #budget: Budget<string>;
  readonly #open = new Map<Unfinished, { bytes: number; since: number }>();

  constructor(total: number) {
    this.#budget = new Budget({ total });
  }

  /** Records how many bytes of a message are held: call {@link shed} afterwards. */
  set(message: Unfinished, bytes: number): void {
    if (bytes <= UNCOUNTED_BYTES) return this.release(message);
    const { address } = message;
    const known = this.#open.get(message);
    this.#budget.set(address, this.#budget.held(address) + bytes - (known?.bytes ?? 0));
    if (known === undefined) this.#open.set(message, { bytes, since: performance.now() });
    else known.bytes = bytes;
  }

  release(message: Unfinished): void {
    const known = this.#open.get(message);
    if (known === undefined) return;
    this.#open.delete(message);
    this.#budget.give(message.address, known.bytes);
  }

  shed(olderThanMs = 0): boolean {
    while (this.#budget.isOver) {
      const oldest = this.#oldestOf(this.#budget.worst(), performance.now() - olderThanMs);
      if (oldest === undefined) return false;
      this.release(oldest);
      oldest.drop("its message was incomplete, and the memory was needed for others");
    }
    return true;
  }

  #oldestOf(address: string | undefined, begunBy: number): Unfinished | undefined {
    for (const [message, { since }] of this.#open) {
      if (since > begunBy) return undefined;
      if (message.address === address) return message;
    }
    return undefined;
  }
}
