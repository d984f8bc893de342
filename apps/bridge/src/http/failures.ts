import { createHmac, randomBytes } from "node:crypto";
import { limits } from "../limits.js";
import { addressKey } from "../net/address-key.js";

interface Bucket {
  /** Wrong tokens that the address may still show. */
  left: number;
  at: number;
}

/**
 * Slows the guessing of tokens: an address that showed many wrong ones may show another only now and
 * then. It is asked before a token is looked at, so that even a right guess gains nothing from haste. Many
 * peers share an address, so a token that was right there before passes anyway, unless it is so short
 * that somebody could find it by haste.
 */
export class FailureGate {
  // Insertion order is order of failure: an address that fails again moves to the end.
  readonly #buckets = new Map<string, Bucket>();
  /** Marks of the tokens that were right, by address; the address that showed one last is the last. */
  readonly #known = new Map<string, Set<string>>();
  readonly #secret = randomBytes(32);
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Milliseconds until this address may try this token; 0 when it may now. */
  waitMs(address: string, token?: string): number {
    const key = addressKey(address);
    const bucket = this.#refilled(key);
    if (token !== undefined && this.#isKnown(key, token)) return 0;
    if (bucket === undefined || bucket.left >= 1) return 0;
    return Math.ceil(((1 - bucket.left) * 1_000) / limits.tokenFailuresPerSecond);
  }

  /** The same for a connection, whose token may come later: from an address with a known one it may come. */
  doorMs(address: string, token: string | undefined): number {
    if (token === undefined && this.#known.has(addressKey(address))) return 0;
    return this.waitMs(address, token);
  }

  /** Takes notice of a right token. */
  passed(address: string, token: string): void {
    if (token.length < limits.knownTokenLength) return;
    const key = addressKey(address);
    const marks = this.#known.get(key) ?? new Set();
    this.#known.delete(key);
    this.#known.set(key, marks);
    marks.add(this.#mark(token));
    if (marks.size > limits.knownTokens) dropOldest(marks);
    if (this.#known.size > limits.rememberedAddresses) dropOldest(this.#known);
  }

  /** Takes notice of a wrong token. */
  failed(address: string): void {
    const key = addressKey(address);
    const bucket = this.#refilled(key) ?? { left: limits.tokenFailures, at: this.#now() };
    bucket.left -= 1;
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > limits.rememberedAddresses) dropOldest(this.#buckets);
  }

  #isKnown(key: string, token: string): boolean {
    return this.#known.get(key)?.has(this.#mark(token)) === true;
  }

  /** Neither the token nor the time that it takes to find its mark can be learnt from this. */
  #mark(token: string): string {
    return createHmac("sha256", this.#secret).update(token).digest("base64");
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

function dropOldest(kept: Map<string, unknown> | Set<string>): void {
  const [oldest] = kept.keys();
  if (oldest !== undefined) kept.delete(oldest);
}
