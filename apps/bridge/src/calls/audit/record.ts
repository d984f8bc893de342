import { createHash } from "node:crypto";
import { numberedIds } from "@ccbridge/registry";

const nextTrace = numberedIds();

const MAX_LENGTH = 2_048;
const MAX_ARGUMENTS = 16;
const MAX_TOTAL = 4_096;

/** A truncated text is copied, so that the slice does not keep the whole string in memory. */
function truncate(text: string, maxLength = MAX_LENGTH): string {
  if (text.length <= maxLength) return text;
  const head = text.slice(0, maxLength).replace(/[\ud800-\udbff]$/, "");
  return Buffer.from(head, "utf16le").toString("utf16le");
}

function excerptOf(args: unknown, redact: (text: string) => string): Record<string, unknown> {
  const kept: Record<string, unknown> = {};
  if (typeof args !== "object" || args === null) return kept;
  let remaining = MAX_TOTAL;
  let count = 0;
  for (const [name, value] of Object.entries(args)) {
    count += 1;
    if (count > MAX_ARGUMENTS || remaining <= 0) break;
    const short = shortValue(value, Math.min(remaining, MAX_LENGTH));
    if (typeof short === "string") remaining -= short.length;
    kept[truncate(name, 64)] = typeof short === "string" ? redact(short) : short;
  }
  return kept;
}

function shortValue(value: unknown, remaining: number): unknown {
  if (typeof value === "string") return truncate(value, remaining);
  if (typeof value !== "object" || value === null) return value;
  return truncate(JSON.stringify(value), remaining);
}

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
  readonly trace = nextTrace();
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

export type AuditLine = Readonly<Record<string, unknown>>;

export function lineBefore(record: CallRecord, args: unknown, redact: Redact): AuditLine {
  return { ...common(record, "before"), ...subjectOf(args, redact) };
}

export function lineAfter(record: CallRecord): AuditLine {
  const { job, outcome, durationMs } = record;
  return { ...common(record, "after"), job, outcome, durationMs };
}

export type Redact = (text: string) => string;

function common(record: CallRecord, phase: "before" | "after") {
  const { id, trace, client, software, session, tool, providers, notFound, approvedBy } = record;
  return {
    time: new Date().toISOString(),
    event: "call",
    phase,
    call: id,
    trace,
    client,
    software,
    session,
    tool,
    providers,
    notFound: notFound === undefined ? undefined : truncate(notFound, 200),
    approvedBy,
  };
}

function subjectOf(args: unknown, redact: Redact) {
  const { code, path, from, to } = Object(args) as Record<string, unknown>;
  const shown = (text: unknown) => (typeof text === "string" ? redact(truncate(text)) : undefined);
  const sha256 = subjectHash(args);
  if (typeof code === "string") return { code: shown(code), sha256 };
  if (typeof path === "string") return { path: shown(path), sha256 };
  if (typeof from === "string") return { path: shown(from), to: shown(to), sha256 };
  return { arguments: shown(JSON.stringify(args ?? {})), sha256 };
}

/** SHA-256 of the code, of the content written to a path, or else of all arguments. */
export function subjectHash(args: unknown): string {
  const { code, path, content } = Object(args) as Record<string, unknown>;
  const isContent = typeof path === "string" && typeof content === "string";
  const whole = typeof code === "string" ? code : isContent ? content : JSON.stringify(args ?? {});
  return createHash("sha256").update(whole).digest("hex");
}
