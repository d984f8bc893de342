const WINDOW_MS = 10_000;

/** Allows a number of events of each kind per ten seconds, and counts the rest. */
export class WindowedRate {
  readonly #max: number;
  readonly #onSuppressed: (kind: string, count: number) => void;
  readonly #windows = new Map<string, { passed: number; suppressed: number }>();
  #timer: NodeJS.Timeout | undefined;

  constructor(max: number, onSuppressed: (kind: string, count: number) => void) {
    this.#max = max;
    this.#onSuppressed = onSuppressed;
  }

  passes(kind: string): boolean {
    let window = this.#windows.get(kind);
    if (window === undefined) {
      window = { passed: 0, suppressed: 0 };
      this.#windows.set(kind, window);
      this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    }
    if (window.passed >= this.#max) {
      window.suppressed += 1;
      return false;
    }
    window.passed += 1;
    return true;
  }

  /** Reports the suppressed counts so far and resets them. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [kind, { suppressed }] of this.#windows) {
      if (suppressed > 0) this.#onSuppressed(kind, suppressed);
    }
    this.#windows.clear();
  }
}
