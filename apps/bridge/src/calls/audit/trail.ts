import type { CallRecord } from "./record.js";

const MAX_RECORDS = 1_000;

/** The last calls of all clients, over every transport, for viewers. */
export class Trail {
  readonly #ring: CallRecord[] = [];
  readonly #size: number;
  /** Where the next one goes once the ring is full: the place of the oldest. */
  #next = 0;
  readonly #listeners = new Set<(record: CallRecord) => void>();

  constructor(size = MAX_RECORDS) {
    this.#size = size;
  }

  add(record: CallRecord): void {
    const earlier = this.#earlierPoll(record);
    if (earlier !== -1) this.#ring[earlier] = record;
    else if (this.#ring.length < this.#size) this.#ring.push(record);
    else {
      this.#ring[this.#next] = record;
      this.#next = (this.#next + 1) % this.#size;
    }
    this.tell(record);
  }

  /** Says that a record that was added has changed. */
  tell(record: CallRecord): void {
    for (const listener of this.#listeners) listener(record);
  }

  /** The kept records, oldest first. Those without an outcome still run. */
  recent(): readonly CallRecord[] {
    return [...this.#ring].sort((a, b) => a.id - b.id);
  }

  /** A page that is open all day must not push out what clients did: of its looks that went well, the last is kept. */
  #earlierPoll({ polls, session, tool }: CallRecord): number {
    if (polls === undefined) return -1;
    return this.#ring.findIndex(
      (each) =>
        each.polls === polls &&
        each.session === session &&
        each.tool === tool &&
        each.outcome === "ok",
    );
  }

  /** Calls back when a call begins, when more is known of it, and when it ends; listeners are quick. */
  subscribe(listener: (record: CallRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
