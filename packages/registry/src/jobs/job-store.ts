import type { Provider } from "../provider.js";
import type { JobFailure } from "./job.js";
import type { JobAnswer } from "./job-session.js";
import type { JobStatus } from "./job-states.js";

export interface JobRecord {
  readonly id: string;
  readonly provider: Provider;
  readonly method: string;
  readonly summary: string | null;
  readonly isProgram?: boolean | undefined;
  readonly onFailure: JobFailure | undefined;
  readonly trace: string | undefined;
  readonly client: string | undefined;
  readonly adopted: boolean;
  readonly atBoot?: boolean | undefined;
  readonly status: JobStatus;
  readonly createdAt: number;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
  readonly stopAt: number | undefined;
  readonly run?: string | undefined;
  readonly note: string | undefined;
  readonly isGone: boolean;
  readonly isPartial: boolean;
  readonly response: JobAnswer | undefined;
  /** Absent while it has not ended: an agent that keeps jobs also keeps their output, and sends it again. */
  readonly output:
    | { readonly start: number; readonly text: string; readonly nextSeq: number }
    | undefined;
  /** What to send, while it is queued. */
  readonly params?: unknown;
}

/**
 * Where jobs are kept beyond this process. No function rejects: a store that fails reports it by itself, and
 * continues without keeping anything.
 */
export interface JobStore {
  load(endedAfter: number): Promise<readonly JobRecord[]>;
  /** Replaces the record of a job. Resolves once it survives a crash of the process. */
  save(record: JobRecord): Promise<void>;
  get(id: string): Promise<JobRecord | undefined>;
}

/** Keeps the records in memory, up to a number: for tests, and where a registry outlives another. */
export class MemoryJobStore implements JobStore {
  readonly #records = new Map<string, JobRecord>();

  async load(endedAfter: number): Promise<readonly JobRecord[]> {
    const endOf = ({ endedAt = Number.POSITIVE_INFINITY }: JobRecord) => endedAt;
    return [...this.#records.values()]
      .filter((record) => endOf(record) > endedAfter)
      .sort((a, b) => endOf(a) - endOf(b) || a.createdAt - b.createdAt);
  }

  async save(record: JobRecord): Promise<void> {
    this.#records.set(record.id, structuredClone(record));
  }

  async get(id: string): Promise<JobRecord | undefined> {
    return this.#records.get(id);
  }
}
