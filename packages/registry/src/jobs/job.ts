import { copyString } from "@ccbridge/protocol";
import type { Cancellation } from "../cancellation.js";
import { type Provider, ProviderFeature } from "../provider.js";
import type { JobAnswer } from "./job-session.js";
import {
  initialStatus,
  isFinal,
  type JobEvent,
  type JobState,
  type JobStatus,
  transition,
} from "./job-states.js";
import type { JobRecord } from "./job-store.js";
import { OutputLog } from "./output-log.js";

/** What an error of the provider means for a reader of the job: a code, and what to do next. */
export interface JobFailure {
  readonly code: string;
  readonly hint: string;
}

/** What a provider says of a program that it runs. */
export interface NamedProgram {
  readonly id: string;
  readonly command: string;
  /** It starts with the provider, whatever a bridge wants. */
  readonly atBoot: boolean;
}

export interface JobOptions {
  id: string;
  owner: JobOwner;
  method: string;
  summary: string | null;
  isProgram?: boolean | undefined;
  onFailure?: JobFailure | undefined;
  trace?: string | undefined;
  client?: string | undefined;
  maxOutputLength: number;
  adopted?: boolean;
  atBoot?: boolean | undefined;
}

export interface StartJobOptions {
  /** Of a job that waited elsewhere. @default a new one */
  id?: string | undefined;
  method: string;
  params: unknown;
  summary: string;
  isProgram?: boolean | undefined;
  onFailure?: JobFailure | undefined;
  timeoutMs?: number | undefined;
  trace?: string | undefined;
  client?: string | undefined;
}

/** A job that has not begun and is begun elsewhere. */
export type HandedJob = StartJobOptions & { readonly id: string };

export interface JobWait {
  until(job: Job): boolean;
  timeoutMs: number;
  signal?: Cancellation | undefined;
}

/** A job's weight beside its output and answer, roughly in bytes. */
const JOB_BYTES = 1_024;

/** Why a job waits on a provider that is linked. */
export interface JobsAhead {
  readonly limit: number;
  /** The jobs that run there and count against the limit. */
  readonly jobs: readonly Pick<Job, "id" | "method" | "summary">[];
}

export interface JobProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Whose job it is. One for all jobs of a provider, so that a new name of it shows in all. */
export interface JobOwner {
  readonly key: string;
  readonly provider: Provider;
}

export class Job {
  readonly id: string;
  readonly owner: JobOwner;
  readonly method: string;
  readonly summary: string | null;
  readonly isProgram: boolean;
  readonly onFailure: JobFailure | undefined;
  readonly trace: string | undefined;
  readonly client: string | undefined;
  readonly adopted: boolean;
  readonly atBoot: boolean;
  readonly createdAt: number;
  readonly output: OutputLog;
  startedAt: number | undefined;
  endedAt: number | undefined;
  note: string | undefined;
  /** Whether its provider has reported that it no longer has it: it cannot be running there. */
  isGone = false;
  isPartial = false;
  hasLeft = false;
  /** The run of its provider that it was sent to, see {@link Provider}. */
  run: string | undefined;
  progress: JobProgress | undefined;
  weight = 0;
  /** Whether it was begun by an earlier process: the call that began it does not wait for its end. */
  isRestored = false;
  /** Stop it at this time, as milliseconds since 1970. */
  stopAt: number | undefined;
  /** What the provider answered, bounded. A job that timed out may still get an answer later. */
  response: JobAnswer | undefined;
  /** Settles once the job, as it was last saved, survives a crash. */
  saved: Promise<void> | undefined;
  readonly abilities: { cancel: boolean; stream: boolean; keep: boolean };
  #status: JobStatus = initialStatus;
  #nextSeq = 0;
  #answerBytes = 0;
  /** Absent while there are none: most jobs are kept long after anyone waited for them. */
  #listeners: Set<() => void> | undefined;

  constructor(options: JobOptions, createdAt = Date.now()) {
    this.createdAt = createdAt;
    this.id = options.id;
    this.owner = options.owner;
    this.method = options.method;
    // Mostly the beginning of some code, which must not be kept for it.
    this.summary = options.summary === null ? null : copyString(options.summary);
    this.isProgram = options.isProgram ?? false;
    this.onFailure = options.onFailure;
    this.trace = options.trace;
    this.client = options.client;
    this.adopted = options.adopted ?? false;
    this.atBoot = options.atBoot ?? false;
    this.output = new OutputLog(options.maxOutputLength);
    const { features } = options.owner.provider;
    this.abilities = {
      cancel: features.includes(ProviderFeature.cancel),
      stream: features.includes(ProviderFeature.output),
      keep: features.includes(ProviderFeature.jobs),
    };
  }

  static restore(record: JobRecord, owner: JobOwner, maxOutputLength = Infinity): Job {
    const job = new Job({ ...record, owner, maxOutputLength }, record.createdAt);
    const { status, startedAt, endedAt, stopAt, run, note, isGone, isPartial, response } = record;
    job.#status = status;
    job.isRestored = true;
    Object.assign(job, { startedAt, endedAt, stopAt, run, note, isGone, isPartial });
    if (record.output !== undefined) {
      job.output.restore(record.output.start, record.output.text);
      job.#nextSeq = record.output.nextSeq;
    }
    if (response !== undefined) job.answer(response, JSON.stringify(response.result).length);
    return job;
  }

  toRecord(): JobRecord {
    const { output } = this;
    return {
      id: this.id,
      provider: this.provider,
      method: this.method,
      summary: this.summary,
      isProgram: this.isProgram,
      onFailure: this.onFailure,
      trace: this.trace,
      client: this.client,
      adopted: this.adopted,
      atBoot: this.atBoot,
      status: this.#status,
      createdAt: this.createdAt,
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      stopAt: this.stopAt,
      run: this.run,
      note: this.note,
      isGone: this.isGone,
      isPartial: this.isPartial,
      response: this.response,
      output: this.ended
        ? { start: output.dropped, text: output.toString(), nextSeq: this.#nextSeq }
        : undefined,
    };
  }

  get provider(): Provider {
    return this.owner.provider;
  }

  /** What is kept of it, roughly. One that has not ended cannot be forgotten: of it, only the output counts. */
  get bytes(): number {
    return this.output.bytes + (this.ended ? JOB_BYTES + this.#answerBytes : 0);
  }

  get state(): JobState {
    return this.#status.state;
  }

  get status(): JobStatus {
    return this.#status;
  }

  get ended(): boolean {
    return isFinal(this.#status.state);
  }

  get nextSeq(): number {
    return this.#nextSeq;
  }

  onChange(listener: () => void): () => void {
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
    return () => {
      this.#listeners?.delete(listener);
      if (this.#listeners?.size === 0) this.#listeners = undefined;
    };
  }

  apply(event: JobEvent): boolean {
    const next = transition(this.#status, event);
    if (next === this.#status) return false;
    const ends = isFinal(next.state) && !this.ended;
    this.#status = next;
    if (ends) this.endedAt = Date.now();
    else if (!isFinal(next.state)) this.endedAt = undefined;
    if (next.state === "running") this.startedAt ??= Date.now();
    this.#changed();
    return true;
  }

  /** The bridge stops, and it runs on without it; those who wait for it are notified. */
  outlive(note: string): void {
    this.note = note;
    if (!this.apply({ type: "dropped" })) this.#changed();
  }

  /** It is elsewhere now; those who wait for it here are notified. */
  leave(): void {
    this.hasLeft = true;
    this.#changed();
  }

  answer(answer: JobAnswer, bytes: number): void {
    this.response = answer;
    this.#answerBytes = bytes + (answer.ok ? 0 : 2 * answer.error.length);
  }

  /** Takes a piece of output: each once and in order. */
  print(seq: number, text: string): void {
    if (seq < this.#nextSeq) return;
    if (seq > this.#nextSeq) this.isPartial = true;
    this.#nextSeq = seq + 1;
    this.output.push(text);
    this.#changed();
  }

  advance({ progress, total, message }: JobProgress): void {
    this.progress = { progress, total, message };
    this.#changed();
  }

  printAll(text: string, isPartial: boolean): void {
    if (isPartial) this.isPartial = true;
    if (text === "") return;
    this.output.push(text);
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...(this.#listeners ?? [])]) listener();
  }
}
