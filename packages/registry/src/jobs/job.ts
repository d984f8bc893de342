import type { Response } from "@ccbridge/protocol";
import type { Identity } from "../identity.js";
import {
  initialStatus,
  isFinal,
  type JobEvent,
  type JobState,
  type JobStatus,
  transition,
} from "./machine.js";
import { OutputLog } from "./output-log.js";

/** What an error of the provider means for whoever looks at the job: a code, and what to do next. */
export interface JobFailure {
  readonly code: string;
  readonly hint: string;
}

export interface JobOptions {
  id: string;
  identity: Identity;
  method: string;
  /** What it does, in a few words for lists. Null for a job of an earlier bridge. */
  summary: string | null;
  onFailure?: JobFailure | undefined;
  maxOutputLength: number;
  /** Whether it was begun under an earlier bridge. */
  adopted?: boolean;
}

/** Work in the game that has a life of its own: it outlasts calls, and links that drop. */
export class Job {
  readonly id: string;
  readonly identity: Identity;
  readonly method: string;
  readonly summary: string | null;
  readonly onFailure: JobFailure | undefined;
  readonly adopted: boolean;
  readonly createdAt = Date.now();
  readonly output: OutputLog;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** Why it has its final state, where the state alone does not say. */
  note: string | undefined;
  /** What the computer answered. A lost job may still get an answer later. */
  response: Response | undefined;
  /** Whether the agent can stop it, stream its output, and keep it over a dropped link. */
  readonly abilities: { cancel: boolean; stream: boolean; keep: boolean };
  #status: JobStatus = initialStatus;
  #nextSeq = 0;
  readonly #listeners = new Set<() => void>();

  constructor(options: JobOptions) {
    this.id = options.id;
    this.identity = options.identity;
    this.method = options.method;
    this.summary = options.summary;
    this.onFailure = options.onFailure;
    this.adopted = options.adopted ?? false;
    this.output = new OutputLog(options.maxOutputLength);
    const { features } = options.identity;
    this.abilities = {
      cancel: features.includes("cancel"),
      stream: features.includes("output"),
      keep: features.includes("jobs"),
    };
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

  /** The first piece of output that has not come. */
  get nextSeq(): number {
    return this.#nextSeq;
  }

  /** Calls back after each change, until the returned function is called. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes an event; true when it changed the job's status. */
  apply(event: JobEvent): boolean {
    const next = transition(this.#status, event);
    if (next === this.#status) return false;
    const ends = isFinal(next.state) && !this.ended;
    this.#status = next;
    if (ends) this.endedAt = Date.now();
    if (next.state === "running") this.startedAt ??= Date.now();
    this.#changed();
    return true;
  }

  /** Takes a piece of output: each once and in order, with a mark where some are missing. */
  print(seq: number, text: string): void {
    if (seq < this.#nextSeq) return;
    if (seq > this.#nextSeq) this.output.push("[... some output is missing here ...]\n");
    this.#nextSeq = seq + 1;
    this.output.push(text);
    this.#changed();
  }

  /** Takes output that was not streamed. */
  printAll(text: string): void {
    this.output.push(text);
    this.#changed();
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

export interface JobWait {
  /** Resolve once this is true. */
  until(job: Job): boolean;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

/** Waits for a job to come to a point, for a time, or for the caller to give up. Never rejects. */
export function waitForJob(job: Job, { until, timeoutMs, signal }: JobWait): Promise<void> {
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
      if (until(job)) finish();
    });
    signal?.addEventListener("abort", finish, { once: true });
  });
}
