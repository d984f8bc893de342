import type { RegistryLimits } from "../limits.js";
import type { Provider } from "../provider.js";
import { Job, type NamedProgram } from "./job.js";
import type { KeptJobs } from "./kept-jobs.js";

interface AdoptedJobsOptions {
  limits: Readonly<RegistryLimits>;
  kept: KeptJobs;
  isLinked(key: string): boolean;
  lose(job: Job, note: string): void;
}

/** Jobs that providers have from an earlier bridge, or started by themselves: bounded for all of them together. */
export class AdoptedJobs {
  readonly #options: AdoptedJobsOptions;
  readonly #jobs = new Set<Job>();

  constructor(options: AdoptedJobsOptions) {
    this.#options = options;
  }

  adopt(id: string, provider: Provider, program: NamedProgram | undefined): void {
    const { kept, limits } = this.#options;
    const { maxOutputLength, maxPending, unknownJobs } = limits;
    // As many as could have been begun here; a provider that names more is not to be believed.
    if (kept.occupying(provider.key).length >= maxPending || !this.#makeRoom()) return;
    const owner = kept.ownerOf(provider);
    const summary = program?.command ?? null;
    const isProgram = program !== undefined;
    const atBoot = program?.atBoot;
    const job = new Job({
      ...{ id, owner, method: "", summary, isProgram, adopted: true, atBoot },
      maxOutputLength,
    });
    this.#jobs.add(job);
    kept.open(job);
    job.apply({ type: "sent" });
    kept.occupy(job, true);
    // What starts at boot is the player's wish, not left over from another bridge.
    if (unknownJobs !== "cancel" || atBoot === true) return;
    job.apply({ type: "stop", reason: "cancelled" });
  }

  ended(job: Job): void {
    this.#jobs.delete(job);
  }

  #makeRoom(): boolean {
    const { limits, isLinked, lose } = this.#options;
    if (this.#jobs.size < limits.maxAdoptedJobs) return true;
    for (const job of this.#jobs) {
      if (isLinked(job.owner.key)) continue;
      lose(job, "Its provider is away, and newer jobs of other providers took its place.");
      return true;
    }
    return false;
  }
}
