import { createId } from "@ccbridge/registry";
import { beginning, excerptOf } from "./excerpt.js";
import type { Redact } from "./lines.js";

/** What is known of a call when it begins. */
export interface CallBeginning {
  readonly client: string;
  readonly software: string | undefined;
  readonly session: string;
  readonly tool: string;
  readonly acts: boolean;
  readonly args: unknown;
  /** What it polls, if it is one of many that look at the same thing. */
  readonly polls?: string | undefined;
}

/**
 * What became of a call: it was not made, it went wrong, or it went well. "asked": its client was given a question
 * for a person, and calls again with the answer.
 */
export type Outcome = "refused" | "error" | "ok" | "asked";

/** One call of one client, from its beginning on. It changes until it has an outcome. */
export interface CallRecord {
  /** Counts up; calls of one bridge have each their own. */
  readonly id: number;
  /** The same in the log, the audit, the job and the frames to the provider. */
  readonly trace: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The name of the client's token. */
  readonly client: string;
  /** What the client's program says it is. */
  readonly software: string | undefined;
  /** Tells sessions apart; the session's id cannot be had from it. */
  readonly session: string;
  readonly tool: string;
  /** Whether the tool may change anything. */
  readonly acts: boolean;
  /** What it polls, if it is one of many that look at the same thing. */
  readonly polls: string | undefined;
  /** The arguments, cut to their beginnings. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The providers that it went to: what to call them, and their keys. */
  readonly providers: readonly string[];
  readonly keys: readonly string[];
  /** Why what it was to act on is not known. */
  readonly notFound: string | undefined;
  /** The job that it began or asked for. */
  readonly job: string | undefined;
  /** Who said yes, where somebody was asked. */
  readonly approvedBy: string | undefined;
  /** Whether it waits for a person. */
  readonly waits: boolean;
  /** Undefined while it waits or runs. */
  readonly outcome: Outcome | undefined;
  readonly durationMs: number | undefined;
  /** The beginning of the answer. */
  readonly answer: string | undefined;
}

/** The same, for those who fill it in. */
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
  outcome: Outcome | undefined;
  durationMs: number | undefined;
  answer: string | undefined;
  readonly #redact: Redact;
  /** The arguments as they came, until the call ends: they may be long. */
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

  /** Made when it is first wanted, at the latest when the call ends. */
  get request(): Readonly<Record<string, unknown>> {
    if (this.#request === undefined) {
      this.#request = excerptOf(this.#args, this.#redact);
      this.#args = undefined;
    }
    return this.#request;
  }

  /** The call has ended. */
  end(outcome: Outcome, answer: string | undefined): void {
    this.outcome = outcome;
    this.durationMs = Date.now() - this.at;
    this.answer = answer === undefined ? undefined : this.#redact(beginning(answer));
    // Not needed yet, but what it is made from must not be kept.
    void this.request;
  }
}
