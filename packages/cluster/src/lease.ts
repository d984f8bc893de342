import type { Bucket } from "./bucket.js";
import type { Member } from "./entry.js";

export interface LeaseOptions {
  readonly bucket: Bucket;
  /** What this bridge reports of itself. */
  member(): Member;
  /** NATS does not answer. Returns whether it was thought to. */
  silent(): boolean;
  /** It answers again: what was written meanwhile may be lost. */
  back(): void;
}

/** This bridge's own lease. A connection that is cut without a word shows here first. */
export class Lease {
  readonly #options: LeaseOptions;
  #latencyMs: number | undefined;
  #isSilent = false;

  constructor(options: LeaseOptions) {
    this.#options = options;
  }

  /** How long NATS took to answer last, in milliseconds. */
  get latencyMs(): number | undefined {
    return this.#latencyMs;
  }

  async renew(): Promise<void> {
    const { bucket, member, silent, back } = this.#options;
    const renewed = member();
    const start = performance.now();
    try {
      await bucket.put(`m.${renewed.id}`, { ...renewed, natsMs: this.#latencyMs });
    } catch {
      this.#isSilent ||= silent();
      return;
    }
    this.#latencyMs = Math.round(10 * (performance.now() - start)) / 10;
    if (!this.#isSilent) return;
    this.#isSilent = false;
    back();
  }
}
