import { createId } from "@ccbridge/registry";
import { excerptOf, truncate } from "./excerpt.js";
import type { Redact } from "./lines.js";

export interface CallBeginning {
  readonly client: string;
  readonly software: string | undefined;
  readonly session: string;
  readonly tool: string;
  readonly acts: boolean;
  readonly args: unknown;
  /** The polled subject, for calls that repeat, such as a view of a screen. */
  readonly polls?: string | undefined;
}

/**
 * "asked": the client received a question for a person, and will repeat the call with the answer.
 */
export type AuditOutcome = "refused" | "error" | "ok" | "asked";

/** One call of one client. Mutable until it has an outcome. */
export interface CallRecord {
  readonly id: number;
  /** Correlation id in the log, the audit, the job and the frames to the provider. */
  readonly trace: string;
  readonly at: number;
  readonly client: string;
  /** As reported by the client. */
  readonly software: string | undefined;
  /** Distinguishes sessions; the session id cannot be derived from it. */
  readonly session: string;
  readonly tool: string;
  readonly acts: boolean;
  readonly polls: string | undefined;
  readonly request: Readonly<Record<string, unknown>>;
  /** The display names of the targets; their keys are in `keys`. */
  readonly providers: readonly string[];
  readonly keys: readonly string[];
  readonly notFound: string | undefined;
  readonly job: string | undefined;
  readonly approvedBy: string | undefined;
  readonly waits: boolean;
  readonly outcome: AuditOutcome | undefined;
  readonly durationMs: number | undefined;
  readonly answer: string | undefined;
}

export class OpenRecord implements CallRecord {
  readonly id: number;
  readonly trace = createId();
  readonly at = Date.now();
  readonly client: string;
  readonly software: string | undefined;
  readonly session: string;
  readonly tool: string;
  readonly acts: boolean;
  readonly polls: string | undefined;
  readonly providers: string[] = [];
  readonly keys: string[] = [];
  notFound: string | undefined;
  job: string | undefined;
  approvedBy: string | undefined;
  waits = false;
  outcome: AuditOutcome | undefined;
  durationMs: number | undefined;
  answer: string | undefined;
  readonly #redact: Redact;
  /** Released when the call ends, because arguments may be long. */
  #args: unknown;
  #request: Readonly<Record<string, unknown>> | undefined;

  constructor(id: number, call: CallBeginning, redact: Redact) {
    this.id = id;
    this.client = call.client;
    this.software = call.software;
    this.session = call.session;
    this.tool = call.tool;
    this.acts = call.acts;
    this.polls = call.polls;
    this.#redact = redact;
    this.#args = call.args;
  }

  get request(): Readonly<Record<string, unknown>> {
    if (this.#request === undefined) {
      this.#request = excerptOf(this.#args, this.#redact);
      this.#args = undefined;
    }
    return this.#request;
  }

  end(outcome: AuditOutcome, answer: string | undefined): void {
    this.outcome = outcome;
    this.durationMs = Date.now() - this.at;
    this.answer = answer === undefined ? undefined : this.#redact(truncate(answer));
    // Computes the excerpt before the arguments are released.
    void this.request;
  }
}
