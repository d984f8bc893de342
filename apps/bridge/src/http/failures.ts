import { limits } from "../limits.js";
import { addressKey } from "../net/address-key.js";

interface Bucket {
  /** Wrong tokens that the address may still show. */
  left: number;
  at: number;
}

/**
 * Slows the guessing of tokens: an address that showed many wrong ones may show another only now and
 * then. It is asked before a token is looked at, so that even a right guess gains nothing from haste.
 */
export class FailureGate {
  // Insertion order is order of failure: an address that fails again moves to the end.
  readonly #buckets = new Map<string, Bucket>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds until this address may try a token again; 0 when it may now. */
  waitMs(address: string): number {
    const bucket = this.#refilled(addressKey(address));
    if (bucket === undefined || bucket.left >= 1) return 0;
    return Math.ceil(((1 - bucket.left) * 1_000) / limits.tokenFailuresPerSecond);
  }

  /** Takes notice of a wrong token. */
  failed(address: string): void {
    const key = addressKey(address);
    const bucket = this.#refilled(key) ?? { left: limits.tokenFailures, at: this.#now() };
    bucket.left -= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size <= limits.rememberedAddresses) return;
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined) this.#buckets.delete(oldest);
  }

  #refilled(key: string): Bucket | undefined {
    const bucket = this.#buckets.get(key);
    if (bucket === undefined) return undefined;
    const now = this.#now();
    const gained = ((now - bucket.at) / 1_000) * limits.tokenFailuresPerSecond;
    bucket.left = Math.min(limits.tokenFailures, bucket.left + gained);
    bucket.at = now;
    if (bucket.left < limits.tokenFailures) return bucket;
    this.#buckets.delete(key);
    return undefined;
  }
}
