import type { CallRow, TopicData } from "@ccbridge/protocol/dashboard";
import type { CallRecord } from "../../audit/record.js";
import type { Feed } from "../sight/feed.js";
import type { Office } from "../sight/office.js";
import type { Sight } from "../sight/sight.js";

/** Changed calls that wait for one viewer; a slow one misses the oldest of them. */
const MAX_WAITING = 1_000;

/** The calls of all clients, for those who may see them; of the viewer's own token for all others. */
export function activityFeed(
  { audit: { trail } }: Office,
  { client, viewer }: Sight,
  ready: () => void,
): Feed<TopicData<"activity">> {
  const isShown = (record: CallRecord) => viewer.mayDecide || record.client === client.name;
  let isFull = false;
  let changed = new Map<number, CallRecord>();
  const stop = trail.subscribe((record) => {
    if (!isShown(record)) return;
    changed.set(record.id, record);
    const [oldest] = changed.keys();
    if (changed.size > MAX_WAITING && oldest !== undefined) changed.delete(oldest);
    ready();
  });
  ready();
  return {
    take() {
      const calls = isFull ? [...changed.values()] : trail.recent().filter(isShown);
      const full = !isFull;
      isFull = true;
      changed = new Map();
      return full || calls.length > 0 ? { full, calls: calls.map(rowOf) } : undefined;
    },
    close: stop,
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
