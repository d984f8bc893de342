import { limits } from "../limits.js";

/** A continued look counts as one call for this long. */
const COUNTS_AS_ONE_MS = 60_000;

/**
 * What views of one session look at again and again. The calls of one minute at one thing are one look: it
 * is written down and counted once.
 */
export class Watching {
  readonly #now: () => number;
  readonly #looks = new Map<string, { since: number; calls: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Whether a call continues a look that was counted; otherwise it begins one. */
  goesOn(what: string): boolean {
    const now = this.#now();
    const look = this.#looks.get(what);
    const isRecent = look !== undefined && now - look.since < COUNTS_AS_ONE_MS;
    // More calls than these are not those of a view.
    if (isRecent && look.calls < limits.viewCalls) {
      look.calls += 1;
      return true;
    }
    this.#looks.delete(what);
    this.#looks.set(what, { since: now, calls: 1 });
    const [oldest] = this.#looks.keys();
    if (this.#looks.size > limits.viewedScreens && oldest !== undefined) this.#looks.delete(oldest);
    return false;
  }

  /** A look that failed is over: the next call is one of its own. */
  end(what: string): void {
    this.#looks.delete(what);
  }
}
