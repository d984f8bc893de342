import type { CallRow, TopicData } from "@ccbridge/protocol/dashboard";
import { BoundedMap, type Stop } from "@ccbridge/registry";
import type { Audit } from "../../calls/audit/audit.js";
import type { CallRecord } from "../../calls/audit/record.js";
import type { Source } from "./watch.js";

const MAX_WAITING = 1_000;

export function activitySource(
  { trail }: Audit,
  isShown: (record: CallRecord) => boolean,
  ready: () => void,
): Source<TopicData<"activity">> {
  const changed = new BoundedMap<number, CallRecord>(MAX_WAITING);
  let stop: Stop | undefined;
  const note = (record: CallRecord) => {
    if (!isShown(record)) return;
    changed.set(record.id, record);
    ready();
  };
  return {
    read() {
      const full = stop === undefined;
      stop ??= trail.subscribe(note);
      const calls = full ? trail.recent().filter(isShown) : [...changed.values()];
      changed.clear();
      return full || calls.length > 0 ? { full, calls: calls.map(rowOf) } : undefined;
    },
    close: () => stop?.(),
  };
}

function rowOf(record: CallRecord): CallRow {
  const { software, job, approvedBy, outcome, durationMs, answer, providers, keys } = record;
  return {
    ...record,
    request: { ...record.request },
    providers: [...providers],
    keys: [...keys],
    software: software ?? null,
    job: job ?? null,
    approvedBy: approvedBy ?? null,
    outcome: outcome ?? null,
    durationMs: durationMs ?? null,
    answer: answer ?? null,
  };
}
