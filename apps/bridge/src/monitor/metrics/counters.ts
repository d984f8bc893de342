/** The interval of samples, and how many are kept: five minutes. */
const EVERY_MS = 2_000;
const MAX_SAMPLES = 150;
/** Further calls of an interval are counted without their durations. */
const MAX_TIMES = 20_000;

export interface FinishedCall {
  readonly tool: string;
  readonly outcome: string;
  readonly durationMs: number;
}

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

export interface CallCountersOptions {
  levels(): { links: number; sessions: number };
  everyMs?: number;
}

/** A call only adds an entry to a list; the rest is done every two seconds. */
export class CallCounters {
  readonly #options: CallCountersOptions;
  readonly #samples: Sample[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #callListeners = new Set<(calls: readonly FinishedCall[]) => void>();
  readonly #timer: NodeJS.Timeout;
  #calls: FinishedCall[] = [];
  #uncounted = 0;
  #since = performance.now();

  constructor(options: CallCountersOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.sample(), options.everyMs ?? EVERY_MS);
    this.#timer.unref();
  }

  add(call: FinishedCall): void {
    if (this.#calls.length < MAX_TIMES) this.#calls.push(call);
    else this.#uncounted += 1;
  }

  /** Continues the samples of an earlier process. */
  restore(samples: readonly Sample[]): void {
    this.#samples.unshift(...samples.slice(-MAX_SAMPLES));
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  onCalls(listener: (calls: readonly FinishedCall[]) => void): void {
    this.#callListeners.add(listener);
  }

  sample(): void {
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
    for (const listener of this.#callListeners) listener(calls);
    for (const listener of [...this.#listeners]) listener();
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

function quantile(sorted: readonly number[], share: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
}
