/** What became of a call: it was not made, it went wrong, or it went well. */
export type Outcome = "refused" | "error" | "ok";

/** One call of one client, from its beginning on. It changes until it has an outcome. */
export interface CallRecord {
  /** Counts up; calls of one bridge have each their own. */
  readonly id: number;
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
  /** The arguments, cut to their beginnings. */
  readonly request: Readonly<Record<string, unknown>>;
  /** The providers that it went to: what to call them, and their keys. */
  readonly providers: readonly string[];
  readonly keys: readonly string[];
  /** The job that it began or asked for. */
  readonly job: string | undefined;
  /** Who said yes, where somebody was asked. */
  readonly approvedBy: string | undefined;
  /** Undefined while it runs. */
  readonly outcome: Outcome | undefined;
  readonly durationMs: number | undefined;
  /** The beginning of the answer. */
  readonly answer: string | undefined;
}

/** The same, for those who fill it in. */
export type OpenRecord = { -readonly [Name in keyof CallRecord]: CallRecord[Name] } & {
  providers: string[];
  keys: string[];
};
