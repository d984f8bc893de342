import type { CallRow } from "@ccbridge/protocol/dashboard";
import type { CallRecord } from "../../calls/audit/record.js";

export function callRow(record: CallRecord): CallRow {
  const { id, at, client, session, tool, acts, trace, waits } = record;
  const { software, job, approvedBy, outcome, durationMs, answer, providers, keys } = record;
  return {
    ...{ id, at, client, session, tool, acts, trace, waits },
    request: { ...record.request },
    providers: [...providers],
    keys: [...keys],
    software: software ?? null,
    job: job ?? null,
    approvedBy: approvedBy ?? null,
    outcome: outcome ?? null,
    durationMs: durationMs ?? null,
    answer: answer ?? null,
    bridge: null,
  };
}
