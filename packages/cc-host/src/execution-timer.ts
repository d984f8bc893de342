import type { ExecutionMonitor, Verdict } from "./vm/lua-vm.js";

/**
 * How run time is measured: by the wall, as far as this process had the processor to itself, or so many
 * VM instructions to the millisecond.
 */
export type CpuClock = "real" | { readonly instructionsPerMs: number };

const SOFT_ABORT_MS = 7_000;
const HARD_ABORT_MS = 1_500;

/** The rule of seven seconds: one catchable error per event, and a second and a half later the end. */
export class ExecutionTimer implements ExecutionMonitor {
  readonly #clock: CpuClock;
  readonly #onSoftAbort: () => void;
  readonly #onLook: () => void;
  #instructions = 0;
  #startedAt = 0;
  #cpuAtStart = process.cpuUsage();
  #softAborted = false;
  #running = false;
  #spentBefore = 0;

  /** `onLook` is called each time it looks at the clock, while Lua runs. */
  constructor(clock: CpuClock, onSoftAbort: () => void, onLook: () => void) {
    this.#clock = clock;
    this.#onSoftAbort = onSoftAbort;
    this.#onLook = onLook;
  }

  /** A new event begins: the budget is whole again. */
  restart(): void {
    this.#instructions = 0;
    this.#startedAt = performance.now();
    if (this.#clock === "real") this.#cpuAtStart = process.cpuUsage();
    this.#softAborted = false;
    this.#running = true;
  }

  /** The event is over. */
  stop(): void {
    this.#spentBefore = this.spentMs;
    this.#running = false;
  }

  /** Run time of all events so far. */
  get spentMs(): number {
    return this.#spentBefore + (this.#running ? this.#elapsedMs : 0);
  }

  get #elapsedMs(): number {
    if (this.#clock === "real") {
      const elapsed = performance.now() - this.#startedAt;
      if (elapsed < SOFT_ABORT_MS) return elapsed;
      // A test that waits for a computer to be stopped waits at most twice as long.
      return Math.min(elapsed, Math.max(this.#cpuMs, elapsed / 2));
    }
    return this.#instructions / this.#clock.instructionsPerMs;
  }

  /** A busy machine takes the processor away, and a computer must not be stopped for that. */
  get #cpuMs(): number {
    const { user, system } = process.cpuUsage(this.#cpuAtStart);
    return (user + system) / 1_000;
  }

  check(instructions: number): Verdict {
    const verdict = this.account(instructions);
    if (verdict === "soft-abort") {
      this.#softAborted = true;
      this.#onSoftAbort();
    }
    return verdict;
  }

  account(instructions: number): Verdict {
    this.#instructions += instructions;
    this.#onLook();
    const elapsed = this.#elapsedMs;
    if (elapsed >= SOFT_ABORT_MS + HARD_ABORT_MS) return "hard-abort";
    return elapsed >= SOFT_ABORT_MS && !this.#softAborted ? "soft-abort" : "continue";
  }
}
