import type { Job } from "./job.js";

/** What a job may wait for: its age limit, its provider's return, the confirmation of a stop. */
export type TimerUse = "time-out" | "return" | "confirmation";

const MAX_DELAY_MS = 2 ** 31 - 1;

export class JobTimers {
  readonly #timers = new Map<Job, Map<TimerUse, ReturnType<typeof setTimeout>>>();

  set(job: Job, use: TimerUse, ms: number, action: () => void): void {
    this.clear(job, use);
    const timers = this.#timers.get(job) ?? new Map();
    this.#timers.set(job, timers);
    const fire = () => {
      this.clear(job, use);
      action();
    };
    timers.set(use, setTimeout(fire, Math.min(Math.max(ms, 0), MAX_DELAY_MS)));
  }

  clear(job: Job, ...uses: TimerUse[]): void {
    const timers = this.#timers.get(job);
    if (timers === undefined) return;
    for (const use of uses) {
      clearTimeout(timers.get(use));
      timers.delete(use);
    }
    if (timers.size === 0) this.#timers.delete(job);
  }

  clearAll(): void {
    for (const timers of this.#timers.values())
      for (const timer of timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }
}
