import { printable } from "@ccbridge/registry";
import type { Logger } from "../logging.js";
import { beginning, excerptOf } from "./excerpt.js";
import type { OpenRecord, Outcome } from "./record.js";
import { Trail } from "./trail.js";

/** A call must not be made, since it cannot be written down. */
export class AuditError extends Error {
  override readonly name = "AuditError";
}

/** What is known of a call when it begins. */
export interface CallBeginning {
  readonly client: string;
  readonly software: string | undefined;
  readonly session: string;
  readonly tool: string;
  readonly acts: boolean;
  readonly args: unknown;
}

export interface AuditOptions {
  log: Logger;
}

/** Writes down what clients do. */
export class Audit {
  /** The last calls, for whoever wants to watch. */
  readonly trail = new Trail();
  readonly #log: Logger;
  #calls = 0;

  constructor({ log }: AuditOptions) {
    this.#log = log;
  }

  /** A call came. */
  begin({ args, ...facts }: CallBeginning): OpenRecord {
    this.#calls += 1;
    const record: OpenRecord = {
      id: this.#calls,
      at: Date.now(),
      ...facts,
      request: excerptOf(args),
      providers: [],
      keys: [],
      job: undefined,
      approvedBy: undefined,
      outcome: undefined,
      durationMs: undefined,
      answer: undefined,
    };
    this.trail.add(record);
    return record;
  }

  /** Whether a line is written before this call. */
  writes(_record: OpenRecord): boolean {
    return false;
  }

  /** The call is about to be made. Throws an {@link AuditError} when it must not be. */
  before(record: OpenRecord, _args: unknown): void {
    this.trail.tell(record);
  }

  /** The call is about a provider that was not known before. */
  reached(record: OpenRecord, key: string, name: string): void {
    record.keys.push(key);
    record.providers.push(printable(name));
  }

  /** The call is answered. */
  end(record: OpenRecord, outcome: Outcome, answer: string | undefined): void {
    record.outcome = outcome;
    record.durationMs = Date.now() - record.at;
    record.answer = answer === undefined ? undefined : beginning(answer);
    this.trail.tell(record);
    if (record.acts) this.#logCall(record);
  }

  #logCall({ client, tool, providers, job, outcome, durationMs }: OpenRecord): void {
    if (!this.#log.isLevelEnabled("info")) return;
    this.#log.info({ client, tool, providers, job, outcome, durationMs }, "call");
  }
}
