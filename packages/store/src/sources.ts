import type { HistoryEntry, HistoryFilter } from "@ccbridge/registry";
import type { Engine, Row, Value } from "./engine.js";
import type { Sight } from "./rows.js";

type Add = (condition: string, ...values: Value[]) => void;

/** A table with things that happened at a time. */
export interface Source {
  readonly what: HistoryEntry["what"];
  /** As one that is searched by time alone. */
  readonly table: string;
  readonly tables: string;
  readonly columns: string;
  readonly time: string;
  /** What distinguishes rows of the same time. */
  readonly place: readonly string[];
  /** Rows that one search looks at, with and without a text: the store has other things to do. */
  readonly scans: { readonly plain: number; readonly text: number };
  filter(filter: HistoryFilter, sight: Sight, add: Add): void;
  toEntry(row: Row, engine: Engine): object;
}

export const CALLS: Source = {
  what: "call",
  table: "calls c",
  tables:
    "calls c LEFT JOIN blobs a ON a.id = c.args_blob LEFT JOIN blobs b ON b.id = c.answer_blob",
  columns: `c.id, c.trace, c.time, c.client, c.session, c.software, c.tool, c.acts, c.job, c.subject, c.outcome,
    c.duration, c.approved, coalesce(c.args, a.data) AS args, coalesce(c.answer, b.data) AS answer`,
  time: "c.time",
  place: ["c.id"],
  scans: { plain: 50_000, text: 20_000 },
  filter({ keys, client, tool, withoutTool, path, outcome, acts, text }, sight, add) {
    if (sight.client !== undefined) add("c.client = ?", sight.client);
    if (sight.withoutTools.length > 0) add(`c.tool NOT ${ONE_OF}`, list(sight.withoutTools));
    if (sight.hidden.length > 0) {
      add(
        `NOT EXISTS (SELECT 1 FROM call_targets t WHERE t.call = c.id AND t.key ${ONE_OF})`,
        list(sight.hidden),
      );
    }
    if (client !== undefined) add("c.client = ?", client);
    if (tool !== undefined) add("c.tool = ?", tool);
    if (withoutTool !== undefined) add("c.tool <> ?", withoutTool);
    if (outcome !== undefined) add("c.outcome = ?", outcome);
    if (acts !== undefined) add("c.acts = ?", acts ? 1 : 0);
    if (path !== undefined) add(`c.path ${LIKE}`, contains(path));
    if (keys !== undefined) {
      add(
        `EXISTS (SELECT 1 FROM call_targets t WHERE t.call = c.id AND t.key ${ONE_OF})`,
        list(keys),
      );
    }
    for (const word of wordsOf(text)) {
      const like = contains(word);
      add(
        `(c.trace = ? OR c.tool ${LIKE} OR c.client ${LIKE} OR c.software ${LIKE}
          OR coalesce(c.args, a.data) ${LIKE} OR coalesce(c.answer, b.data) ${LIKE}
          OR EXISTS (SELECT 1 FROM call_targets t WHERE t.call = c.id AND t.name ${LIKE}))`,
        ...[word, like, like, like, like, like, like],
      );
    }
  },
  toEntry(row, engine) {
    const targets = engine.all("SELECT key, name FROM call_targets WHERE call = ?", row.id ?? -1);
    const { duration, approved, args, place0: _, ...rest } = row;
    return {
      ...rest,
      ...{ what: "call", acts: row.acts === 1, durationMs: duration, approvedBy: approved },
      args: JSON.parse(String(args)),
      targets,
    };
  },
};

export const EVENTS: Source = {
  what: "event",
  table: "events e",
  tables: "events e JOIN providers p ON p.id = e.provider LEFT JOIN blobs b ON b.id = e.blob",
  columns: "e.time, p.key, p.name AS provider, e.seq, e.name, coalesce(e.args, b.data) AS args",
  time: "e.time",
  place: ["e.provider", "e.seq"],
  scans: { plain: 200_000, text: 20_000 },
  filter({ keys, text }, { hiddenEvents }, add) {
    const ids = `(SELECT id FROM providers WHERE key ${ONE_OF})`;
    if (hiddenEvents.length > 0) add(`e.provider NOT IN ${ids}`, list(hiddenEvents));
    if (keys !== undefined) add(`e.provider IN ${ids}`, list(keys));
    for (const word of wordsOf(text)) {
      const like = contains(word);
      add(
        `(e.name ${LIKE} OR coalesce(e.args, b.data) ${LIKE} OR p.name ${LIKE})`,
        ...[like, like, like],
      );
    }
  },
  toEntry({ place0: _, place1: __, ...row }) {
    const args = JSON.parse(String(row.args));
    return { what: "event", ...row, args };
  },
};

export const LINKS: Source = {
  what: "link",
  table: "links l",
  tables: "links l",
  columns: "l.time, l.key, l.name AS provider, l.what AS change, l.reason",
  time: "l.time",
  place: ["l.id"],
  scans: { plain: 200_000, text: 50_000 },
  filter({ keys, text }, { hidden }, add) {
    if (hidden.length > 0) add(`l.key NOT ${ONE_OF}`, list(hidden));
    if (keys !== undefined) add(`l.key ${ONE_OF}`, list(keys));
    for (const word of wordsOf(text)) {
      const like = contains(word);
      add(`(l.name ${LIKE} OR l.what ${LIKE} OR l.reason ${LIKE})`, like, like, like);
    }
  },
  toEntry({ place0: _, place1: __, ...row }) {
    return { what: "link", ...row };
  },
};

const LIKE = "LIKE ? ESCAPE '\\'";
/** One parameter for a list of any length, so that there are few statements. */
const ONE_OF = "IN (SELECT value FROM json_each(?))";

const MAX_WORDS = 16;

function wordsOf(text = ""): readonly string[] {
  return text.split(/\s+/).filter(Boolean).slice(0, MAX_WORDS);
}

function list(values: readonly string[]): string {
  return JSON.stringify(values);
}

function contains(part: string): string {
  return `%${part.replace(/[\\%_]/g, "\\$&")}%`;
}
