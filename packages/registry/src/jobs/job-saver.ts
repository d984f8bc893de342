import type { Job } from "./job.js";
import type { QueuedJob } from "./job-queues.js";
import type { JobSession } from "./job-session.js";
import type { JobStore } from "./job-store.js";

/** Most jobs end sooner, and are saved once, with their answer. */
const BRIEF_MS = 100;

interface Acknowledgement {
  readonly session: JobSession;
  readonly id: string;
}

export class JobSaver {
  readonly #store: JobStore | undefined;
  readonly #sentUnsaved = new Map<string, Job>();
  /** Jobs that end together are saved together. */
  #saving: { saved: Promise<void>; acknowledged: Acknowledgement[] } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(store: JobStore | undefined) {
    this.#store = store;
  }

  /** Whether a job is kept: what belongs to a scope ends with this process, and the scope is a secret. */
  keeps({ provider }: Job): boolean {
    return this.#store !== undefined && provider.scope === undefined;
  }

  save(job: Job): void {
    this.#sentUnsaved.delete(job.id);
    if (this.keeps(job)) job.saved = this.#store?.save(job.toRecord());
  }

  /** It was sent at once. Its caller does not know its id before {@link settled}. */
  begun(job: Job): void {
    if (!this.keeps(job)) return;
    this.#sentUnsaved.set(job.id, job);
    this.#timer ??= setTimeout(() => this.flush(), BRIEF_MS);
  }

  /** Resolves once a job, as it is now, survives a crash: its id may be handed out. */
  settled(job: Job): Promise<void> | undefined {
    if (this.#sentUnsaved.has(job.id)) this.save(job);
    return job.saved;
  }

  queued({ job, params }: QueuedJob): void {
    if (this.keeps(job)) job.saved = this.#store?.save({ ...job.toRecord(), params });
  }

  /** It will be begun elsewhere: whatever happens to this process, it is not begun here. */
  async handedOver(job: Job, note: string): Promise<void> {
    if (!this.keeps(job)) return;
    const status = { ...job.status, state: "lost" as const };
    job.saved = this.#store?.save({ ...job.toRecord(), status, note, endedAt: Date.now() });
    await job.saved;
  }

  async sent(job: Job): Promise<void> {
    const status = { ...job.status, state: "running" as const };
    const record = { ...job.toRecord(), status, startedAt: Date.now() };
    job.saved = this.#store?.save(record);
    await job.saved;
  }

  /** A provider forgets an answer once it is acknowledged, so the answer must be saved by then. */
  acknowledge(session: JobSession, { id, saved }: Job): void {
    if (saved === undefined) return session.acknowledge(id);
    if (this.#saving?.saved !== saved) {
      const saving = { saved, acknowledged: [] as Acknowledgement[] };
      this.#saving = saving;
      void saved.then(() => {
        if (this.#saving === saving) this.#saving = undefined;
        for (const each of saving.acknowledged) each.session.acknowledge(each.id);
      });
    }
    this.#saving.acknowledged.push({ session, id });
  }

  /** Saves all that have begun. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const job of this.#sentUnsaved.values()) this.save(job);
  }
}
