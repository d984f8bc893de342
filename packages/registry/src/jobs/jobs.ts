import type { Memory } from "../budget.js";
import type { RegistryLimits } from "../limits.js";
import type { Answer, Outgoing, Provider } from "../provider.js";
import { AdoptedJobs } from "./adopted-jobs.js";
import { handOver, type JobsElsewhere } from "./handed-jobs.js";
import {
  Job,
  type JobProgress,
  type JobsAhead,
  type JobWait,
  type NamedProgram,
  type StartJobOptions,
} from "./job.js";
import { JobQueues } from "./job-queues.js";
import { JobSaver } from "./job-saver.js";
import type { JobSession } from "./job-session.js";
import { CANNOT_KEEP, outliving, type StopReason } from "./job-states.js";
import type { JobRecord, JobStore } from "./job-store.js";
import { KeptJobs } from "./kept-jobs.js";
import { JobTimers } from "./timers.js";
import { waitForJob } from "./wait-for-job.js";

export interface JobsOptions {
  limits: Readonly<RegistryLimits>;
  memory: Memory;
  store?: JobStore | undefined;
  nextId(): string;
  sessionOf(key: string): JobSession | undefined;
}

/** A stop that is not confirmed is asked for again, at longer and longer intervals up to this one. */
const MAX_STOP_INTERVAL_MS = 30_000;

const NEVER_ARRIVED = "It never arrived there, so nothing was run.";

/** All jobs: those that run or are queued, and the last finished ones. Each request is sent at most once. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #kept: KeptJobs;
  readonly #timers = new JobTimers();
  readonly #queues: JobQueues;
  readonly #saver: JobSaver;
  readonly #adopted: AdoptedJobs;
  #closed = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#kept = new KeptJobs(options.limits, options.memory);
    this.#saver = new JobSaver(options.store);
    this.#adopted = new AdoptedJobs({
      ...{ limits: options.limits, kept: this.#kept },
      isLinked: (key) => options.sessionOf(key) !== undefined,
      lose: (job, note) => this.#lose(job, note),
    });
    this.#queues = new JobQueues({
      ...{ limits: options.limits, saver: this.#saver, kept: this.#kept },
      sessionOf: (key) => options.sessionOf(key),
      send: (session, job, request) => this.#send(session, job, request),
      doubt: (job) => this.#doubt(job),
      lose: (job, note) => this.#lose(job, note),
    });
  }

  /** Starts work on a linked provider, at once or when it has room. Throws a LinkError. */
  start(session: JobSession, order: StartJobOptions): Job {
    const { method, params, summary, isProgram = false } = order;
    const { onFailure, timeoutMs, trace, client } = order;
    const { provider } = session;
    const known = order.id === undefined ? undefined : this.#kept.get(order.id);
    if (known !== undefined) return known;
    const request = session.prepare(order.id ?? this.#newId(), method, params, trace);
    const isLinked = this.#options.sessionOf(provider.key) === session;
    if (isProgram) this.#queues.refuseProgram(provider);
    const goesAtOnce = isLinked && this.#queues.isFree(provider.key, isProgram);
    if (!goesAtOnce) this.#queues.reserveOrRefuse(provider, request.bytes);
    const job = new Job({
      id: request.id,
      owner: this.#kept.ownerOf(provider),
      ...{ method, summary, isProgram, onFailure, trace, client },
      maxOutputLength: this.#options.limits.maxOutputLength,
    });
    this.#kept.open(job);
    if (timeoutMs !== undefined) {
      job.stopAt = Date.now() + timeoutMs;
      this.#watchAge(job);
    }
    if (goesAtOnce) {
      this.#send(session, job, request, true);
      if (!job.ended) this.#saver.begun(job);
    } else this.#queues.add({ job, params, request, bytes: request.bytes });
    return job;
  }

  /** Takes over the jobs of an earlier process, before any provider is linked. */
  restore(records: readonly JobRecord[]): void {
    for (const record of records) {
      const owner = this.#kept.ownerOf(record.provider);
      const job = Job.restore(record, owner, this.#options.limits.maxOutputLength);
      this.#kept.open(job);
      if (job.ended) this.#kept.close(job);
      else if (job.state === "queued") this.#queues.restore(job, record.params);
      else if (job.abilities.keep) this.#doubt(job);
      else this.#lose(job, `The bridge was restarted, ${CANNOT_KEEP}`);
    }
  }

  /** Has the jobs that wait for a provider begun elsewhere. */
  handOver(key: string, elsewhere: JobsElsewhere): Promise<void> {
    const lose = (job: Job, note: string) => this.#lose(job, note);
    const parts = { saver: this.#saver, kept: this.#kept, timers: this.#timers, lose };
    return handOver(this.#queues.takeAll(key), elsewhere, parts);
  }

  get(id: string): Job | undefined {
    return this.#kept.get(id);
  }

  async stored(id: string): Promise<Job | undefined> {
    const record = await this.#options.store?.get(id);
    // It may be back since.
    if (record === undefined || this.#kept.has(id)) return this.#kept.get(id);
    return Job.restore(record, { ...record, key: record.provider.key });
  }

  /** Waits for a job to come to a point, for a time, or for the caller to give up. Never rejects. */
  wait(job: Job, wait: JobWait): Promise<void> {
    return waitForJob(job, wait, () => this.#closed);
  }

  /** Resolves once the id of a job may be handed out: the job survives a crash. */
  settled(job: Job): Promise<void> | undefined {
    return this.#saver.settled(job);
  }

  list(): Job[] {
    return this.#kept.list();
  }

  running(key: string): number {
    return this.#kept.running(key);
  }

  /** What a queued job of a linked provider waits for. */
  waitsFor(job: Job): JobsAhead | undefined {
    const isWaiting = job.state === "queued" && this.#options.sessionOf(job.owner.key);
    return isWaiting ? this.#queues.ahead(job) : undefined;
  }

  /**
   * Asks the provider to stop a job, and again each time this is called. Whether it did shows in the
   * job's state, sooner or later.
   */
  stop(job: Job, reason: StopReason): void {
    const changed = job.apply({ type: "stop", reason });
    if (changed) this.#saver.save(job);
    if (changed && job.ended) this.#onEnd(job);
    else if (!job.abilities.cancel) this.#unconfirmed(job);
    else this.#sendStop(job);
  }

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
    const hadEnded = job.ended;
    this.#leave(job, () => job.apply({ type: "answered", outcome }));
    if (hadEnded) this.#saver.save(job);
    this.#kept.weigh(job);
    return job;
  }

  /** Acknowledges the answer of a job, once the answer survives a crash. */
  acknowledge(session: JobSession, job: Job): void {
    this.#saver.acknowledge(session, job);
  }

  /** The provider does not know a request that it was asked to stop: it never arrived. */
  unknown(session: JobSession, id: string): boolean {
    const job = this.#jobOf(session, id);
    if (job === undefined || job.status.stopping === undefined) return false;
    const arrived = job.nextSeq > 0;
    this.#leave(job, () => {
      job.isGone = true;
      job.note = arrived ? "The other side no longer knows it." : NEVER_ARRIVED;
      return job.apply({ type: arrived ? "missing" : "unknown" });
    });
    return true;
  }

  print(session: JobSession, id: string, seq: number, text: string): boolean {
    const job = this.#jobOf(session, id);
    if (job === undefined || job.response !== undefined) return false;
    job.print(seq, text);
    this.#kept.weigh(job);
    return true;
  }

  progress(session: JobSession, id: string, progress: JobProgress): boolean {
    const job = this.#jobOf(session, id);
    if (job === undefined || job.response !== undefined) return false;
    job.advance(progress);
    return true;
  }

  identified(provider: Provider): void {
    this.#kept.identified(provider);
  }

  /**
   * A provider is linked (again): what it names continues, what it does not name is lost. Returns where the output
   * of each named job continues.
   */
  linked(
    provider: Provider,
    named: readonly string[],
    programs: readonly NamedProgram[] = [],
  ): { id: string; seq: number }[] {
    const { key } = provider;
    this.#kept.identified(provider);
    const ids = new Set(named);
    const programOf = new Map(programs.map((program) => [program.id, program]));
    for (const job of this.#kept.active(key)) {
      this.#timers.clear(job, "return");
      if (!ids.has(job.id)) this.#loseMissing(job, provider.run);
    }
    for (const id of ids) {
      const job = this.#kept.get(id);
      if (job === undefined) this.#adopted.adopt(id, provider, programOf.get(id));
      else if (job.owner.key === key) this.#reclaim(job);
    }
    return this.cursors(key, [...ids]);
  }

  /** A linked provider has started programs by itself. */
  begun(provider: Provider, programs: readonly NamedProgram[]): void {
    for (const program of programs) {
      if (!this.#kept.has(program.id)) this.#adopted.adopt(program.id, provider, program);
    }
  }

  cursors(key: string, ids: readonly string[]): { id: string; seq: number }[] {
    return ids.map((id) => {
      const job = this.#kept.get(id);
      return { id, seq: job?.owner.key === key ? job.nextSeq : 0 };
    });
  }

  /** After the welcome: what waited for the link goes out. */
  resume(session: JobSession, named: readonly string[]): void {
    for (const id of named) {
      const job = this.#jobOf(session, id);
      if (job === undefined) continue;
      if (job.response !== undefined) this.acknowledge(session, job);
      else this.#sendStop(job);
    }
    this.#queues.sendNext(session.provider.key);
  }

  /** A link is gone. Its jobs are in doubt, unless its agent could not have kept them. */
  unlinked(key: string): void {
    if (this.#closed) return;
    for (const job of this.#kept.occupying(key)) {
      this.#timers.clear(job, "confirmation");
      this.#kept.occupy(job, false);
    }
    for (const job of this.#kept.active(key)) {
      if (job.state === "running" && !job.abilities.keep) {
        this.#lose(job, `The link dropped, ${CANNOT_KEEP}`);
        continue;
      }
      this.#doubt(job);
    }
  }

  close(): void {
    this.#closed = true;
    this.#saver.flush();
    this.#queues.close();
    for (const job of this.#kept.allActive()) {
      if (job.state === "queued" && job.saved !== undefined) job.outlive(outliving(job));
      else if (job.state === "queued") this.#lose(job, "The bridge is shutting down.");
      else if (job.abilities.keep) job.outlive(outliving(job));
      else this.#lose(job, `The bridge is shutting down, ${CANNOT_KEEP}`);
    }
    this.#timers.clearAll();
  }

  #newId(): string {
    let id = this.#options.nextId();
    while (this.#kept.has(id)) id = this.#options.nextId();
    return id;
  }

  #jobOf({ provider }: JobSession, id: string): Job | undefined {
    const job = this.#kept.get(id);
    return job?.owner.key === provider.key ? job : undefined;
  }

  /** Its link is down: whether it still runs is unknown, until its provider is back or stays away for too long. */
  #doubt(job: Job): void {
    job.apply({ type: "dropped" });
    this.#watchAge(job);
    const { lostAfterMs } = this.#options.limits;
    this.#timers.set(job, "return", lostAfterMs, () =>
      this.#lose(job, `The other side stayed away for ${Math.round(lostAfterMs / 1_000)} s.`),
    );
  }

  #reclaim(job: Job): void {
    if (job.response !== undefined || job.startedAt === undefined) return;
    const wasLost = job.state === "lost";
    job.apply({ type: "reclaimed" });
    this.#kept.occupy(job, true);
    if (!wasLost) return;
    job.note = undefined;
    job.isGone = false;
    this.#kept.open(job);
    this.#watchAge(job);
    this.#saver.save(job);
  }

  #loseMissing(job: Job, run: string | undefined): void {
    const neverArrived = job.run !== undefined && job.run === run && job.nextSeq === 0;
    const missed = job.status.stopping === undefined ? "unsendable" : "unknown";
    if (!job.apply({ type: neverArrived ? missed : "missing" }) || !job.ended) return;
    job.isGone = true;
    job.note = neverArrived
      ? NEVER_ARRIVED
      : "The other side came back without it: it was rebooted, or its agent was restarted.";
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

  #send(session: JobSession, job: Job, request: Outgoing, isChecked = false): void {
    // Running before it is sent: an in-memory channel may answer at once.
    job.run = session.provider.run;
    job.apply({ type: "sent" });
    this.#kept.occupy(job, true);
    const refusal = session.send(request, job.stopAt, isChecked);
    if (refusal === undefined) return;
    this.#leave(job, () => {
      job.note = refusal.message;
      return job.apply({ type: "unsendable" });
    });
  }

  #sendStop(job: Job, intervalMs = this.#options.limits.cancelGraceMs): void {
    const reason = job.status.stopping;
    if (reason === undefined || !this.#kept.occupies(job)) return;
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
    this.#kept.occupy(job, false);
    if (end()) this.#onEnd(job);
    else this.#queues.sendNext(job.owner.key);
  }

  #onEnd(job: Job): void {
    this.#timers.clear(job, "time-out", "return");
    this.#adopted.ended(job);
    this.#kept.close(job);
    this.#saver.save(job);
    this.#queues.sendNext(job.owner.key);
  }
}
