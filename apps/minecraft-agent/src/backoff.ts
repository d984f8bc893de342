export interface BackoffOptions {
  /** The first wait; each next one is twice as long. */
  firstMs: number;
  maxMs: number;
  /** A number from 0 to 1, for the spread. @default Math.random */
  random?: () => number;
}

/** How long to wait before each next attempt: longer and longer, never the same for everybody. */
export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** How many attempts failed in a row. */
  get failures(): number {
    return this.#failures;
  }

  next(): number {
    const { firstMs, maxMs, random = Math.random } = this.#options;
    // Beyond 2^20 the maximum is reached, whatever the first wait.
    const wait = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    return Math.round(wait * (0.75 + random() * 0.25));
  }

  reset(): void {
    this.#failures = 0;
  }
}
