import type { Job } from "./job.js";

/**
 * Jobs in the order in which they were added. A `Set` keeps that order too, but the place of whatever leaves it stays
 * empty for a while, and to find the oldest it walks over all those places: about 50 µs with 100,000 jobs. A job stands
 * in one line at a time.
 */
export class JobLine {
  #oldest: Job | undefined;
  #newest: Job | undefined;

  get oldest(): Job | undefined {
    return this.#oldest;
  }

  /** Adds a job that is not in the line. */
  add(job: Job): void {
    job.older = this.#newest;
    if (this.#newest === undefined) this.#oldest = job;
    else this.#newest.newer = job;
    this.#newest = job;
  }

  /** Takes a job out, wherever it stands. */
  delete(job: Job): void {
    const { older, newer } = job;
    if (older === undefined && this.#oldest !== job) return;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    job.older = undefined;
    job.newer = undefined;
  }
}
