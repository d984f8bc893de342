import type { ExecutionMonitor, Verdict } from "./vm/lua-vm.js";

export type CpuClock = "real" | { readonly instructionsPerMs: number };

const SOFT_ABORT_MS = 7_000;
const HARD_ABORT_MS = 1_500;

/** The game's time limit: one catchable error after seven seconds, and the end 1.5 s later. */
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

  constructor(clock: CpuClock, onSoftAbort: () => void, onLook: () => void) {
    this.#clock = clock;
    this.#onSoftAbort = onSoftAbort;
    this.#onLook = onLook;
  }

  restart(): void {
    this.#instructions = 0;
    this.#startedAt = performance.now();
    if (this.#clock === "real") this.#cpuAtStart = process.cpuUsage();
    this.#softAborted = false;
    this.#running = true;
  }

  stop(): void {
    this.#spentBefore = this.spentMs;
    this.#running = false;
  }

  get spentMs(): number {
    return this.#spentBefore + (this.#running ? this.#elapsedMs : 0);
  }

  get #elapsedMs(): number {
    if (this.#clock === "real") {
      const elapsed = performance.now() - this.#startedAt;
      if (elapsed < SOFT_ABORT_MS) return elapsed;
      // Bounds a test that waits for the limit to twice the time.
      return Math.min(elapsed, Math.max(this.#cpuMs, elapsed / 2));
    }
    return this.#instructions / this.#clock.instructionsPerMs;
  }

  /** CPU time: a busy machine must not cause an abort. */
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
