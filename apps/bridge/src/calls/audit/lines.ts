import { createHash } from "node:crypto";
import { truncate } from "./excerpt.js";
import type { CallRecord } from "./record.js";

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
