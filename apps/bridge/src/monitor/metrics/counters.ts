/** How often the numbers are taken, and how many are kept: five minutes. */
const EVERY_MS = 2_000;
const MAX_SAMPLES = 150;
/** Calls of one interval whose times are kept; further calls are counted, but their times are not kept. */
const MAX_TIMES = 20_000;

/** A call that is over. */
export interface FinishedCall {
  readonly tool: string;
  readonly outcome: string;
  readonly durationMs: number;
}

/** The bridge at one moment. */
export interface Sample {
  readonly at: number;
  readonly callsPerSecond: number;
  /** Of the calls since the last sample; null when there were none. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly links: number;
  readonly sessions: number;
  readonly memory: number;
}

export interface NumbersOptions {
  /** What there is just now. */
  levels(): { links: number; sessions: number };
  everyMs?: number;
}

/**
 * What the bridge does, in numbers. A call costs an entry in a list; everything else is done between calls,
 * every two seconds.
 */
export class Numbers {
  readonly #options: NumbersOptions;
  readonly #samples: Sample[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #takers = new Set<(calls: readonly FinishedCall[]) => void>();
  readonly #timer: NodeJS.Timeout;
  #calls: FinishedCall[] = [];
  #uncounted = 0;
  #since = performance.now();

  constructor(options: NumbersOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.take(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  /** A call is over. */
  add(call: FinishedCall): void {
    if (this.#calls.length < MAX_TIMES) this.#calls.push(call);
    else this.#uncounted += 1;
  }

  /** The last samples, oldest first. */
  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** Calls back with each sample, until the returned function is called. */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Hands on all calls, some at a time. */
  onCalls(taker: (calls: readonly FinishedCall[]) => void): void {
    this.#takers.add(taker);
  }

  /** Takes a sample now. */
  take(): void {
    const calls = this.#calls;
    const now = performance.now();
    const seconds = Math.max(0.001, (now - this.#since) / 1_000);
    const times = calls.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
    this.#samples.push({
      at: Date.now(),
      callsPerSecond: Math.round(((calls.length + this.#uncounted) / seconds) * 10) / 10,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      ...this.#options.levels(),
      memory: process.memoryUsage.rss(),
    });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
    this.#calls = [];
    this.#uncounted = 0;
    this.#since = now;
    for (const taker of this.#takers) taker(calls);
    for (const listener of [...this.#listeners]) listener();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** The value below which a share of sorted values lies. */
function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
