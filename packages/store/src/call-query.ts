import type { Engine, Value } from "./engine.js";
import type { CallFilter, CallPage, StoredCall } from "./rows.js";

/** Calls that one search looks at; a search that needs more continues with its cursor. */
const MAX_SCANNED = 50_000;

/** A page of calls, newest first. */
export function callPage(engine: Engine, filter: CallFilter): CallPage {
  const newest = Number(engine.get("SELECT max(id) AS id FROM calls")?.id ?? 0);
  const before = Math.min(filter.before ?? newest + 1, newest + 1);
  const lowest = before - MAX_SCANNED;
  const { where, values } = conditions(filter);
  const rows = engine.all(
    `SELECT c.id, c.trace, c.time, c.client, c.session, c.software, c.tool, c.acts, c.job, c.path, c.outcome,
       c.duration, c.approved, coalesce(c.args, a.data) AS args, coalesce(c.answer, b.data) AS answer
     FROM calls c LEFT JOIN blobs a ON a.id = c.args_blob LEFT JOIN blobs b ON b.id = c.answer_blob
     WHERE c.id < ? AND c.id >= ?${where.map((condition) => ` AND ${condition}`).join("")}
     ORDER BY c.id DESC LIMIT ?`,
    ...[before, lowest, ...values, filter.limit],
  );
  const calls = rows.map((row): StoredCall => {
    const targets = engine.all("SELECT key, name FROM call_targets WHERE call = ?", row.id ?? -1);
    return {
      id: Number(row.id),
      trace: String(row.trace),
      time: Number(row.time),
      client: String(row.client),
      session: String(row.session),
      software: text(row.software),
      tool: String(row.tool),
      acts: row.acts === 1,
      job: text(row.job),
      path: text(row.path),
      outcome: String(row.outcome),
      durationMs: Number(row.duration),
      approvedBy: text(row.approved),
      args: JSON.parse(String(row.args)),
      answer: String(row.answer),
      targets: targets as unknown as StoredCall["targets"],
    };
  });
  if (calls.length === filter.limit) return { calls, next: calls.at(-1)?.id };
  const oldest = Number(engine.get("SELECT min(id) AS id FROM calls")?.id ?? 0);
  return { calls, next: lowest > oldest ? lowest : undefined };
}

function conditions(filter: CallFilter): { where: string[]; values: Value[] } {
  const where: string[] = [];
  const values: Value[] = [];
  const add = (condition: string, ...more: Value[]) => {
    where.push(condition);
    values.push(...more);
  };
  if (filter.since !== undefined) add("c.time >= ?", filter.since);
  if (filter.until !== undefined) add("c.time <= ?", filter.until);
  if (filter.client !== undefined) add("c.client = ?", filter.client);
  if (filter.tool !== undefined) add("c.tool = ?", filter.tool);
  if (filter.outcome !== undefined) add("c.outcome = ?", filter.outcome);
  if (filter.acts !== undefined) add("c.acts = ?", filter.acts ? 1 : 0);
  if (filter.path !== undefined) add(`c.path LIKE ? ESCAPE '\\'`, contains(filter.path));
  if (filter.key !== undefined)
    add("c.id IN (SELECT call FROM call_targets WHERE key = ?)", filter.key);
  if (filter.text !== undefined) {
    const like = contains(filter.text);
    add(
      `(c.tool LIKE ? ESCAPE '\\' OR coalesce(c.args, a.data) LIKE ? ESCAPE '\\'
        OR coalesce(c.answer, b.data) LIKE ? ESCAPE '\\'
        OR EXISTS (SELECT 1 FROM call_targets t WHERE t.call = c.id AND t.name LIKE ? ESCAPE '\\'))`,
      ...[like, like, like, like],
    );
  }
  return { where, values };
}

function contains(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`;
}

function text(value: Value | undefined): string | null {
  return typeof value === "string" ? value : null;
}
