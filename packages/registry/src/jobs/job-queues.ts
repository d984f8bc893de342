import { Budget } from "../budget.js";
import { LinkError, LinkErrorCode } from "../errors.js";
import type { RegistryLimits } from "../limits.js";
import type { Outgoing, Provider } from "../provider.js";
import type { Job, JobsAhead } from "./job.js";
import type { JobSaver } from "./job-saver.js";
import type { JobSession } from "./job-session.js";
import type { KeptJobs } from "./kept-jobs.js";

/** A queued job. One of an earlier process has no request yet: it is written for the link that it is sent on. */
export interface QueuedJob {
  readonly job: Job;
  readonly params: unknown;
  readonly request?: Outgoing | undefined;
  readonly bytes: number;
}

export interface JobQueuesOptions {
  limits: Readonly<
    Pick<RegistryLimits, "maxJobs" | "maxPrograms" | "maxPending" | "maxBufferedBytes">
  >;
  saver: JobSaver;
  kept: KeptJobs;
  sessionOf(key: string): JobSession | undefined;
  send(session: JobSession, job: Job, request: Outgoing): void;
  doubt(job: Job): void;
  lose(job: Job, note: string): void;
}

/** The jobs that wait for room on their providers, in order, bounded in number and bytes for each provider. */
export class JobQueues {
  readonly #options: JobQueuesOptions;
  readonly #bytes: Budget<string>;
  readonly #queues = new Map<string, QueuedJob[]>();
  #closed = false;

  constructor(options: JobQueuesOptions) {
    this.#options = options;
    const { maxBufferedBytes } = options.limits;
    this.#bytes = new Budget({ total: Number.POSITIVE_INFINITY, perPeer: maxBufferedBytes });
  }

  #size(key: string): number {
    return this.#queues.get(key)?.length ?? 0;
  }

  hasRoom(key: string, isProgram: boolean): boolean {
    return this.#options.kept.occupied(key, isProgram) < this.#limitOf(isProgram);
  }

  /** Whether a job goes at once: nothing waits before it. */
  isFree(key: string, isProgram: boolean): boolean {
    return this.#size(key) === 0 && this.hasRoom(key, isProgram);
  }

  /** A program is refused instead of queued: those that run may wait for input for ever. */
  refuseProgram({ key, name }: Provider): void {
    const { kept, limits } = this.#options;
    const unended = new Set([...kept.active(key), ...kept.occupying(key)]);
    if ([...unended].filter((job) => job.isProgram).length < limits.maxPrograms) return;
    throw new LinkError(
      LinkErrorCode.tooManyPrograms,
      `${limits.maxPrograms} programs already run on ${name}, which is the limit`,
    );
  }

  /** The limit that keeps a job waiting, and the jobs that run and count against it. */
  ahead({ isProgram, owner: { key } }: Job): JobsAhead {
    const rivals = this.#options.kept.occupying(key).filter((job) => job.isProgram === isProgram);
    const jobs = rivals.map(({ id, method, summary }) => ({ id, method, summary }));
    return { limit: this.#limitOf(isProgram), jobs };
  }

  /** Takes a place in the queue. Throws a {@link LinkError} when there is none. */
  reserveOrRefuse({ key, name }: Provider, bytes: number): void {
    if (this.#reserve(key, bytes)) return;
    throw new LinkError(
      LinkErrorCode.tooManyRequests,
      `${name} already has ${this.#size(key)} jobs waiting, which is the limit`,
    );
  }

  #reserve(key: string, bytes: number): boolean {
    return this.#size(key) < this.#options.limits.maxPending && this.#bytes.take(key, bytes);
  }

  add(waiting: QueuedJob): void {
    const { key } = waiting.job.owner;
    this.#options.saver.queued(waiting);
    const queue = this.#queues.get(key);
    if (queue === undefined) this.#queues.set(key, [waiting]);
    else queue.push(waiting);
    this.sendNext(key);
  }

  restore(job: Job, params: unknown): void {
    const { doubt, lose } = this.#options;
    if (params === undefined) {
      return lose(job, "The bridge was restarted before the job was begun: nothing was run.");
    }
    const bytes = JSON.stringify(params).length;
    if (!this.#reserve(job.owner.key, bytes)) {
      return lose(job, "Too many jobs were waiting: nothing was run.");
    }
    doubt(job);
    this.add({ job, params, bytes });
  }

  sendNext(key: string): void {
    const { saver, sessionOf } = this.#options;
    for (;;) {
      const session = sessionOf(key);
      const next = session && this.#shift(key);
      if (session === undefined || next === undefined) return;
      if (next.job.ended) continue;
      if (saver.keeps(next.job)) void this.#sendOnceSaved(next);
      else this.#send(session, next);
    }
  }

  /** Takes out all jobs that wait for a provider. */
  takeAll(key: string): readonly QueuedJob[] {
    const queue = this.#queues.get(key) ?? [];
    this.#queues.delete(key);
    for (const { bytes } of queue) this.#bytes.give(key, bytes);
    return queue.filter(({ job }) => !job.ended);
  }

  close(): void {
    this.#closed = true;
    this.#queues.clear();
  }

  #limitOf(isProgram: boolean): number {
    const { maxJobs, maxPrograms } = this.#options.limits;
    return isProgram ? maxPrograms : maxJobs;
  }

  /** The first that there is room for. */
  #shift(key: string): QueuedJob | undefined {
    const queue = this.#queues.get(key) ?? [];
    const index = queue.findIndex(({ job }) => job.ended || this.hasRoom(key, job.isProgram));
    const [next] = index < 0 ? [] : queue.splice(index, 1);
    if (queue.length === 0) this.#queues.delete(key);
    if (next !== undefined) this.#bytes.give(key, next.bytes);
    return next;
  }

  /** Makes a job the first again. */
  #unshift(waiting: QueuedJob): void {
    const { key } = waiting.job.owner;
    this.#bytes.set(key, this.#bytes.held(key) + waiting.bytes);
    this.#queues.set(key, [waiting, ...(this.#queues.get(key) ?? [])]);
    this.#options.saver.queued(waiting);
  }

  /** That it is sent is saved before it is: a crash in between must not lead to sending it again. */
  async #sendOnceSaved(waiting: QueuedJob): Promise<void> {
    const { saver, kept, sessionOf } = this.#options;
    const { job } = waiting;
    const { key } = job.owner;
    // It has its place from now on.
    kept.occupy(job, true);
    await saver.sent(job);
    if (this.#closed) return;
    const session = sessionOf(key);
    // A link that dropped meanwhile took its place away.
    const hasPlace = session !== undefined && kept.occupies(job);
    kept.occupy(job, false);
    if (!job.ended && hasPlace) return this.#send(session, waiting);
    if (!job.ended) this.#unshift(waiting);
    this.sendNext(key);
  }

  #send(session: JobSession, { job, params, request }: QueuedJob): void {
    try {
      const written = request ?? session.prepare(job.id, job.method, params, job.trace);
      this.#options.send(session, job, written);
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      this.#options.lose(job, `Nothing was run: ${error.message}`);
    }
  }
}
