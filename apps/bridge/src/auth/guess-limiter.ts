import { createHmac, randomBytes } from "node:crypto";
import { BoundedMap } from "@ccbridge/registry";
import type { onRequestHookHandler } from "fastify";
import { addressKey } from "../config/addresses.js";
import { limits } from "../config/limits.js";
import { refuseGuesser, refuseInText } from "../http/errors.js";
import { connectionToken } from "./tokens.js";

interface Bucket {
  left: number;
  at: number;
}

/**
 * A token bucket for wrong tokens, per address. It is checked before the token, so that fast
 * guessing gains nothing even when a guess is right. Many peers may share an address, so a token
 * that was right there before is always accepted, unless it is short enough to be guessed.
 */
export class GuessLimiter {
  readonly #buckets = new BoundedMap<string, Bucket>(limits.rememberedAddresses);
  readonly #known = new BoundedMap<string, BoundedMap<string, true>>(limits.rememberedAddresses);
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

  /** Like {@link waitMs}, for connections that may send their token later. */
  connectWaitMs(address: string, token: string | undefined): number {
    if (token === undefined && this.#known.has(addressKey(address))) return 0;
    return this.waitMs(address, token);
  }

  passed(address: string, token: string): void {
    if (token.length < limits.knownTokenLength) return;
    const key = addressKey(address);
    const digests = this.#known.get(key) ?? new BoundedMap(limits.knownTokens);
    const digest = this.#digest(token);
    if (!digests.has(digest)) digests.set(digest, true);
    this.#known.set(key, digests);
  }

  failed(address: string): void {
    const key = addressKey(address);
    const bucket = this.#refilled(key) ?? { left: limits.tokenFailures, at: this.#now() };
    bucket.left -= 1;
    this.#buckets.set(key, bucket);
  }

  #isKnown(key: string, token: string): boolean {
    return this.#known.get(key)?.has(this.#digest(token)) === true;
  }

  /** Keyed, so that neither the stored value nor the lookup time reveals the token. */
  #digest(token: string): string {
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

export function refuseGuessers(guesses: GuessLimiter): onRequestHookHandler {
  return (request, reply, done) => {
    const waitMs = request.ws ? guesses.connectWaitMs(request.ip, connectionToken(request)) : 0;
    if (waitMs > 0) refuseGuesser(reply, waitMs, refuseInText);
    else done();
  };
}
