import type { Answer } from "./answer.js";
import type { Provider } from "./provider.js";

/** Why a request got no answer, as far as this side knows. */
export const LinkErrorCode = {
  notLinked: "not-linked",
  /** It was linked, and usually comes back by itself. */
  away: "away",
  ambiguous: "ambiguous",
  timedOut: "timed-out",
  cancelled: "cancelled",
  replaced: "replaced",
  disconnected: "disconnected",
  silent: "silent",
  tooManyRequests: "too-many-requests",
  tooManyWatches: "too-many-watches",
  tooLarge: "too-large",
  notReading: "not-reading",
  shuttingDown: "shutting-down",
} as const;

export type LinkErrorCode = (typeof LinkErrorCode)[keyof typeof LinkErrorCode];

/** What became of stopping the work on the other side after a time-out. */
export type CancelOutcome = "unsupported" | "confirmed" | "unconfirmed";

export interface LinkErrorFacts {
  /** Only for time-outs of requests that can be cancelled. */
  cancel?: CancelOutcome;
  /** The answer to the cancel, with the output so far. */
  response?: Answer;
  /** All providers on which the message depends. */
  candidates?: readonly Provider[];
}

/** A failure on this side of the link. What the other side answers is never one. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  readonly code: LinkErrorCode;
  readonly cancel: CancelOutcome | undefined;
  readonly response: Answer | undefined;
  /** What the caller can do next, in the words of the provider's kind. */
  hint: string | undefined;
  // Private, so that no log line shows what a client may not see.
  readonly #candidates: readonly Provider[];

  constructor(code: LinkErrorCode, message: string, facts: LinkErrorFacts = {}) {
    super(message);
    this.code = code;
    this.cancel = facts.cancel;
    this.response = facts.response;
    this.#candidates = facts.candidates ?? [];
  }

  /** All providers on which the message depends. */
  get candidates(): readonly Provider[] {
    return this.#candidates;
  }
}

/** Whether an error says that no linked provider fits, because it is unknown or away. */
export function isMissing(error: unknown): error is LinkError {
  return (
    error instanceof LinkError &&
    (error.code === LinkErrorCode.notLinked || error.code === LinkErrorCode.away)
  );
}
