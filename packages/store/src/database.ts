import { createHash } from "node:crypto";
import type {
  HistoryFilter,
  HistoryPage,
  HistorySummary,
  KeptChangeFilter,
  KeptChangePage,
} from "@ccbridge/registry";
import { findChanges, writeChange } from "./changes.js";
import { type Engine, isAboutRow, type Row, type Value } from "./engine.js";
import { rowsOf, rowText } from "./journal.js";
import { purge, usedBytes } from "./purge.js";
import {
  type CallRow,
  ELSEWHERE,
  type ForgetStep,
  type Forgotten,
  type Retention,
  type Sight,
  type StoreRow,
} from "./rows.js";
import { migrate } from "./schema.js";
import { summaryOf, timelinePage } from "./timeline.js";

/** Rows of a table that go at once, so that no write waits long. */
const FORGET_STEP = 2_000;

/** Shorter payloads take less space and time where they are. */
const INLINE_LENGTH = 128;

/** The tables of a history file. Everything happens on the thread of the caller, at once. */
export class HistoryDatabase {
  readonly #engine: Engine;
  readonly #providers = new Map<string, number>();
  readonly #run: number;
  /** Whether the last process ended without closing the file. */
  readonly isUnclean: boolean;

  /** Throws when the file is damaged, locked, or of a newer release. */
  constructor(engine: Engine) {
    this.#engine = engine;
    // No second process: two would damage the file. And it needs no shared memory then.
    engine.exec("PRAGMA locking_mode = EXCLUSIVE");
    engine.exec("PRAGMA auto_vacuum = INCREMENTAL");
    engine.all("PRAGMA journal_mode = WAL");
    engine.exec("PRAGMA synchronous = NORMAL");
    engine.all("PRAGMA journal_size_limit = 4194304");
    // A burst of calls is copied from the write-ahead log when it is over, see settle().
    engine.all("PRAGMA wal_autocheckpoint = 4096");
    migrate(engine);
    const last = engine.get("SELECT ended FROM runs ORDER BY id DESC LIMIT 1");
    this.isUnclean = last !== undefined && last.ended === null;
    engine.run("INSERT INTO runs (started) VALUES (?)", Date.now());
    engine.run("DELETE FROM runs WHERE id <= (SELECT max(id) FROM runs) - 100");
    this.#run = Number(engine.get("SELECT max(id) AS id FROM runs")?.id);
    for (const { id, key } of engine.all("SELECT id, key FROM providers"))
      this.#providers.set(String(key), Number(id));
  }

  /** Saves a batch, and returns its place: {@link settle} puts the rows into their tables. */
  append(batch: string): number {
    this.#engine.run("INSERT INTO journal (batch) VALUES (?)", batch);
    return Number(this.#engine.get("SELECT last_insert_rowid() AS id")?.id);
  }

  /** The place of the newest batch that is not in its tables yet; 0 when there is none. */
  get lastBatch(): number {
    return Number(this.#engine.get("SELECT coalesce(max(id), 0) AS id FROM journal")?.id);
  }

  /** Puts the oldest batch into its tables, and returns its place; undefined when all are there. */
  settle(): number | undefined {
    const found = this.#engine.get("SELECT id, batch FROM journal ORDER BY id LIMIT 1");
    if (found === undefined) {
      this.#engine.all("PRAGMA wal_checkpoint(PASSIVE)");
      return undefined;
    }
    this.#engine.transaction(() => {
      for (const row of rowsOf(String(found.batch))) this.#writeIfValid(row);
      this.#engine.run("DELETE FROM journal WHERE id = ?", Number(found.id));
    });
    return Number(found.id);
  }

  write(rows: readonly StoreRow[]): void {
    this.append(`[${rows.map(rowText).join(",")}]`);
    while (this.settle() !== undefined);
  }

  close(): void {
    this.#engine.run("UPDATE runs SET ended = ? WHERE id = ?", Date.now(), this.#run);
    this.#engine.close();
  }

  states(): readonly { name: string; data: string }[] {
    return this.#engine.all("SELECT name, data FROM states") as { name: string; data: string }[];
  }

  /** The logs of all providers, the one with the newest event last. */
  logs(): readonly Row[] {
    const own = `provider = p.id AND seq < ${ELSEWHERE}`;
    return this.#engine.all(
      `SELECT p.data, p.watches, e.seq AS last, e.time, (SELECT min(seq) FROM events WHERE ${own}) AS first
       FROM providers p
       LEFT JOIN events e ON e.provider = p.id AND e.seq = (SELECT max(seq) FROM events WHERE ${own})
       ORDER BY e.time`,
    );
  }

  events(
    key: string,
    range: { from: number; to: number; since?: number; until?: number; limit: number },
  ): readonly Row[] {
    return this.#engine.all(
      `SELECT e.seq, e.time, e.name, coalesce(e.args, b.data) AS args, e.dropped, e.truncated
       FROM events e LEFT JOIN blobs b ON b.id = e.blob
       WHERE e.provider = ? AND e.seq >= ? AND e.seq < ? AND e.time >= ? AND e.time <= ?
       ORDER BY e.seq LIMIT ?`,
      ...[this.#providers.get(key) ?? -1, range.from, range.to],
      ...[range.since ?? 0, range.until ?? Number.MAX_SAFE_INTEGER, range.limit],
    );
  }

  /** All providers, as they last introduced themselves. */
  providers(): readonly Row[] {
    return this.#engine.all("SELECT data FROM providers WHERE data <> 'null'");
  }

  unfinishedJobs(endedAfter: number): readonly Row[] {
    return this.#engine.all(
      `${JOBS} WHERE j.ended IS NULL OR j.ended > ? ORDER BY j.ended IS NULL, j.ended, j.created LIMIT 20000`,
      endedAfter,
    );
  }

  job(id: string): Row | undefined {
    return this.#engine.get(`${JOBS} WHERE j.id = ?`, id);
  }

  changes(filter: KeptChangeFilter): KeptChangePage {
    return findChanges(this.#engine, filter);
  }

  content(hash: string): string | undefined {
    const row = this.#engine.get("SELECT data FROM contents WHERE hash = ?", hash);
    return row === undefined ? undefined : String(row.data);
  }

  timeline(filter: HistoryFilter, sight: Sight): HistoryPage {
    return timelinePage(this.#engine, filter, sight);
  }

  summary(filter: Omit<HistoryFilter, "limit">, sight: Sight): HistorySummary {
    return summaryOf(this.#engine, filter, sight);
  }

  /** Deletes a little of what is kept of one provider, or of the calls of one client. */
  forget({ key, client }: { key?: string; client?: string }): ForgetStep {
    return this.#engine.transaction(() => {
      const count = { calls: 0, changes: 0, events: 0, jobs: 0, links: 0 };
      const remove = (table: keyof Forgotten, where: string, value: Value) => {
        const row = table === "events" ? "(provider, seq)" : "id";
        const some = `SELECT ${row.replace(/[()]/g, "")} FROM ${table} WHERE ${where} LIMIT ${FORGET_STEP}`;
        this.#engine.run(`DELETE FROM ${table} WHERE ${row} IN (${some})`, value);
        count[table] += Number(this.#engine.get("SELECT changes() AS n")?.n);
      };
      if (key !== undefined) {
        const id = this.#providers.get(key) ?? -1;
        remove("events", "provider = ?", id);
        remove("jobs", "provider = ? AND ended IS NOT NULL", id);
        remove("links", "key = ?", key);
        remove("changes", "key = ?", key);
        remove("calls", "id IN (SELECT call FROM call_targets WHERE key = ?)", key);
      }
      if (client !== undefined) {
        remove("calls", "client = ?", client);
        remove("changes", "client = ?", client);
        remove("jobs", "client = ? AND ended IS NOT NULL", client);
      }
      return { ...count, more: Object.values(count).includes(FORGET_STEP) };
    });
  }

  /** Deletes a little of what is too old or too much; true when there may be more to delete. */
  purge(retention: Retention, now = Date.now()): boolean {
    return purge(this.#engine, retention, now);
  }

  /** Pages in use, in bytes. */
  get bytes(): number {
    return usedBytes(this.#engine);
  }

  /** One that cannot be written must not keep all later ones out of their tables. */
  #writeIfValid(row: StoreRow): void {
    try {
      this.#write(row);
    } catch (error) {
      if (!isAboutRow(error)) throw error;
    }
  }

  #write(row: StoreRow): void {
    const engine = this.#engine;
    switch (row.table) {
      case "events": {
        const [args, blob] = this.#payload(row.args);
        return engine.run(
          `INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (provider, seq) DO UPDATE SET time = excluded.time, name = excluded.name,
             args = excluded.args, blob = excluded.blob, dropped = excluded.dropped, truncated = excluded.truncated`,
          ...[this.#provider(row.key), row.seq, row.time, row.name, args, blob],
          ...[row.dropped, row.truncated ? 1 : 0],
        );
      }
      case "providers":
        engine.run(
          `INSERT INTO providers (key, name, data) VALUES (?, ?, ?)
           ON CONFLICT (key) DO UPDATE SET name = excluded.name, data = excluded.data`,
          ...[row.key, row.name, row.data],
        );
        return;
      case "watches":
        this.#provider(row.key);
        return engine.run("UPDATE providers SET watches = ? WHERE key = ?", row.data, row.key);
      case "jobs": {
        const [payload, blob] = this.#payload(JSON.stringify(row.payload));
        return engine.run(
          `INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (id) DO UPDATE SET provider = excluded.provider, client = excluded.client,
             created = excluded.created, ended = excluded.ended, data = excluded.data,
             payload = excluded.payload, blob = excluded.blob`,
          ...[row.id, this.#provider(row.key), row.client, row.created, row.ended],
          ...[JSON.stringify({ ...row.data, trace: row.trace ?? undefined }), payload, blob],
        );
      }
      case "calls":
        return this.#writeCall(row);
      case "links":
        return engine.run(
          "INSERT INTO links (time, key, name, what, reason) VALUES (?, ?, ?, ?, ?)",
          ...[row.time, row.key, row.name, row.what, row.reason],
        );
      case "changes":
        return writeChange(engine, row.id, row.change);
      case "contents":
        return engine.run(
          "INSERT OR IGNORE INTO contents VALUES (?, ?, ?)",
          ...[row.hash, row.size, row.data],
        );
      case "states":
        return engine.run(
          "INSERT OR REPLACE INTO states (name, data, time) VALUES (?, ?, ?)",
          ...[row.name, row.data, row.time],
        );
    }
  }

  #writeCall(row: CallRow): void {
    const engine = this.#engine;
    const [args, argsBlob] = this.#payload(JSON.stringify(row.args));
    const [answer, answerBlob] = this.#payload(row.answer);
    engine.run(
      `INSERT INTO calls (trace, time, client, session, software, tool, acts, job, path, subject, outcome,
         duration, approved, args, args_blob, answer, answer_blob)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[row.trace, row.time, row.client, row.session, row.software, row.tool, row.acts ? 1 : 0],
      ...[row.job, row.path, row.subject, row.outcome, row.durationMs, row.approvedBy],
      ...[args, argsBlob, answer, answerBlob],
    );
    const sql = "INSERT OR IGNORE INTO call_targets VALUES (last_insert_rowid(), ?, ?)";
    for (const { key, name } of row.targets) engine.run(sql, key, name);
  }

  /** The id of a provider, which may not have introduced itself yet. */
  #provider(key: string): number {
    let id = this.#providers.get(key);
    if (id === undefined) {
      const sql = "INSERT OR IGNORE INTO providers (key, name, data) VALUES (?, ?, ?)";
      this.#engine.run(sql, key, key, "null");
      id = Number(this.#engine.get("SELECT id FROM providers WHERE key = ?", key)?.id);
      this.#providers.set(key, id);
    }
    return id;
  }

  /** Where a payload is: in the row itself, or once for all rows with the same. */
  #payload(text: string): [inline: string | null, blob: number | null] {
    if (text.length <= INLINE_LENGTH) return [text, null];
    const hash = createHash("sha256").update(text).digest("base64");
    this.#engine.run("INSERT OR IGNORE INTO blobs (hash, data) VALUES (?, ?)", hash, text);
    const found = this.#engine.get("SELECT id FROM blobs WHERE hash = ?", hash);
    return [null, Number(found?.id)];
  }
}

const JOBS = `SELECT j.id, j.client, j.created, j.ended, p.data AS provider, j.data, coalesce(j.payload, b.data) AS payload
  FROM jobs j JOIN providers p ON p.id = j.provider LEFT JOIN blobs b ON b.id = j.blob`;
