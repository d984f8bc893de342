import {
  decodeText,
  encodeFrame,
  type Hello,
  type Output,
  outputOfResult,
  type Response,
} from "@ccbridge/protocol";
import { LinkError, LinkErrorCode } from "../errors.js";
import type { Identity } from "../identity.js";
import type { Link } from "../link.js";
import type { RegistryLimits } from "../options.js";
import { Job, type JobFailure } from "./job.js";
import type { StopReason } from "./machine.js";

export interface StartJobOptions {
  method: string;
  params: unknown;
  summary: string;
  onFailure?: JobFailure | undefined;
  /** Stop it in the game at this age. */
  timeoutMs?: number | undefined;
}

export interface JobsOptions {
  limits: Readonly<RegistryLimits>;
  nextId(): string;
  /** The link of a provider, if it has one now. */
  linkOf(key: string): Link | undefined;
}

/** What a job may wait for. Each has one timer at most. */
type TimerUse = "time-out" | "return" | "confirmation";

interface Waiting {
  job: Job;
  text: string;
}

/**
 * All jobs: those that run, those that wait for room on their computer, and the last finished ones. It
 * sends each request once and never again.
 */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, Job>();
  readonly #queues = new Map<string, Waiting[]>();
  /** Finished jobs, oldest first. */
  readonly #finished: Job[] = [];
  /** Jobs that have not ended, by provider. */
  readonly #active = new Map<string, Set<Job>>();
  readonly #timers = new Map<Job, Map<TimerUse, ReturnType<typeof setTimeout>>>();

  constructor(options: JobsOptions) {
    this.#options = options;
  }

  /** Starts work on a linked provider, at once or when it has room. Throws a {@link LinkError}. */
  start(link: Link, order: StartJobOptions): Job {
    const { method, params, summary, onFailure, timeoutMs } = order;
    const { limits, nextId } = this.#options;
    const { identity } = link;
    const queue = this.#queues.get(identity.key) ?? [];
    if (queue.length >= limits.maxPending) {
      throw new LinkError(
        LinkErrorCode.tooManyRequests,
        `${link.name} already has ${queue.length} jobs waiting, which is the limit`,
      );
    }
    const id = nextId();
    const text = encodeFrame({ type: "request", id, method, params });
    const refusal = link.refusalOf(text);
    if (refusal !== undefined) throw refusal;
    const { maxOutputLength } = limits;
    const job = new Job({ id, identity, method, summary, onFailure, maxOutputLength });
    this.#add(job);
    if (timeoutMs !== undefined) {
      this.#later(job, "time-out", timeoutMs, () => this.stop(job, "timed-out"));
    }
    queue.push({ job, text });
    this.#queues.set(identity.key, queue);
    this.#sendQueued(identity.key);
    return job;
  }

  get(id: string): Job | undefined {
    this.#forgetOld();
    return this.#jobs.get(id);
  }

  /** All known jobs, oldest first. */
  list(): Job[] {
    this.#forgetOld();
    return [...this.#jobs.values()];
  }

  /** Jobs of a provider that run, as far as is known. */
  running(key: string): number {
    let running = 0;
    for (const job of this.#activeOf(key)) if (job.state === "running") running += 1;
    return running;
  }

  /** Tells the computer to stop a job. Whether it did shows in the job's state, sooner or later. */
  stop(job: Job, reason: StopReason): void {
    if (job.ended || !job.apply({ type: "stop", reason })) return;
    if (job.ended) {
      this.#onEnd(job);
      return;
    }
    if (!job.abilities.cancel) this.#unconfirmed(job);
    else if (job.status.linked) this.#sendStop(job);
  }

  /** Takes an answer that no request waits for; false when it is no job's either. */
  answer(link: Link, response: Response): boolean {
    const job = this.#jobs.get(response.id);
    if (job === undefined || job.identity.key !== link.key) return false;
    if (job.response !== undefined) return true;
    // Queued jobs were never sent, so nobody can have an answer to them.
    if (job.state === "queued") return false;
    job.response = response;
    if (job.nextSeq === 0) job.printAll(outputOfResult(response.result));
    const outcome = response.ok ? "ok" : response.error === "cancelled" ? "cancelled" : "error";
    if (job.apply({ type: "answered", outcome })) this.#onEnd(job);
    return true;
  }

  /** Takes a piece of output that no request waits for. */
  print(link: Link, { id, seq, text, encoding }: Output): void {
    const job = this.#jobs.get(id);
    if (job === undefined || job.identity.key !== link.key || job.response !== undefined) return;
    job.print(seq, decodeText(text, encoding));
  }

  /** A provider is linked (again): what it still has goes on, what it has not is lost. */
  linked(identity: Identity, hello: Hello): { id: string; seq: number }[] {
    const named = new Set(hello.jobs);
    for (const job of this.#activeOf(identity.key)) {
      this.#clearTimer(job, "return");
      if (named.has(job.id)) job.apply({ type: "reclaimed" });
      else this.#cameBackWithout(job);
    }
    for (const id of named) {
      // As many as could have been begun here; a computer that names more is not to be believed.
      if (this.running(identity.key) >= this.#options.limits.maxPending) break;
      if (!this.#jobs.has(id)) this.#adopt(id, identity);
    }
    return [...named].map((id) => ({ id, seq: this.#jobs.get(id)?.nextSeq ?? 0 }));
  }

  /** After the hello-ok: what waited for the link goes out. */
  resume(link: Link, hello: Hello): void {
    for (const id of hello.jobs) {
      const job = this.#jobs.get(id);
      if (job === undefined || job.identity.key !== link.key) continue;
      if (job.response !== undefined) link.send(encodeFrame({ type: "ack", id }));
      else if (job.status.stopping !== undefined) this.#sendStop(job);
    }
    this.#sendQueued(link.identity.key);
  }

  /** A link is gone. Its jobs are in doubt, unless its agent could not have kept them. */
  unlinked(identity: Identity): void {
    for (const job of this.#activeOf(identity.key)) {
      if (job.state === "running" && !job.abilities.keep) {
        this.#lose(job, "The link dropped, and the computer's agent cannot keep a job over that.");
        continue;
      }
      job.apply({ type: "dropped" });
      const { lostAfterMs } = this.#options.limits;
      this.#later(job, "return", lostAfterMs, () =>
        this.#lose(job, `The computer stayed away for ${Math.round(lostAfterMs / 1_000)} s.`),
      );
    }
  }

  /** Forgets everything, as when the bridge stops. */
  close(reason: string): void {
    this.#queues.clear();
    for (const key of [...this.#active.keys()]) {
      for (const job of this.#activeOf(key)) this.#lose(job, reason);
    }
  }

  /** A copy, since ending a job changes the set. */
  #activeOf(key: string): Job[] {
    return [...(this.#active.get(key) ?? [])];
  }

  #add(job: Job): void {
    this.#forgetOld();
    this.#jobs.set(job.id, job);
    const { key } = job.identity;
    const active = this.#active.get(key);
    if (active === undefined) this.#active.set(key, new Set([job]));
    else active.add(job);
  }

  #adopt(id: string, identity: Identity): void {
    const { maxOutputLength, unknownJobs } = this.#options.limits;
    const job = new Job({
      id,
      identity,
      method: "",
      summary: null,
      maxOutputLength,
      adopted: true,
    });
    this.#add(job);
    job.apply({ type: "sent" });
    if (unknownJobs === "cancel") job.apply({ type: "stop", reason: "cancelled" });
  }

  #cameBackWithout(job: Job): void {
    if (!job.apply({ type: "missing" }) || !job.ended) return;
    job.note = "The computer came back without it: it was rebooted, or its agent was restarted.";
    this.#onEnd(job);
  }

  #lose(job: Job, note: string): void {
    job.note = note;
    if (job.apply({ type: "given-up" })) this.#onEnd(job);
  }

  #sendQueued(key: string): void {
    const queue = this.#queues.get(key);
    const link = this.#options.linkOf(key);
    if (queue === undefined || link === undefined) return;
    let room = this.#options.limits.maxJobs - this.running(key);
    while (room > 0) {
      const next = queue.shift();
      if (next === undefined) break;
      if (next.job.ended) continue;
      room -= 1;
      const refusal = link.refusalOf(next.text);
      if (refusal === undefined) {
        // Running before it is sent: an in-memory channel may answer at once.
        next.job.apply({ type: "sent" });
        link.transmit(next.text, next.job.id);
      } else {
        next.job.note = refusal.message;
        next.job.apply({ type: "unsendable" });
        this.#onEnd(next.job);
      }
    }
    if (queue.length === 0) this.#queues.delete(key);
  }

  #sendStop(job: Job): void {
    const link = this.#options.linkOf(job.identity.key);
    if (link === undefined) return;
    const reason = job.status.stopping;
    link.send(
      encodeFrame({ type: "cancel", id: job.id, ...(reason === undefined ? {} : { reason }) }),
    );
    const { cancelGraceMs } = this.#options.limits;
    this.#later(job, "confirmation", cancelGraceMs, () => this.#unconfirmed(job));
  }

  #unconfirmed(job: Job): void {
    if (!job.apply({ type: "stop-unconfirmed" })) return;
    job.note = job.abilities.cancel
      ? "The computer did not confirm that it stopped."
      : "The computer's agent cannot stop it.";
    this.#onEnd(job);
  }

  #onEnd(job: Job): void {
    for (const timer of this.#timers.get(job)?.values() ?? []) clearTimeout(timer);
    this.#timers.delete(job);
    const { key } = job.identity;
    const active = this.#active.get(key);
    active?.delete(job);
    if (active?.size === 0) this.#active.delete(key);
    this.#finished.push(job);
    this.#forgetOld();
    this.#sendQueued(job.identity.key);
  }

  #forgetOld(): void {
    const { keepJobs, keepJobsMs } = this.#options.limits;
    const oldest = Date.now() - keepJobsMs;
    while (
      this.#finished.length > keepJobs ||
      (this.#finished[0]?.endedAt ?? Number.POSITIVE_INFINITY) < oldest
    ) {
      const job = this.#finished.shift();
      if (job !== undefined) this.#jobs.delete(job.id);
    }
  }

  /** Sets a timer that ends with its job, in place of an earlier one of the same use. */
  #later(job: Job, use: TimerUse, ms: number, action: () => void): void {
    this.#clearTimer(job, use);
    const timers = this.#timers.get(job) ?? new Map();
    this.#timers.set(job, timers);
    timers.set(use, setTimeout(action, ms));
  }

  #clearTimer(job: Job, use: TimerUse): void {
    clearTimeout(this.#timers.get(job)?.get(use));
  }
}
