import { limits } from "../config/limits.js";
import type { Logger } from "./log.js";

const WINDOW_MS = 10_000;
const ALL_ADDRESSES = 10;

interface Facts {
  address: string;
  [name: string]: unknown;
}

type Level = "debug" | "info" | "warn" | "error";

interface Window {
  level: Level;
  lines: number;
  suppressed: number;
  byAddress: Map<string, number>;
}

/**
 * The log of what peers do. Peers decide how often something happens, so each kind of line is
 * rate-limited, per address and in total; the rest is counted and summarized in one line.
 */
export class PeerLog {
  readonly #log: Logger;
  readonly #windows = new Map<string, Window>();
  #timer: NodeJS.Timeout | undefined;

  constructor(log: Logger) {
    this.#log = log;
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
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const [message, { level, suppressed }] of this.#windows) {
      if (suppressed > 0) this.#log[level]({ message, suppressed }, "further lines not logged");
    }
    this.#windows.clear();
  }

  #write(level: Level, facts: Facts, message: string): void {
    const window = this.#window(level, message);
    const before = window.byAddress.get(facts.address) ?? 0;
    if (before >= limits.logLines || window.lines >= limits.logLines * ALL_ADDRESSES) {
      window.suppressed += 1;
      return;
    }
    window.lines += 1;
    window.byAddress.set(facts.address, before + 1);
    this.#log[level](facts, message);
  }

  #window(level: Level, message: string): Window {
    let window = this.#windows.get(message);
    if (window === undefined) {
      window = { level, lines: 0, suppressed: 0, byAddress: new Map() };
      this.#windows.set(message, window);
      this.#timer ??= setTimeout(() => this.flush(), WINDOW_MS).unref();
    }
    return window;
  }
}
