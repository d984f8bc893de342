export interface RateLimit {
  readonly count: number;
  readonly perMs: number;
}

const units = { s: 1_000, min: 60_000, h: 3_600_000, day: 86_400_000 } as const;
type Unit = keyof typeof units;

const MAX_COUNT = 1_000_000;

/** Parses `300/min`; undefined when invalid. */
export function readRateLimit(text: string): RateLimit | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,7})\/([a-z]+)$/.exec(text) ?? [];
  const count = Number(digits);
  if (!Object.hasOwn(units, unit) || count < 1 || count > MAX_COUNT) return undefined;
  return { count, perMs: units[unit as Unit] };
}

export const rateLimitForm = `must be a count and a time such as 300/min (${Object.keys(units).join(", ")}), with a count of 1 to ${MAX_COUNT}`;

const words: Readonly<Record<number, string>> = {
  [units.s]: "a second",
  [units.min]: "a minute",
  [units.h]: "an hour",
  [units.day]: "a day",
};

/** Formats as `300 calls a minute`. */
export function rateLimitText({ count, perMs }: RateLimit): string {
  const time = words[perMs] ?? `in ${perMs} ms`;
  return `${count} ${count === 1 ? "call" : "calls"} ${time}`;
}

/** How much is used: until when, in milliseconds since 1970. */
export interface MeterState {
  readonly count: number;
  readonly at: number;
}

export interface Meter {
  /** Takes one. Returns 0, or the milliseconds until the next one is available. */
  take(): number;
  /** How it can be continued by another process. */
  state(): MeterState;
  restore(state: MeterState): void;
}

/** A token bucket with a burst of the whole limit. */
export class RateMeter implements Meter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #left: number;
  #at: number;

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
    this.#left = limit.count;
    this.#at = now();
  }

  take(): number {
    const { count, perMs } = this.#limit;
    const now = this.#now();
    this.#left = Math.min(count, this.#left + ((now - this.#at) * count) / perMs);
    this.#at = now;
    if (this.#left < 1) return Math.ceil(((1 - this.#left) * perMs) / count);
    this.#left -= 1;
    return 0;
  }

  state(): MeterState {
    return { count: this.#left, at: Date.now() - (this.#now() - this.#at) };
  }

  restore({ count, at }: MeterState): void {
    this.#left = Math.min(this.#limit.count, count);
    this.#at = this.#now() - Math.max(0, Date.now() - at);
  }
}

export class QuotaMeter implements Meter {
  readonly #limit: RateLimit;
  readonly #now: () => number;
  #used = 0;
  #ends = 0;

  constructor(limit: RateLimit, now: () => number = () => performance.now()) {
    this.#limit = limit;
    this.#now = now;
  }

  take(): number {
    const { count, perMs } = this.#limit;
    const now = this.#now();
    if (this.#used === 0 || now >= this.#ends) {
      this.#used = 0;
      this.#ends = now + perMs;
    }
    if (this.#used >= count) return Math.ceil(this.#ends - now);
    this.#used += 1;
    return 0;
  }

  state(): MeterState {
    return { count: this.#used, at: Date.now() + (this.#ends - this.#now()) };
  }

  restore({ count, at }: MeterState): void {
    this.#used = count;
    // A window cannot be longer than the limit says now.
    this.#ends = this.#now() + Math.min(at - Date.now(), this.#limit.perMs);
  }
}

/** Formats as `in 12 s`. */
export function formatDelay(ms: number): string {
  const seconds = Math.max(1, Math.ceil(ms / 1_000));
  if (seconds < 120) return `in ${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `in ${minutes} min` : `in ${Math.ceil(minutes / 60)} h`;
}
