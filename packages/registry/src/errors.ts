import type { Answer, Provider } from "./provider.js";

export const LinkErrorCode = {
  notLinked: "not-linked",
  away: "away",
  ambiguous: "ambiguous",
  timedOut: "timed-out",
  cancelled: "cancelled",
  replaced: "replaced",
  disconnected: "disconnected",
  silent: "silent",
  tooManyRequests: "too-many-requests",
  tooManyPrograms: "too-many-programs",
  tooManyWatches: "too-many-watches",
  tooLarge: "too-large",
  notReading: "not-reading",
  shuttingDown: "shutting-down",
} as const;

export type LinkErrorCode = (typeof LinkErrorCode)[keyof typeof LinkErrorCode];

export type CancelOutcome = "unsupported" | "confirmed" | "unconfirmed";

export interface LinkErrorFacts {
  cancel?: CancelOutcome;
  response?: Answer;
  candidates?: readonly Provider[];
}

/** A failure on this side of the link. What the other side answers is never one. */
export class LinkError extends Error {
  override readonly name = "LinkError";
  readonly code: LinkErrorCode;
  readonly cancel: CancelOutcome | undefined;
  readonly response: Answer | undefined;
  hint: string | undefined;
  /** What the protocol of the provider calls this failure. */
  wireCode: string | undefined;
  readonly #candidates: readonly Provider[];

  constructor(code: LinkErrorCode, message: string, facts: LinkErrorFacts = {}) {
    super(message);
    this.code = code;
    this.cancel = facts.cancel;
    this.response = facts.response;
    this.#candidates = facts.candidates ?? [];
  }

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
