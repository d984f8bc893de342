import type { Engine } from "./engine.js";
import type { Retention } from "./rows.js";

/** Rows that one step deletes, so that no write waits long. */
const STEP = 1_000;
const DAY_MS = 86_400_000;
/** Of all that is kept, for contents of files before they were changed; as they are without compression. */
const CONTENT_SHARE = 0.25;

/** Deletes a little of what is too old or too much; true when there may be more to delete. */
export function purge(engine: Engine, retention: Retention, now: number): boolean {
  const { callDays, eventDays, jobDays, changeDays, maxBytes } = retention;
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
  remove(`${CHANGES} WHERE time < ? ORDER BY seq`, old(changeDays));
  const tooMuch = contentBytes(engine) - maxBytes * CONTENT_SHARE;
  if (tooMuch > 0) {
    remove(
      `${CHANGES} WHERE content IS NOT NULL AND seq <= ? ORDER BY seq`,
      lastOf(engine, tooMuch),
    );
    more = true;
  }
  if (isFull) {
    remove(`${EVENTS} ORDER BY time`);
    remove(`${JOBS} WHERE ended IS NOT NULL ORDER BY ended`);
    if (!hasRows(engine, "events")) {
      remove(`${CALLS} ORDER BY id`);
      remove(`${CHANGES} ORDER BY seq`);
    }
    more = true;
  }
  engine.all("PRAGMA incremental_vacuum(1000)");
  return more && ["events", "calls", "changes"].some((table) => hasRows(engine, table));
}

const EVENTS = "DELETE FROM events WHERE (provider, seq) IN (SELECT provider, seq FROM events";
const JOBS = "DELETE FROM jobs WHERE id IN (SELECT id FROM jobs";
const CALLS = "DELETE FROM calls WHERE id IN (SELECT id FROM calls";
const LINKS = "DELETE FROM links WHERE id IN (SELECT id FROM links";
/** Of clients and providers that may never come again; what the bridge has only one of stays. */
const STATES = `DELETE FROM states WHERE name IN (SELECT name FROM states
  WHERE (name LIKE 'rate %' OR name LIKE 'track %')`;
const CHANGES = "DELETE FROM changes WHERE seq IN (SELECT seq FROM changes";

function contentBytes(engine: Engine): number {
  return Number(engine.get("SELECT total(size) AS bytes FROM contents")?.bytes);
}

/** The last of the oldest changes that together keep this much. */
function lastOf(engine: Engine, bytes: number): number {
  let left = bytes;
  const oldest = engine.all(
    `SELECT seq, size FROM changes JOIN contents ON hash = content ORDER BY seq LIMIT ${STEP}`,
  );
  for (const { seq, size } of oldest) {
    left -= Number(size);
    if (left <= 0) return Number(seq);
  }
  return Number(oldest.at(-1)?.seq ?? 0);
}

function hasRows(engine: Engine, table: string): boolean {
  return engine.get(`SELECT EXISTS (SELECT 1 FROM ${table}) AS found`)?.found === 1;
}

/** Pages in use, in bytes. */
export function usedBytes(engine: Engine): number {
  const number = (pragma: string) => Number(Object.values(engine.get(`PRAGMA ${pragma}`) ?? {})[0]);
  return (number("page_count") - number("freelist_count")) * number("page_size");
}
