import type { Engine } from "./engine.js";
import type { Retention } from "./rows.js";

/** Rows that one step deletes, so that no write waits long. */
const STEP = 1_000;
const DAY_MS = 86_400_000;

/** Deletes a little of what is too old or too much; true when there may be more to delete. */
export function purge(engine: Engine, retention: Retention, now: number): boolean {
  const { callDays, eventDays, jobDays, maxBytes } = retention;
  let more = false;
  const remove = (sql: string, ...values: number[]) => {
    engine.transaction(() => engine.run(`${sql} LIMIT ${STEP})`, ...values));
    more ||= Number(engine.get("SELECT changes() AS n")?.n) >= STEP;
  };
  const isFull = usedBytes(engine) > maxBytes;
  // The size wins over the age: then the oldest of everything goes, events first of all.
  const old = (days: number) => now - days * DAY_MS;
  remove(`${EVENTS} WHERE time < ? ORDER BY time`, old(eventDays));
  remove(`${JOBS} WHERE ended < ? ORDER BY ended`, old(jobDays));
  remove(`${CALLS} WHERE time < ? ORDER BY id`, old(callDays));
  remove(`${LINKS} WHERE time < ? ORDER BY id`, old(callDays));
  remove(`${STATES} AND time < ? ORDER BY time`, old(callDays));
  if (isFull) {
    remove(`${EVENTS} ORDER BY time`);
    remove(`${JOBS} WHERE ended IS NOT NULL ORDER BY ended`);
    if (!hasRows(engine, "events")) remove(`${CALLS} ORDER BY id`);
    more = true;
  }
  remove(`${TARGETS} WHERE call NOT IN (SELECT id FROM calls)`);
  remove(BLOBS);
  engine.all("PRAGMA incremental_vacuum(1000)");
  return more && (hasRows(engine, "events") || hasRows(engine, "calls"));
}

const EVENTS = "DELETE FROM events WHERE (provider, seq) IN (SELECT provider, seq FROM events";
const JOBS = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs";
const CALLS = "DELETE FROM calls WHERE id IN (SELECT id FROM calls";
const LINKS = "DELETE FROM links WHERE id IN (SELECT id FROM links";
/** Of clients and providers that may never come again; what the bridge has only one of stays. */
const STATES = `DELETE FROM states WHERE name IN (SELECT name FROM states
  WHERE (name LIKE 'rate %' OR name LIKE 'track %')`;
const TARGETS = "DELETE FROM call_targets WHERE (call, key) IN (SELECT call, key FROM call_targets";
/** Payloads that no row has any more. */
export const ORPHANS = `SELECT id FROM blobs
  WHERE NOT EXISTS (SELECT 1 FROM events WHERE blob = blobs.id)
  AND NOT EXISTS (SELECT 1 FROM jobs WHERE blob = blobs.id)
  AND NOT EXISTS (SELECT 1 FROM calls WHERE args_blob = blobs.id)
  AND NOT EXISTS (SELECT 1 FROM calls WHERE answer_blob = blobs.id)`;
const BLOBS = `DELETE FROM blobs WHERE id IN (${ORPHANS}`;

function hasRows(engine: Engine, table: string): boolean {
  return engine.get(`SELECT EXISTS (SELECT 1 FROM ${table}) AS found`)?.found === 1;
}

/** Pages in use, in bytes. */
export function usedBytes(engine: Engine): number {
  const number = (pragma: string) => Number(Object.values(engine.get(`PRAGMA ${pragma}`) ?? {})[0]);
  return (number("page_count") - number("freelist_count")) * number("page_size");
}
