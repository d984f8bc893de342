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
  readonly polls?: string | undefined;
}

export type AuditOutcome = "refused" | "error" | "ok" | "asked";

export interface CallRecord {
  readonly id: number;
  readonly trace: string;
  readonly at: number;
  readonly client: string;
  readonly software: string | undefined;
  /** Distinguishes sessions; the session id cannot be derived from it. */
  readonly session: string;
  readonly tool: string;
  readonly acts: boolean;
  readonly polls: string | undefined;
  readonly request: Readonly<Record<string, unknown>>;
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
