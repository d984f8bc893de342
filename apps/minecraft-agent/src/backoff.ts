export interface BackoffOptions {
  firstMs: number;
  maxMs: number;
  random?: () => number;
}

export class Backoff {
  readonly #options: BackoffOptions;
  #failures = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  get failures(): number {
    return this.#failures;
  }

  next(): number {
    const { firstMs, maxMs, random = Math.random } = this.#options;
    // Avoids overflow; the maximum is reached long before.
    const wait = Math.min(maxMs, firstMs * 2 ** Math.min(this.#failures, 20));
    this.#failures += 1;
    return Math.round(wait * (0.75 + random() * 0.25));
  }

  reset(): void {
    this.#failures = 0;
  }
}
