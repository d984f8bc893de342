/** A peer that has not read all that was written for it. */
export interface SlowReader {
  /** Bytes that wait for it. */
  readonly bufferedBytes: number;
  /** Ends its connection. */
  drop(reason: string): void;
}

/** Less than this is on its way to every peer. */
const WORTH_COUNTING = 16_384;
/** What a waiting message costs beside its bytes. Small ones cost several times what they hold. */
const MESSAGE_COST = 512;
/** After this much more everything is counted again. */
const STEP = 1_048_576;

/** What was written for a peer since it began to read slowly. */
interface Written {
  bytes: number;
  messages: number;
}

/** Bounds what all peers of a port together leave unread: the one with the most goes first. */
export class Unread {
  readonly #max: number;
  readonly #slow = new Map<SlowReader, Written>();
  #uncounted = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Something of this length is about to be written for a peer. */
  note(reader: SlowReader, length: number): void {
    if (reader.bufferedBytes < WORTH_COUNTING) return;
    const written = this.#slow.get(reader) ?? { bytes: 0, messages: 0 };
    written.bytes += length;
    written.messages += 1;
    this.#slow.set(reader, written);
    this.#uncounted += length + MESSAGE_COST;
    if (this.#uncounted > Math.min(STEP, this.#max / 8)) this.#count();
  }

  /** A connection is over. */
  forget(reader: SlowReader): void {
    this.#slow.delete(reader);
  }

  #count(): void {
    this.#uncounted = 0;
    const costs: { reader: SlowReader; cost: number }[] = [];
    let total = 0;
    for (const [reader, { bytes, messages }] of this.#slow) {
      const { bufferedBytes } = reader;
      if (bufferedBytes < WORTH_COUNTING) this.#slow.delete(reader);
      else {
        // How many messages wait is not known, only how long they are on average.
        const cost = bufferedBytes * (1 + (MESSAGE_COST * messages) / Math.max(1, bytes));
        costs.push({ reader, cost });
        total += cost;
      }
    }
    if (total <= this.#max) return;
    costs.sort((a, b) => b.cost - a.cost);
    for (const { reader, cost } of costs) {
      if (total <= this.#max) return;
      total -= cost;
      this.#slow.delete(reader);
      reader.drop(`it did not read: ${reader.bufferedBytes} bytes waited, and too many for others`);
    }
  }
}
