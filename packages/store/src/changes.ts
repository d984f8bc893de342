import type { KeptChange, KeptChangeFilter, KeptChangePage } from "@ccbridge/registry";
import type { Engine, Row, Value } from "./engine.js";

/** As many as memory keeps. */
const VERSIONS_OF_ONE = 100;

/** Replaces the change with this id, or deletes it. */
export function writeChange(engine: Engine, id: string, change: KeptChange | undefined): void {
  if (change === undefined) return engine.run("DELETE FROM changes WHERE id = ?", id);
  const { time, key, client, trace, job, what, subject, content, ...data } = change;
  engine.run(
    `INSERT INTO changes (id, time, key, client, trace, job, what, subject, content, data)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET content = excluded.content, data = excluded.data`,
    ...[id, time, key, client, trace, job, what, subject, content, JSON.stringify(data)],
  );
  engine.run(
    `DELETE FROM changes WHERE seq IN (SELECT seq FROM changes WHERE key = ? AND what = ? AND subject = ?
       ORDER BY seq DESC LIMIT -1 OFFSET ${VERSIONS_OF_ONE})`,
    ...[key, what, subject],
  );
}

/** Changes that fit, newest first. */
export function findChanges(engine: Engine, filter: KeptChangeFilter): KeptChangePage {
  const conditions: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...given: readonly (Value | undefined)[]) => {
    if (given.some((value) => value === undefined)) return;
    conditions.push(condition);
    values.push(...(given as Value[]));
  };
  const any = (column: string, wanted: readonly string[] | undefined) =>
    add(`${column} IN (SELECT value FROM json_each(?))`, wanted && JSON.stringify(wanted));
  const { client, trace, job, what, subject, subjectPart, since, until, before, limit } = filter;
  any("id", filter.ids);
  any("key", filter.keys);
  any("trace", filter.traces);
  add("client = ?", client);
  add("trace = ?", trace);
  add("job = ?", job);
  add("what = ?", what);
  add("subject = ?", subject);
  add("instr(lower(subject), ?) > 0", subjectPart?.toLowerCase());
  add("time >= ?", since);
  add("time <= ?", until);
  add("seq < ?", before === undefined ? undefined : Number(before));
  const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
  const rows = engine.all(
    `SELECT * FROM changes ${where} ORDER BY seq DESC LIMIT ?`,
    ...values,
    limit + 1,
  );
  const shown = rows.slice(0, limit);
  const next = shown.length < rows.length ? String(shown.at(-1)?.seq) : undefined;
  return { changes: shown.map(toChange), next };
}

function toChange({ seq: _, data, ...columns }: Row): KeptChange {
  return { ...columns, ...JSON.parse(String(data)) } as KeptChange;
}
