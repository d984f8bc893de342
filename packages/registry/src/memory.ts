import { Budget } from "./budget.js";

const order = [
  "running-output",
  "old-results",
  "events",
  "finished-output",
  "young-results",
] as const;

export type KeptData = (typeof order)[number];

export type Release = (provider: string) => boolean;

/**
 * The bytes that are kept for later, of all providers together: results, output, events.
 *
 * The total is divided evenly among the providers that keep something; what one keeps beyond its share is on loan.
 * When the total is full, a provider that grows beyond its share drops its own data. One that grows within its
 * share gets its share back from the providers beyond theirs, the largest first, but never a young result; if they
 * have nothing else to give, it drops its own data too. So a provider never loses to another what is within its
 * share, nor a young result, however many others there are.
 */
export class Memory {
  readonly #maxBytes: number;
  readonly #releases = new Map<KeptData, Release>();
  readonly #kept: Budget<string>;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
    this.#kept = new Budget({ total: maxBytes });
  }

  get bytes(): number {
    return this.#kept.total;
  }

  bytesOf(provider: string): number {
    return this.#kept.held(provider);
  }

  releaseBy(data: KeptData, release: Release): void {
    this.#releases.set(data, release);
  }

  /** Records that what is kept of a provider grew or shrank, and makes space if that is too much. */
  resize(provider: string, delta: number): void {
    this.#kept.set(provider, this.#kept.held(provider) + delta);
    if (delta <= 0) return;
    while (this.#kept.isOver && this.#makeSpace(provider));
  }

  #makeSpace(provider: string): boolean {
    const share = this.#maxBytes / this.#kept.size;
    if (this.bytesOf(provider) <= share && this.#takeBack(share)) return true;
    return order.some((data) => this.#release(data, provider));
  }

  #takeBack(share: number): boolean {
    const beyond = [...this.#kept.peers()].filter(([, bytes]) => bytes > share);
    beyond.sort(([, a], [, b]) => b - a);
    return beyond.some(([provider]) =>
      order.some((data) => data !== "young-results" && this.#release(data, provider)),
    );
  }

  #release(data: KeptData, provider: string): boolean {
    return this.#releases.get(data)?.(provider) === true;
  }
}
