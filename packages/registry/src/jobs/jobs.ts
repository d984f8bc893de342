import type { Answer, Outgoing } from "../answer.js";
import { Budget } from "../budget.js";
import { LinkError, LinkErrorCode } from "../errors.js";
import type { RegistryLimits } from "../limits.js";
import type { Memory } from "../memory.js";
import type { Provider } from "../provider.js";
import { Job, type JobProgress, type JobWait, type StartJobOptions } from "./job.js";
import type { JobSession } from "./job-session.js";
import { Shelf } from "./job-store.js";
import type { StopReason } from "./machine.js";
import { JobTimers } from "./timers.js";

export interface JobsOptions {
  limits: Readonly<RegistryLimits>;
  memory: Memory;
  nextId(): string;
  sessionOf(key: string): JobSession | undefined;
}

interface Waiting {
  job: Job;
  request: Outgoing;
}

const CANNOT_KEEP = "and its agent is too old to keep a job until the link is back.";

/** A stop that is not confirmed is asked for again, at longer and longer intervals up to this one. */
const MAX_STOP_INTERVAL_MS = 30_000;

/**
 * All jobs: those that run, those that wait for room on their provider, and the last finished ones. It
 * hands each request over once and never again.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #shelf: Shelf;
  readonly #timers = new JobTimers();
  readonly #queues = new Map<string, Waiting[]>();
  readonly #queued: Budget<string>;
  readonly #adopted = new Set<Job>();
  #closed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#shelf = new Shelf(options.limits, options.memory);
    const { maxBufferedBytes } = options.limits;
    this.#queued = new Budget({ total: Number.POSITIVE_INFINITY, perPeer: maxBufferedBytes });
  }

  /** Starts work on a linked provider, at once or when it has room. Throws a {@link LinkError}. */
  start(session: JobSession, order: StartJobOptions): Job {
    const { method, params, summary, onFailure, timeoutMs, trace } = order;
    const { provider } = session;
    const request = session.prepare(this.#newId(), method, params, trace);
    const queue = this.#queues.get(provider.key);
    const isLinked = this.#options.sessionOf(provider.key) === session;
    const goesAtOnce = queue === undefined && isLinked && this.#hasRoom(provider.key);
    if (!goesAtOnce) this.#reserve(provider, request, queue?.length ?? 0);
    const job = new Job({
      id: request.id,
      owner: this.#shelf.ownerOf(provider),
      method,
      summary,
      onFailure,
      trace,
      maxOutputLength: this.#options.limits.maxOutputLength,
    });
    this.#shelf.open(job);
    if (timeoutMs !== undefined) {
      job.stopAt = Date.now() + timeoutMs;
      this.#watchAge(job);
    }
    if (goesAtOnce) this.#send(session, job, request, true);
    else this.#enqueue(provider.key, { job, request });
    return job;
  }

  get(id: string): Job | undefined {
    return this.#shelf.get(id);
  }

  /** Waits for a job to come to a point, for a time, or for the caller to give up. Never rejects. */
  wait(job: Job, { until, timeoutMs, signal }: JobWait): Promise<void> {
    if (until(job) || signal?.aborted || timeoutMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        stopListening();
        signal?.removeEventListener("abort", finish);
        resolve();
      };
      const timer = setTimeout(finish, timeoutMs);
      const stopListening = job.onChange(() => {
        if (this.#closed || until(job)) finish();
      });
      signal?.addEventListener("abort", finish, { once: true });
    });
  }

  /** All known jobs, oldest first. */
  list(): Job[] {
    return this.#shelf.list();
  }

  running(key: string): number {
    return this.#shelf.running(key);
  }

  /**
   * Tells the provider to stop a job, and again each time this is called. Whether it did shows in the
   * job's state, sooner or later.
   */
  stop(job: Job, reason: StopReason): void {
    const changed = job.apply({ type: "stop", reason });
    if (changed && job.ended) this.#onEnd(job);
    else if (!job.abilities.cancel) this.#unconfirmed(job);
    else this.#sendStop(job);
  }

  /** Takes an answer that no request waits for; undefined when it belongs to no job either. */
  answer(session: JobSession, id: string, answer: Answer): Job | undefined {
    const job = this.#jobOf(session, id);
    // Jobs that were never sent have no answer, even if a provider sends one.
    if (job?.startedAt === undefined) return undefined;
    if (job.response !== undefined) return job;
    const { output, isPartial, result, bytes } = session.keep(answer.result);
    if (job.nextSeq === 0) job.printAll(output, isPartial);
    job.answer(
      answer.ok ? { ok: true, result } : { ok: false, error: answer.error, result },
      bytes,
    );
    const outcome = answer.ok ? "ok" : answer.cancel === "stopped" ? "cancelled" : "error";
    this.#leave(job, () => job.apply({ type: "answered", outcome }));
    this.#shelf.weigh(job);
    return job;
  }

  /** The provider does not know a request that it was asked to stop: it never arrived. */
  unknown(session: JobSession, id: string): boolean {
    const job = this.#jobOf(session, id);
    if (job === undefined || job.status.stopping === undefined) return false;
    const arrived = job.nextSeq > 0;
    this.#leave(job, () => {
      job.isGone = true;
      job.note = arrived
        ? "The other side no longer knows it."
        : "It never arrived there, so nothing was run.";
      return job.apply({ type: arrived ? "missing" : "unknown" });
    });
    return true;
  }

  /** Takes a piece of output; false when it belongs to no job. */
  print(session: JobSession, id: string, seq: number, text: string): boolean {
    const job = this.#jobOf(session, id);
    if (job === undefined || job.response !== undefined) return false;
    job.print(seq, text);
    this.#shelf.weigh(job);
    return true;
  }

  /** Takes the progress that a job's own code reports; false when it belongs to no job. */
  progress(session: JobSession, id: string, progress: JobProgress): boolean {
    const job = this.#jobOf(session, id);
    if (job === undefined || job.response !== undefined) return false;
    job.advance(progress);
    return true;
  }

  /** A provider says who it is, perhaps with a new name. */
  identified(provider: Provider): void {
    this.#shelf.identified(provider);
  }

  /**
   * A provider is linked (again): what it names continues, what it does not name is lost. Returns where the output
   * of each named job continues.
   */
  linked(provider: Provider, named: readonly string[]): { id: string; seq: number }[] {
    const { key } = provider;
    this.#shelf.identified(provider);
    const ids = new Set(named);
    for (const job of this.#shelf.active(key)) {
      this.#timers.clear(job, "return");
      if (!ids.has(job.id)) this.#loseMissing(job);
    }
    for (const id of ids) {
      const job = this.#shelf.get(id);
      if (job === undefined) this.#adopt(id, provider);
      else if (job.owner.key === key) this.#reclaim(job);
    }
    return this.cursors(key, [...ids]);
  }

  /** Where the output of each of these jobs continues. */
  cursors(key: string, ids: readonly string[]): { id: string; seq: number }[] {
    return ids.map((id) => {
      const job = this.#shelf.get(id);
      return { id, seq: job?.owner.key === key ? job.nextSeq : 0 };
    });
  }

  /** After the welcome: what waited for the link goes out. */
  resume(session: JobSession, named: readonly string[]): void {
    for (const id of named) {
      const job = this.#jobOf(session, id);
      if (job === undefined) continue;
      if (job.response !== undefined) session.acknowledge(id);
      else this.#sendStop(job);
    }
    this.#sendQueued(session.provider.key);
  }

  /** A link is gone. Its jobs are in doubt, unless its agent could not have kept them. */
  unlinked(key: string): void {
    if (this.#closed) return;
    for (const job of this.#shelf.occupying(key)) {
      this.#timers.clear(job, "confirmation");
      this.#shelf.occupy(job, false);
    }
    for (const job of this.#shelf.active(key)) {
      if (job.state === "running" && !job.abilities.keep) {
        this.#lose(job, `The link dropped, ${CANNOT_KEEP}`);
        continue;
      }
      job.apply({ type: "dropped" });
      const { lostAfterMs } = this.#options.limits;
      this.#timers.set(job, "return", lostAfterMs, () =>
        this.#lose(job, `The other side stayed away for ${Math.round(lostAfterMs / 1_000)} s.`),
      );
    }
  }

  /** The bridge stops. A job that its agent keeps runs on, and is adopted by the next bridge. */
  close(): void {
    this.#closed = true;
    this.#queues.clear();
    for (const job of this.#shelf.allActive()) {
      if (job.state === "queued") this.#lose(job, "The bridge is shutting down.");
      else if (job.abilities.keep) job.outlive(outliving(job));
      else this.#lose(job, `The bridge is shutting down, ${CANNOT_KEEP}`);
    }
    this.#timers.clearAll();
  }

  #newId(): string {
    let id = this.#options.nextId();
    while (this.#shelf.has(id)) id = this.#options.nextId();
    return id;
  }

  #jobOf({ provider }: JobSession, id: string): Job | undefined {
    const job = this.#shelf.get(id);
    return job?.owner.key === provider.key ? job : undefined;
  }

  /** Takes room in a provider's queue. Throws when there is none. */
  #reserve({ key, name }: Provider, request: Outgoing, waiting: number): void {
    if (waiting < this.#options.limits.maxPending && this.#queued.take(key, request.bytes)) return;
    throw new LinkError(
      LinkErrorCode.tooManyRequests,
      `${name} already has ${waiting} jobs waiting, which is the limit`,
    );
  }

  #enqueue(key: string, waiting: Waiting): void {
    const queue = this.#queues.get(key) ?? [];
    this.#queues.set(key, queue);
    queue.push(waiting);
    this.#sendQueued(key);
  }

  #adopt(id: string, provider: Provider): void {
    const { maxOutputLength, maxPending, unknownJobs } = this.#options.limits;
    // As many as could have been begun here; a provider that names more is not to be believed.
    if (this.#shelf.occupied(provider.key) >= maxPending || !this.#roomToAdopt()) return;
    const owner = this.#shelf.ownerOf(provider);
    const job = new Job({ id, owner, method: "", summary: null, maxOutputLength, adopted: true });
    this.#adopted.add(job);
    this.#shelf.open(job);
    job.apply({ type: "sent" });
    this.#shelf.occupy(job, true);
    if (unknownJobs === "cancel") job.apply({ type: "stop", reason: "cancelled" });
  }

  /** Whether one more may be adopted. Those of providers that are gone make room first. */
  #roomToAdopt(): boolean {
    if (this.#adopted.size < this.#options.limits.maxAdoptedJobs) return true;
    for (const job of this.#adopted) {
      if (this.#options.sessionOf(job.owner.key) !== undefined) continue;
      this.#lose(job, "Its provider is away, and newer jobs of other providers took its place.");
      return true;
    }
    return false;
  }

  #reclaim(job: Job): void {
    if (job.response !== undefined || job.startedAt === undefined) return;
    const wasLost = job.state === "lost";
    job.apply({ type: "reclaimed" });
    this.#shelf.occupy(job, true);
    if (!wasLost) return;
    job.note = undefined;
    job.isGone = false;
    this.#shelf.open(job);
    this.#watchAge(job);
  }

  #loseMissing(job: Job): void {
    if (!job.apply({ type: "missing" }) || !job.ended) return;
    job.isGone = true;
    job.note = "The other side came back without it: it was rebooted, or its agent was restarted.";
    this.#onEnd(job);
  }

  #lose(job: Job, note: string): void {
    job.note = note;
    if (job.apply({ type: "given-up" })) this.#onEnd(job);
  }

  #watchAge(job: Job): void {
    if (job.stopAt === undefined) return;
    const stop = () => this.stop(job, "timed-out");
    this.#timers.set(job, "time-out", job.stopAt - Date.now(), stop);
  }

  #sendQueued(key: string): void {
    const queue = this.#queues.get(key);
    const session = this.#options.sessionOf(key);
    if (queue === undefined || session === undefined) return;
    while (this.#hasRoom(key)) {
      const next = queue.shift();
      if (next === undefined) break;
      this.#queued.give(key, next.request.bytes);
      if (!next.job.ended) this.#send(session, next.job, next.request);
    }
    if (queue.length === 0 && this.#queues.get(key) === queue) this.#queues.delete(key);
  }

  #hasRoom(key: string): boolean {
    return this.#shelf.occupied(key) < this.#options.limits.maxJobs;
  }

  #send(session: JobSession, job: Job, request: Outgoing, isChecked = false): void {
    // Running before it is sent: an in-memory channel may answer at once.
    job.apply({ type: "sent" });
    this.#shelf.occupy(job, true);
    const refusal = session.send(request, job.stopAt, isChecked);
    if (refusal === undefined) return;
    this.#leave(job, () => {
      job.note = refusal.message;
      return job.apply({ type: "unsendable" });
    });
  }

  /** Repeats the request to stop a job until its provider confirms it. */
  #sendStop(job: Job, intervalMs = this.#options.limits.cancelGraceMs): void {
    const reason = job.status.stopping;
    if (reason === undefined || !this.#shelf.occupies(job)) return;
    this.#options.sessionOf(job.owner.key)?.cancel(job.id, reason);
    this.#timers.set(job, "confirmation", intervalMs, () => {
      this.#unconfirmed(job);
      this.#sendStop(job, Math.min(2 * intervalMs, MAX_STOP_INTERVAL_MS));
    });
  }

  #unconfirmed(job: Job): void {
    if (!job.apply({ type: "stop-unconfirmed" })) return;
    job.note = job.abilities.cancel
      ? "The other side did not confirm that it stopped."
      : "The agent there cannot stop it.";
    this.#onEnd(job);
  }

  /** A job is no longer on its provider; `end` is how it ends, if it has not already. */
  #leave(job: Job, end: () => boolean): void {
    this.#timers.clear(job, "confirmation");
    this.#shelf.occupy(job, false);
    if (end()) this.#onEnd(job);
    else this.#sendQueued(job.owner.key);
  }

  #onEnd(job: Job): void {
    this.#timers.clear(job, "time-out", "return");
    this.#adopted.delete(job);
    this.#shelf.close(job);
    this.#sendQueued(job.owner.key);
  }
}

/** What becomes of a job when the bridge stops. Its request may have been lost with the link, unless it printed. */
function outliving({ nextSeq }: Job): string {
  const what = nextSeq > 0 ? "The job keeps" : "If the job has begun there, it keeps";
  return `The bridge is stopping or restarting. ${what} running under this id, and is known again once the bridge runs and the link is back.`;
}
