import type { HistoryEntry, HistoryFilter, HistoryPage, HistorySummary } from "@ccbridge/registry";
import type { Engine, Row, Value } from "./engine.js";
import type { Sight } from "./rows.js";
import { CALLS, EVENTS, LINKS, type Source } from "./sources.js";

/** A time, the source, and what distinguishes its rows of that time. */
type Position = readonly [time: number, source: number, ...place: number[]];

const sources: readonly Source[] = [CALLS, EVENTS, LINKS];
const END: Position = [Number.MAX_SAFE_INTEGER, sources.length];

/** A page of what happened, newest first. */
export function timelinePage(engine: Engine, filter: HistoryFilter, sight: Sight): HistoryPage {
  const from = readCursor(filter.before) ?? END;
  const wanted = sources.filter(
    ({ what }) =>
      filter.what?.includes(what) !== false && (what === "call" || !isAboutCalls(filter)),
  );
  const found = wanted.map((source) => readSource(engine, source, { filter, sight, from }));
  const bounds = found.flatMap(({ reached }) => (reached === undefined ? [] : [reached]));
  // Below this, a source that was not read to its end may have rows in between.
  const bound = bounds.sort(compare).at(-1);
  const rows = found
    .flatMap((each) => each.rows)
    .sort((a, b) => compare(b.position, a.position))
    .filter(({ position }) => bound === undefined || compare(position, bound) >= 0);
  const shown = rows.slice(0, filter.limit);
  const last = shown.length < rows.length ? shown.at(-1)?.position : bound;
  const entries = shown.map(({ position, entry }) => ({ ...entry, cursor: cursorOf(position) }));
  return {
    entries: entries as unknown as readonly HistoryEntry[],
    next: last === undefined ? undefined : cursorOf(last),
  };
}

/** How often what was changed, latest first. */
export function summaryOf(
  engine: Engine,
  filter: Omit<HistoryFilter, "limit">,
  sight: Sight,
): HistorySummary {
  const wanted = { filter: { ...filter, acts: true, limit: 0 }, sight, from: END };
  const { where, values, floor } = conditionsOf(engine, CALLS, wanted);
  const rows = engine.all(
    `SELECT t.key, t.name AS provider, c.tool, c.subject, c.outcome, count(*) AS times, max(c.time) AS last,
       json_group_array(DISTINCT c.client) AS clients
     FROM calls c LEFT JOIN call_targets t ON t.call = c.id
     LEFT JOIN blobs a ON a.id = c.args_blob LEFT JOIN blobs b ON b.id = c.answer_blob
     WHERE ${where} GROUP BY t.key, c.tool, c.subject, c.outcome ORDER BY last DESC LIMIT ${MAX_GROUPS}`,
    ...values,
  );
  const changes = rows.map((row) => ({ ...row, clients: JSON.parse(String(row.clients)) }));
  return {
    changes: changes as unknown as HistorySummary["changes"],
    since: floor?.[0],
  };
}

const MAX_GROUPS = 5_000;

interface Wanted {
  readonly filter: HistoryFilter;
  readonly sight: Sight;
  readonly from: Position;
}

interface Found {
  readonly rows: readonly { readonly position: Position; readonly entry: object }[];
  /** How far back the source was read, unless it was to its end. */
  readonly reached: Position | undefined;
}

function readSource(engine: Engine, source: Source, wanted: Wanted): Found {
  const { where, values, floor } = conditionsOf(engine, source, wanted);
  const { columns, tables } = source;
  const sql = `SELECT ${columns}, ${placeOf(source)} FROM ${tables} WHERE ${where} ORDER BY ${orderOf(source)} LIMIT ?`;
  const found = engine.all(sql, ...values, wanted.filter.limit);
  const rows = found.map((row) => ({
    position: positionOf(row, source),
    entry: source.toEntry(row, engine),
  }));
  return { rows, reached: rows.length < wanted.filter.limit ? floor : rows.at(-1)?.position };
}

function conditionsOf(engine: Engine, source: Source, { filter, sight, from }: Wanted) {
  const { time, place, scans, table } = source;
  const index = sources.indexOf(source);
  const until = Math.min(filter.until ?? Number.MAX_SAFE_INTEGER, from[0]);
  // At the very time of the cursor: all of a source before its own, none of one behind it.
  const edge = index < from[1] ? Number.MAX_SAFE_INTEGER : -1;
  const after = place.map((_, at) => (index === from[1] ? (from[2 + at] ?? 0) : edge));
  const columns = `(${place.join(", ")})`;
  const marks = `(${place.map(() => "?").join(", ")})`;
  const conditions = [`${time} >= ? AND ${time} <= ? AND (${time} < ? OR ${columns} < ${marks})`];
  const values: Value[] = [filter.since ?? 0, until, from[0], ...after];
  const most = filter.text === undefined ? scans.plain : scans.text;
  const lowest = engine.get(
    `SELECT ${time} AS time, ${placeOf(source)} FROM ${table} WHERE ${conditions[0]}
     ORDER BY ${orderOf(source)} LIMIT 1 OFFSET ${most - 1}`,
    ...values,
  );
  const floor = lowest && positionOf(lowest, source);
  if (floor !== undefined) {
    conditions.push(`(${time} > ? OR ${columns} >= ${marks})`);
    values.push(floor[0], ...floor.slice(2));
  }
  source.filter(filter, sight, (condition, ...more) => {
    conditions.push(condition);
    values.push(...more);
  });
  return { where: conditions.join(" AND "), values, floor };
}

function placeOf({ place }: Source): string {
  return place.map((column, index) => `${column} AS place${index}`).join(", ");
}

function orderOf({ time, place }: Source): string {
  return [time, ...place].map((column) => `${column} DESC`).join(", ");
}

function positionOf(row: Row, source: Source): Position {
  const place = source.place.map((_, index) => Number(row[`place${index}`]));
  return [Number(row.time), sources.indexOf(source), ...place];
}

/** Whether only calls can fit. */
function isAboutCalls({ client, tool, path, outcome, acts }: HistoryFilter): boolean {
  return [client, tool, path, outcome, acts].some((each) => each !== undefined);
}

function compare(a: Position, b: Position): number {
  const differs = a.findIndex((value, index) => value !== (b[index] ?? 0));
  return differs === -1 ? 0 : (a[differs] ?? 0) - (b[differs] ?? 0);
}

function cursorOf(position: Position): string {
  return position.join("-");
}

function readCursor(cursor: string | undefined): Position | undefined {
  const numbers = cursor?.split("-").map(Number);
  const isValid =
    numbers !== undefined && numbers.length > 2 && numbers.every(Number.isSafeInteger);
  return isValid ? (numbers as unknown as Position) : undefined;
}
