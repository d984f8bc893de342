import { BoundedMap, type Memory } from "../budget.js";
import type { Provider } from "../provider.js";
import type { Job, JobOwner } from "./job.js";

export interface KeptJobsLimits {
  keepJobs: number;
  keepJobsMs: number;
}

interface Section extends JobOwner {
  provider: Provider;
  readonly active: Set<Job>;
  readonly occupying: Set<Job>;
  /** How many of those that occupy are programs. */
  programs: number;
  readonly finished: BoundedMap<string, Job>;
  /** Jobs with output, so that providers without any need no search when memory is full. */
  readonly printed: Set<Job>;
}

/** A finished job younger than this is kept while other providers fill the memory. */
const YOUNG_RESULT_MS = 300_000;
/** Output of a job that other providers cannot push out: more than a reader is shown at once. */
const OUTPUT_FLOOR_BYTES = 32_768;

/** How often jobs that are too old are looked for, while others end. */
const SWEEP_MS = 60_000;

/** All jobs of all providers. What they keep together is bounded by the {@link Memory}. */
export class KeptJobs {
  readonly #limits: KeptJobsLimits;
  readonly #memory: Memory;
  readonly #jobs = new Map<string, Job>();
  readonly #sections = new Map<string, Section>();
  #sweptAt = 0;

  constructor(limits: KeptJobsLimits, memory: Memory) {
    this.#limits = limits;
    this.#memory = memory;
    memory.releaseBy("running-output", (key) => this.#halveOutput(key, false, OUTPUT_FLOOR_BYTES));
    memory.releaseBy("old-results", (key) => this.#forgetOldest(key, YOUNG_RESULT_MS));
    memory.releaseBy("finished-output", (key) => this.#halveOutput(key, true, OUTPUT_FLOOR_BYTES));
    memory.releaseBy(
      "young-results",
      (key) => this.#halveOutput(key, false, 0) || this.#forgetOldest(key, 0),
    );
  }

  get(id: string): Job | undefined {
    const job = this.#jobs.get(id);
    if (job === undefined || !this.#isOld(job)) return job;
    this.#forget(job);
    return undefined;
  }

  list(): Job[] {
    this.#forgetOld();
    return [...this.#jobs.values()];
  }

  has(id: string): boolean {
    return this.#jobs.has(id);
  }

  ownerOf(provider: Provider): JobOwner {
    return this.#section(provider);
  }

  identified(provider: Provider): void {
    const section = this.#sections.get(provider.key);
    if (section !== undefined) section.provider = provider;
  }

  open(job: Job): void {
    const section = this.#section(job.provider);
    section.finished.delete(job.id);
    this.#jobs.set(job.id, job);
    section.active.add(job);
    this.#count(job);
  }

  close(job: Job): void {
    const section = this.#section(job.provider);
    section.active.delete(job);
    section.finished.set(job.id, job);
    this.weigh(job);
    if (Date.now() - this.#sweptAt >= SWEEP_MS) this.#forgetOld();
  }

  /** As if it had never been here. */
  drop(job: Job): void {
    this.#section(job.provider).active.delete(job);
    this.#forget(job);
  }

  occupy(job: Job, occupies: boolean): void {
    const section = this.#section(job.provider);
    const { size } = section.occupying;
    if (occupies) section.occupying.add(job);
    else section.occupying.delete(job);
    if (job.isProgram) section.programs += section.occupying.size - size;
    this.#tidy(section);
  }

  running(key: string): number {
    let running = 0;
    for (const job of this.#sections.get(key)?.active ?? [])
      if (job.state === "running") running += 1;
    return running;
  }

  /** A copy, since ending a job changes the set. */
  active(key: string): Job[] {
    return [...(this.#sections.get(key)?.active ?? [])];
  }

  occupying(key: string): Job[] {
    return [...(this.#sections.get(key)?.occupying ?? [])];
  }

  occupies(job: Job): boolean {
    return this.#sections.get(job.owner.key)?.occupying.has(job) === true;
  }

  /** How many jobs, or how many programs, count against their limit. */
  occupied(key: string, isProgram: boolean): number {
    const section = this.#sections.get(key);
    if (section === undefined) return 0;
    return isProgram ? section.programs : section.occupying.size - section.programs;
  }

  *allActive(): Iterable<Job> {
    for (const section of [...this.#sections.values()]) yield* [...section.active];
  }

  /** Counts what a job keeps; must be called when it changed. */
  weigh(job: Job): void {
    if (this.#jobs.get(job.id) === job) this.#count(job);
  }

  #count(job: Job): void {
    const { bytes, weight } = job;
    if (bytes === weight) return;
    job.weight = bytes;
    const { printed } = this.#section(job.provider);
    if (job.output.bytes > 0) printed.add(job);
    else printed.delete(job);
    this.#memory.resize(job.owner.key, bytes - weight);
  }

  /** Drops the older half of a provider's longest output above a size. */
  #halveOutput(key: string, ended: boolean, aboveBytes: number): boolean {
    let longest: Job | undefined;
    for (const job of this.#sections.get(key)?.printed ?? []) {
      if (job.ended !== ended || job.output.bytes <= aboveBytes) continue;
      if (longest === undefined || job.output.bytes > longest.output.bytes) longest = job;
    }
    if (longest === undefined) return false;
    longest.output.halve();
    this.#count(longest);
    return true;
  }

  #forgetOldest(key: string, ageMs: number): boolean {
    const [oldest] = this.#sections.get(key)?.finished.values() ?? [];
    if (oldest?.endedAt === undefined || Date.now() - oldest.endedAt < ageMs) return false;
    this.#forget(oldest);
    return true;
  }

  #section(provider: Provider): Section {
    const { key } = provider;
    let section = this.#sections.get(key);
    if (section === undefined) {
      section = {
        key,
        provider,
        active: new Set(),
        occupying: new Set(),
        programs: 0,
        finished: new BoundedMap(this.#limits.keepJobs, (job) => this.#forget(job)),
        printed: new Set(),
      };
      this.#sections.set(key, section);
    }
    return section;
  }

  #tidy({ key, active, occupying, finished }: Section): void {
    if (active.size + occupying.size + finished.size === 0) this.#sections.delete(key);
  }

  #forgetOld(): void {
    this.#sweptAt = Date.now();
    for (const { finished } of [...this.#sections.values()]) {
      for (const job of finished.values()) {
        if (!this.#isOld(job)) break;
        this.#forget(job);
      }
    }
  }

  #isOld({ endedAt }: Job): boolean {
    return endedAt !== undefined && Date.now() - endedAt > this.#limits.keepJobsMs;
  }

  #forget(job: Job): void {
    const section = this.#section(job.provider);
    section.finished.delete(job.id);
    section.printed.delete(job);
    this.#tidy(section);
    if (this.#jobs.get(job.id) === job) this.#jobs.delete(job.id);
    this.#memory.resize(job.owner.key, -job.weight);
    job.weight = 0;
  }
}
