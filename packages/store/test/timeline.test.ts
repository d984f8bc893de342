import type { HistoryEntry, HistoryFilter } from "@ccbridge/registry";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HistoryDatabase } from "../src/database.js";
import { Engine } from "../src/engine.js";
import type { Sight, StoreRow } from "../src/rows.js";
import { call, open, provider, scratchFile } from "./helpers.js";

const everything: Sight = { hidden: [], hiddenEvents: [], withoutTools: [] };
const gate = { ...provider, key: "computer 2", name: '2 "Gate"' };

function database(rows: readonly StoreRow[]): HistoryDatabase {
  const engine = Engine.open(":memory:");
  if (engine === undefined) throw new Error("no engine");
  const opened = new HistoryDatabase(engine);
  const known = [provider, gate].map(
    ({ key, name }): StoreRow => ({ table: "providers", key, name, data: "{}" }),
  );
  opened.write([...known, ...rows]);
  return opened;
}

function callAt(time: number, trace: string, more: Partial<ReturnType<typeof call>> = {}) {
  return call(trace, { time, ...more });
}

function eventAt(time: number, seq: number, key = provider.key, args = "[]"): StoreRow {
  const name = `tick${seq}`;
  return { table: "events", key, seq, time, name, args, dropped: 0, truncated: false };
}

function linkAt(time: number, what: string, { key, name } = provider): StoreRow {
  return { table: "links", time, key, name, what, reason: "why not" };
}

const nameOf = (entry: HistoryEntry) =>
  entry.what === "call" ? entry.trace : entry.what === "event" ? entry.name : entry.change;

function allPages(history: HistoryDatabase, filter: HistoryFilter, sight = everything) {
  const entries: HistoryEntry[] = [];
  let before = filter.before;
  for (let pages = 0; pages < 1_000; pages++) {
    const page = history.timeline({ ...filter, before }, sight);
    expect(page.entries.length).toBeLessThanOrEqual(filter.limit);
    entries.push(...page.entries);
    if (page.next === undefined) return entries;
    before = page.next;
  }
  throw new Error("the pages do not end");
}

describe("the time line", () => {
  it("has calls, events and links in one order, newest first", () => {
    const history = database([
      callAt(30, "call"),
      eventAt(20, 1),
      linkAt(10, "linked"),
      linkAt(40, "unlinked"),
    ]);
    const { entries, next } = history.timeline({ limit: 10 }, everything);
    expect(entries.map(nameOf)).toEqual(["unlinked", "call", "tick1", "linked"]);
    expect(next).toBeUndefined();
    expect(entries[2]).toMatchObject({ what: "event", provider: provider.name, args: [] });
    const before = history.timeline({ limit: 1, before: entries[1]?.cursor }, everything);
    expect(before.entries.map(nameOf)).toEqual(["tick1"]);
  });

  it("pages of any size are the same line, however many rows have the same time", () => {
    const row = fc.record({
      table: fc.constantFrom("calls", "events", "links"),
      time: fc.integer({ min: 1, max: 4 }),
      isGate: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(row, { maxLength: 40 }),
        fc.integer({ min: 1, max: 7 }),
        (all, limit) => {
          const rows = all.map(({ table, time, isGate }, index): StoreRow => {
            const own = isGate ? gate : provider;
            if (table === "events") return eventAt(time, index, own.key);
            if (table === "links") return linkAt(time, `link${index}`, own);
            return callAt(time, `call${index}`);
          });
          const history = database(rows);
          const whole = history.timeline({ limit: 1_000 }, everything).entries;
          expect(whole).toHaveLength(all.length);
          expect(whole.map(({ time }) => time)).toEqual(
            all.map(({ time }) => time).sort((a, b) => b - a),
          );
          expect(allPages(history, { limit })).toEqual(whole);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("is filtered by time, provider, client, tool, file, outcome, text and what changes", () => {
    const targets = [{ key: gate.key, name: gate.name }];
    const history = database([
      callAt(1, "plain"),
      callAt(2, "other", { client: "bob", tool: "exec-lua", outcome: "error", targets }),
      callAt(3, "read", { acts: false, path: "a\nlib/100%_sure", answer: "50% of it" }),
      eventAt(4, 1, gate.key, '["opened"]'),
      linkAt(5, "linked", gate),
    ]);
    const found = (filter: Partial<HistoryFilter>) =>
      history.timeline({ limit: 10, ...filter }, everything).entries.map(nameOf);
    expect(found({ since: 2, until: 4 })).toEqual(["tick1", "read", "other"]);
    expect(found({ keys: [gate.key] })).toEqual(["linked", "tick1", "other"]);
    expect(found({ client: "bob" })).toEqual(["other"]);
    expect(found({ tool: "exec-lua" })).toEqual(["other"]);
    expect(found({ path: "LIB/100%_s" })).toEqual(["read"]);
    expect(found({ path: "lib/1__" })).toEqual([]);
    expect(found({ outcome: "error" })).toEqual(["other"]);
    expect(found({ acts: true })).toEqual(["other", "plain"]);
    expect(found({ text: "50%" })).toEqual(["read"]);
    expect(found({ text: "gate exec" })).toEqual(["other"]);
    expect(found({ text: "gate nothing" })).toEqual([]);
    expect(found({ text: "opened" })).toEqual(["tick1"]);
    expect(found({ text: "Gate" })).toEqual(["linked", "tick1", "other"]);
    expect(found({ text: "other" })).toEqual(["other"]);
    expect(found({ what: ["link"] })).toEqual(["linked"]);
  });

  it("hides what a reader may not see", () => {
    const both = [provider, gate].map(({ key, name }) => ({ key, name }));
    const history = database([
      callAt(1, "own"),
      callAt(2, "of both", { targets: both }),
      callAt(3, "of another", { client: "bob" }),
      callAt(4, "denied tool", { tool: "read-file" }),
      eventAt(5, 1),
      eventAt(6, 2, gate.key),
      linkAt(7, "seen"),
      linkAt(8, "not seen", gate),
    ]);
    const sight = {
      client: "alice",
      hidden: [gate.key],
      hiddenEvents: [gate.key],
      withoutTools: ["read-file"],
    };
    const seen = (sight: Sight) => allPages(history, { limit: 2 }, sight).map(nameOf);
    expect(seen(sight)).toEqual(["seen", "tick1", "own"]);
    expect(seen({ ...sight, hiddenEvents: [gate.key, provider.key] })).toEqual(["seen", "own"]);
    expect(history.summary({}, sight).changes).toMatchObject([{ key: provider.key, times: 1 }]);
  });

  it("a search looks at a bounded number of rows, and continues where it stopped", () => {
    const rows = Array.from({ length: 45_000 }, (_, n) =>
      callAt(n + 1, `t${n}`, { targets: [], args: {}, answer: n === 10 ? "needle" : "" }),
    );
    const history = database(rows);
    const first = history.timeline({ limit: 5, text: "needle" }, everything);
    expect(first.entries).toEqual([]);
    expect(first.next).toBeDefined();
    const found = allPages(history, { limit: 5, text: "needle" });
    expect(found.map(nameOf)).toEqual(["t10"]);
  });

  it("a cursor that is not one is ignored", () => {
    const history = database([callAt(1, "a")]);
    for (const before of ["x", "1", "1-2", "1-x-3"]) {
      expect(history.timeline({ limit: 1, before }, everything).entries).toHaveLength(1);
    }
  });
});

describe("the summary", () => {
  it("counts changes by provider, tool, subject and outcome, latest first", () => {
    const history = database([
      callAt(1, "a"),
      callAt(2, "b", { client: "bob" }),
      callAt(3, "c", { subject: "lib.lua" }),
      callAt(4, "d", { outcome: "error" }),
      callAt(5, "e", { acts: false, tool: "read-file" }),
      callAt(6, "f", { targets: [], tool: "exec-lua", subject: null }),
    ]);
    const { changes, since } = history.summary({}, everything);
    expect(since).toBeUndefined();
    const { key, name } = provider;
    const written = { key, provider: name, tool: "write-file" };
    expect(changes).toEqual([
      {
        ...{ key: null, provider: null, tool: "exec-lua", subject: null, outcome: "ok" },
        ...{ times: 1, last: 6, clients: ["alice"] },
      },
      {
        ...written,
        subject: "startup.lua",
        outcome: "error",
        times: 1,
        last: 4,
        clients: ["alice"],
      },
      { ...written, subject: "lib.lua", outcome: "ok", times: 1, last: 3, clients: ["alice"] },
      {
        ...{ ...written, subject: "startup.lua", outcome: "ok", times: 2, last: 2 },
        clients: ["alice", "bob"],
      },
    ]);
    expect(history.summary({ since: 3, until: 3 }, everything).changes).toHaveLength(1);
  });
});

it("what was written before the question is in the answer", async () => {
  const store = await open(scratchFile());
  store.addCall(call("now"));
  store.addLink(gate, { what: "linked", reason: null });
  const { entries } = await store.timeline({ limit: 10 });
  expect(entries.map(nameOf).sort()).toEqual(["linked", "now"]);
  expect((await store.summary({})).changes).toMatchObject([{ subject: "startup.lua", times: 1 }]);
});
