import type { Engine } from "./engine.js";

/** The file was written by a newer release. */
class NewerSchemaError extends Error {
  override readonly name = "NewerSchemaError";
}

/** Removes a payload with the last row that has it. */
const release = (column: string) => `DELETE FROM blobs WHERE id = old.${column}
    AND NOT EXISTS (SELECT 1 FROM events WHERE blob = old.${column})
    AND NOT EXISTS (SELECT 1 FROM jobs WHERE blob = old.${column})
    AND NOT EXISTS (SELECT 1 FROM calls WHERE args_blob = old.${column})
    AND NOT EXISTS (SELECT 1 FROM calls WHERE answer_blob = old.${column});`;

// Each entry leads from one version of the schema to the next. Released entries never change.
const migrations: readonly string[] = [
  `
  CREATE TABLE runs (id INTEGER PRIMARY KEY, started INTEGER NOT NULL, ended INTEGER);
  CREATE TABLE blobs (id INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, data TEXT NOT NULL);
  CREATE TABLE providers (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, name TEXT NOT NULL, data TEXT NOT NULL, watches TEXT
  );
  CREATE TABLE events (
    provider INTEGER NOT NULL, seq INTEGER NOT NULL, time INTEGER NOT NULL, name TEXT NOT NULL,
    args TEXT, blob INTEGER, dropped INTEGER NOT NULL, truncated INTEGER NOT NULL,
    PRIMARY KEY (provider, seq)
  ) WITHOUT ROWID;
  CREATE INDEX events_time ON events (time);
  CREATE INDEX events_blob ON events (blob) WHERE blob IS NOT NULL;
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY, provider INTEGER NOT NULL, client TEXT, created INTEGER NOT NULL, ended INTEGER,
    data TEXT NOT NULL, payload TEXT, blob INTEGER
  ) WITHOUT ROWID;
  CREATE INDEX jobs_ended ON jobs (ended);
  CREATE INDEX jobs_blob ON jobs (blob) WHERE blob IS NOT NULL;
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, trace TEXT NOT NULL UNIQUE, time INTEGER NOT NULL, client TEXT NOT NULL,
    session TEXT NOT NULL, software TEXT, tool TEXT NOT NULL, acts INTEGER NOT NULL, job TEXT, path TEXT,
    outcome TEXT NOT NULL, duration INTEGER NOT NULL, approved TEXT, args TEXT, args_blob INTEGER,
    answer TEXT, answer_blob INTEGER
  );
  CREATE INDEX calls_time ON calls (time);
  CREATE INDEX calls_client ON calls (client);
  CREATE INDEX calls_args ON calls (args_blob) WHERE args_blob IS NOT NULL;
  CREATE INDEX calls_answer ON calls (answer_blob) WHERE answer_blob IS NOT NULL;
  CREATE TABLE call_targets (call INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (call, key))
    WITHOUT ROWID;
  CREATE INDEX call_targets_key ON call_targets (key);
  CREATE TABLE links (id INTEGER PRIMARY KEY, time INTEGER NOT NULL, key TEXT NOT NULL, name TEXT NOT NULL,
    what TEXT NOT NULL, reason TEXT);
  CREATE INDEX links_time ON links (time);
  CREATE TABLE states (name TEXT PRIMARY KEY, data TEXT NOT NULL) WITHOUT ROWID;
  `,
  `
  ALTER TABLE calls ADD COLUMN subject TEXT;
  UPDATE calls SET subject = path;
  CREATE INDEX calls_acts ON calls (time) WHERE acts = 1;
  ALTER TABLE states ADD COLUMN time INTEGER NOT NULL DEFAULT 0;
  UPDATE states SET time = unixepoch() * 1000;
  UPDATE states SET data = json_object('movedAt', time, 'trail', json(data)) WHERE name LIKE 'track %';
  `,
  // Fewer indexes, and payloads go with the last row that has them.
  `
  ALTER TABLE calls RENAME TO calls_before;
  CREATE TABLE calls (
    id INTEGER PRIMARY KEY AUTOINCREMENT, trace TEXT NOT NULL, time INTEGER NOT NULL, client TEXT NOT NULL,
    session TEXT NOT NULL, software TEXT, tool TEXT NOT NULL, acts INTEGER NOT NULL, job TEXT, path TEXT,
    subject TEXT, outcome TEXT NOT NULL, duration INTEGER NOT NULL, approved TEXT, args TEXT, args_blob INTEGER,
    answer TEXT, answer_blob INTEGER
  );
  INSERT INTO calls SELECT id, trace, time, client, session, software, tool, acts, job, path, subject, outcome,
    duration, approved, args, args_blob, answer, answer_blob FROM calls_before;
  DROP TABLE calls_before;
  CREATE INDEX calls_time ON calls (time);
  CREATE INDEX calls_acts ON calls (time) WHERE acts = 1;
  CREATE INDEX calls_args ON calls (args_blob) WHERE args_blob IS NOT NULL;
  CREATE INDEX calls_answer ON calls (answer_blob) WHERE answer_blob IS NOT NULL;
  CREATE TRIGGER events_deleted AFTER DELETE ON events WHEN old.blob IS NOT NULL BEGIN ${release("blob")} END;
  CREATE TRIGGER events_replaced AFTER UPDATE ON events WHEN old.blob IS NOT new.blob BEGIN ${release("blob")} END;
  CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs WHEN old.blob IS NOT NULL BEGIN ${release("blob")} END;
  CREATE TRIGGER jobs_replaced AFTER UPDATE ON jobs WHEN old.blob IS NOT new.blob BEGIN ${release("blob")} END;
  CREATE TRIGGER calls_deleted AFTER DELETE ON calls BEGIN
    DELETE FROM call_targets WHERE call = old.id; ${release("args_blob")} ${release("answer_blob")}
  END;
  DELETE FROM call_targets WHERE call NOT IN (SELECT id FROM calls);
  DELETE FROM blobs WHERE id NOT IN (
    SELECT blob FROM events WHERE blob IS NOT NULL UNION SELECT blob FROM jobs WHERE blob IS NOT NULL
    UNION SELECT args_blob FROM calls WHERE args_blob IS NOT NULL
    UNION SELECT answer_blob FROM calls WHERE answer_blob IS NOT NULL
  );
  `,
  `
  CREATE TABLE contents (hash TEXT PRIMARY KEY, size INTEGER NOT NULL, data TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE changes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, time INTEGER NOT NULL, key TEXT NOT NULL,
    client TEXT NOT NULL, trace TEXT NOT NULL, job TEXT, what TEXT NOT NULL, subject TEXT NOT NULL,
    content TEXT, data TEXT NOT NULL
  );
  CREATE INDEX changes_time ON changes (time);
  CREATE INDEX changes_subject ON changes (key, what, subject);
  CREATE INDEX changes_client ON changes (client);
  CREATE INDEX changes_trace ON changes (trace);
  CREATE INDEX changes_job ON changes (job) WHERE job IS NOT NULL;
  CREATE INDEX changes_content ON changes (content) WHERE content IS NOT NULL;
  CREATE TRIGGER changes_deleted AFTER DELETE ON changes WHEN old.content IS NOT NULL BEGIN
    DELETE FROM contents WHERE hash = old.content
      AND NOT EXISTS (SELECT 1 FROM changes WHERE content = old.content);
  END;
  `,
  // Batches of rows that are saved, but not in their tables yet.
  "CREATE TABLE journal (id INTEGER PRIMARY KEY AUTOINCREMENT, batch TEXT NOT NULL);",
];

export const SCHEMA_VERSION = migrations.length;

/** Creates the tables, or brings those of an earlier release up to date; `to` is for tests of that. */
export function migrate(engine: Engine, to = SCHEMA_VERSION): void {
  const version = Number(engine.get("PRAGMA user_version")?.user_version ?? 0);
  if (version > SCHEMA_VERSION) {
    throw new NewerSchemaError(
      `it was written by a newer release (schema ${version}; this one knows up to ${SCHEMA_VERSION})`,
    );
  }
  for (const [index, sql] of migrations.slice(0, to).entries()) {
    if (index < version) continue;
    engine.transaction(() => {
      engine.exec(sql);
      engine.exec(`PRAGMA user_version = ${index + 1}`);
    });
  }
}
