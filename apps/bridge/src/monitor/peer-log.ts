import { limits } from "../config/limits.js";
import type { Logger } from "./log.js";

const WINDOW_MS = 10_000;
const ALL_ADDRESSES = 10;

interface Window {
  passed: number;
  suppressed: number;
  bySource: Map<string, number>;
}

/** Allows a number of events of each kind per ten seconds, in total and from each source, and counts the rest. */
export class WindowedRate {
  readonly #max: number;
  readonly #maxPerSource: number;
  readonly #onSuppressed: (kind: string, count: number) => void;
  readonly #windows = new Map<string, Window>();
  #timer: NodeJS.Timeout | undefined;

  constructor(
    max: number,
    onSuppressed: (kind: string, count: number) => void,
    maxPerSource = max,
  ) {
    this.#max = max;
    this.#maxPerSource = maxPerSource;
    this.#onSuppressed = onSuppressed;
  }

  passes(kind: string, source = ""): boolean {
    const window = this.#window(kind);
    const before = window.bySource.get(source) ?? 0;
    if (window.passed >= this.#max || before >= this.#maxPerSource) {
      window.suppressed += 1;
      return false;
    }
    window.passed += 1;
    window.bySource.set(source, before + 1);
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

  #window(kind: string): Window {
    let window = this.#windows.get(kind);
    if (window === undefined) {
      window = { passed: 0, suppressed: 0, bySource: new Map() };
      this.#windows.set(kind, window);
      this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    }
    return window;
  }
}

interface Facts {
  address: string;
  [name: string]: unknown;
}

type Level = "debug" | "info" | "warn" | "error";

/**
 * The log of what peers do. Peers decide how often something happens, so each kind of line is
 * rate-limited, per address and in total; the rest is counted and summarized in one line.
 */
export class PeerLog {
  readonly #log: Logger;
  readonly #rates: Readonly<Record<Level, WindowedRate>>;

  constructor(log: Logger) {
    this.#log = log;
    const rate = (level: Level) =>
      new WindowedRate(
        limits.logLines * ALL_ADDRESSES,
        (message, suppressed) => log[level]({ message, suppressed }, "further lines not logged"),
        limits.logLines,
      );
    this.#rates = {
      debug: rate("debug"),
      info: rate("info"),
      warn: rate("warn"),
      error: rate("error"),
    };
  }

  debug(facts: Facts, message: string): void {
    if (this.#log.isLevelEnabled("debug")) this.#write("debug", facts, message);
  }

  info(facts: Facts, message: string): void {
    this.#write("info", facts, message);
  }

  warn(facts: Facts, message: string): void {
    this.#write("warn", facts, message);
  }

  error(facts: Facts, message: string): void {
    this.#write("error", facts, message);
  }

  /** Logs the suppressed counts so far. */
  flush(): void {
    for (const rate of Object.values(this.#rates)) rate.flush();
  }

  #write(level: Level, facts: Facts, message: string): void {
    if (this.#rates[level].passes(message, facts.address)) this.#log[level](facts, message);
  }
}
