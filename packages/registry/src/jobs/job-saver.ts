import type { Job } from "./job.js";
import type { Waiting } from "./job-queues.js";
import type { JobSession } from "./job-session.js";
import type { JobRecord, JobStore } from "./job-store.js";

export class JobSaver {
  readonly #store: JobStore | undefined;

  constructor(store: JobStore | undefined) {
    this.#store = store;
  }

  /** Whether a job is kept: what belongs to a scope ends with this process, and the scope is a secret. */
  keeps({ provider }: Job): boolean {
    return this.#store !== undefined && provider.scope === undefined;
  }

  save(job: Job): void {
    this.#save(job, {});
  }

  queued({ job, params }: Waiting): void {
    this.#save(job, { params });
  }

  async sent(job: Job): Promise<void> {
    const status = { ...job.status, state: "running" as const };
    this.#save(job, { status, startedAt: Date.now() });
    await job.saved;
  }

  /** A provider forgets an answer once it is acknowledged, so the answer must be saved by then. */
  acknowledge(session: JobSession, { id, saved }: Job): void {
    if (saved === undefined) session.acknowledge(id);
    else void saved.then(() => session.acknowledge(id));
  }

  #save(job: Job, more: Partial<JobRecord>): void {
    if (this.keeps(job)) job.saved = this.#store?.save({ ...job.toRecord(), ...more });
  }
}
