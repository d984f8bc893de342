import type { CallRecord } from "./record.js";

export const MAX_RECORDS = 1_000;

export class Trail {
  readonly #ring: CallRecord[] = [];
  readonly #size: number;
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
    this.notify(record);
  }

  notify(record: CallRecord): void {
    for (const listener of this.#listeners) listener(record);
  }

  /** Oldest first. Records without an outcome are still running. */
  recent(): readonly CallRecord[] {
    return [...this.#ring].sort((a, b) => a.id - b.id);
  }

  /** Drops calls that have ended. */
  forget(fits: (record: CallRecord) => boolean): void {
    const kept = this.recent().filter((record) => record.outcome === undefined || !fits(record));
    this.#ring.splice(0, this.#ring.length, ...kept);
    this.#next = 0;
  }

  /** Only the last successful poll is kept, so that a page open all day does not displace other calls. */
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

  /** Called when a call begins, changes and ends. Listeners must be fast. */
  subscribe(listener: (record: CallRecord) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
