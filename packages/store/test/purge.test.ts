// How long things are kept, how much of them, and what happens when the disk is full.
import { describe, expect, it, vi } from "vitest";
import { HistoryDatabase } from "../src/database.js";
import { Engine } from "../src/engine.js";
import { rowsOf } from "../src/journal.js";
import type { Sight, StoreRow } from "../src/rows.js";
import { WriteQueue } from "../src/write-queue.js";
import { call, provider } from "./helpers.js";

const DAY_MS = 86_400_000;
const NOW = 200 * DAY_MS;
const retention = { callDays: 90, eventDays: 10, jobDays: 7, changeDays: 30, maxBytes: 1e9 };
const everything: Sight = { hidden: [], hiddenEvents: [], withoutTools: [] };

function database(): { engine: Engine; history: HistoryDatabase } {
  const engine = Engine.open(":memory:");
  if (engine === undefined) throw new Error("no engine");
  const history = new HistoryDatabase(engine);
  const { key, name } = provider;
  history.write([{ table: "providers", key, name, data: JSON.stringify(provider) }]);
  return { engine, history };
}

function event(seq: number, days: number, args = "[]"): StoreRow {
  const time = NOW - days * DAY_MS;
  const { key } = provider;
  return { table: "events", key, seq, time, name: "tick", args, dropped: 0, truncated: false };
}

function job(id: string, endedDays: number | null, text = ""): StoreRow {
  const ended = endedDays === null ? null : NOW - endedDays * DAY_MS;
  const ofClient = { key: provider.key, client: "alice", trace: null };
  return { table: "jobs", id, ...ofClient, created: 1, ended, data: {}, payload: { text } };
}

function oldCall(trace: string, days: number, answer = ""): StoreRow {
  return call(trace, { time: NOW - days * DAY_MS, answer });
}

const count = (engine: Engine, table: string) =>
  Number(engine.get(`SELECT count(*) AS n FROM ${table}`)?.n);

function purgeAll(history: HistoryDatabase, limits = retention): number {
  let steps = 1;
  while (history.purge(limits, NOW)) {
    steps += 1;
    expect(steps).toBeLessThan(1_000);
  }
  return steps;
}

describe("what is too old", () => {
  it("is deleted by its kind, with the payloads that nothing else has", () => {
    const { engine, history } = database();
    const shared = JSON.stringify(["y".repeat(300)]);
    const { key, name } = provider;
    history.write([
      event(1, 11, JSON.stringify(["x".repeat(300)])),
      event(2, 11, shared),
      event(3, 9, shared),
      job("old", 8, JSON.stringify({ output: "z".repeat(300) })),
      job("young", 6),
      job("running", null),
      oldCall("old", 91, "a".repeat(300)),
      oldCall("young", 89),
      { table: "links", time: NOW - 91 * DAY_MS, key, name, what: "linked", reason: null },
      { table: "links", time: NOW - 1, key, name, what: "linked", reason: null },
      { table: "states", name: "rate client gone", data: "[]", time: NOW - 91 * DAY_MS },
      { table: "states", name: "track computer gone", data: "[]", time: NOW - 91 * DAY_MS },
      { table: "states", name: "track computer 1", data: "[]", time: NOW },
      { table: "states", name: "permissions", data: "[]", time: 0 },
    ]);
    expect(count(engine, "blobs")).toBe(4);
    purgeAll(history);
    expect(engine.all("SELECT seq FROM events").map(({ seq }) => seq)).toEqual([3]);
    expect(engine.all("SELECT id FROM jobs").map(({ id }) => id)).toEqual(["running", "young"]);
    const { entries } = history.timeline({ limit: 10, what: ["call"] }, everything);
    expect(entries).toMatchObject([{ trace: "young" }]);
    expect(count(engine, "call_targets")).toBe(1);
    expect(count(engine, "links")).toBe(1);
    expect(engine.all("SELECT name FROM states").map(({ name }) => name)).toEqual([
      "permissions",
      "track computer 1",
    ]);
    expect(engine.all("SELECT data FROM blobs")).toEqual([{ data: shared }]);
  });

  it("goes in small steps, so that writes come in between", () => {
    const { engine, history } = database();
    history.write(Array.from({ length: 4_500 }, (_, seq) => event(seq, 20)));
    history.purge(retention, NOW);
    expect(count(engine, "events")).toBe(3_500);
    expect(purgeAll(history)).toBeGreaterThan(3);
    expect(count(engine, "events")).toBe(0);
  });
});

describe("the size", () => {
  it("wins over the age: the oldest events and results go first, then calls; running jobs stay", () => {
    const { engine, history } = database();
    const long = (n: number) => JSON.stringify([`${n} ${"x".repeat(1_000)}`]);
    for (let n = 0; n < 3_000; n += 500) {
      history.write(Array.from({ length: 500 }, (_, m) => event(n + m, 3 - n / 1e4, long(n + m))));
    }
    history.write([job("running", null, long(-1)), oldCall("kept", 1, "answer")]);
    expect(history.bytes).toBeGreaterThan(3_000_000);
    purgeAll(history, { ...retention, maxBytes: 2_000_000 });
    expect(history.bytes).toBeLessThanOrEqual(2_000_000);
    expect(count(engine, "events")).toBeGreaterThan(0);
    expect(Number(engine.get("SELECT min(seq) AS n FROM events")?.n)).toBeGreaterThan(500);
    expect(Number(engine.get("SELECT max(seq) AS n FROM events")?.n)).toBe(2_999);
    expect(count(engine, "calls")).toBe(1);
    purgeAll(history, { ...retention, maxBytes: 1 });
    expect([count(engine, "events"), count(engine, "calls")]).toEqual([0, 0]);
    expect(engine.all("SELECT id FROM jobs")).toEqual([{ id: "running" }]);
  });
});

describe("a full disk", () => {
  it("keeps what was promised in memory, reports it, and writes all of it in order once there is space", async () => {
    vi.useFakeTimers();
    try {
      const { engine, history } = database();
      const troubles: (string | undefined)[] = [];
      const queue = new WriteQueue({
        write: async (batch) => history.write(rowsOf(batch)),
        onTrouble: (reason) => troubles.push(reason),
      });
      const size = Number(engine.get("PRAGMA page_count")?.page_count);
      engine.all(`PRAGMA max_page_count = ${size + 5}`);
      for (let seq = 0; seq < 400; seq++)
        queue.add(event(seq, 0, JSON.stringify(["x".repeat(900), seq])));
      const promised = queue.addUrgent(job("promised", null));
      await vi.advanceTimersByTimeAsync(1_500);
      // No caller waits for a disk that does not work.
      await promised;
      expect(troubles).toHaveLength(1);
      expect(troubles[0]).toMatch(/full/);
      expect(count(engine, "events")).toBe(0);
      expect(queue.size).toBe(401);
      queue.add(event(400, 0));
      await queue.addUrgent(job("promised", 0));

      engine.all("PRAGMA max_page_count = 1000000");
      await vi.advanceTimersByTimeAsync(6_000);
      await queue.flush();
      expect(troubles.at(-1)).toBeUndefined();
      expect(queue.size).toBe(0);
      const seqs = engine.all("SELECT seq FROM events ORDER BY seq").map(({ seq }) => seq);
      expect(seqs).toEqual(Array.from({ length: 401 }, (_, seq) => seq));
      // Only the newest state of the job was written.
      expect(engine.all("SELECT ended FROM jobs")).toEqual([{ ended: NOW }]);
      expect(queue.dropped).toBe(0);
      queue.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it("beyond the bound drops the oldest rows but no promised ones, and counts them", async () => {
    vi.useFakeTimers();
    try {
      const saved: StoreRow[] = [];
      let isFull = true;
      const queue = new WriteQueue({
        async write(batch) {
          if (isFull) throw new Error("database or disk is full");
          saved.push(...rowsOf(batch));
        },
        onTrouble: () => {},
      });
      void queue.addUrgent(job("running", null));
      for (let seq = 0; seq < 45_000; seq++) queue.add(event(seq, 0));
      await vi.advanceTimersByTimeAsync(2_000);
      expect(queue.size).toBeLessThanOrEqual(20_001);
      expect(queue.dropped).toBe(45_001 - queue.size);
      isFull = false;
      await vi.advanceTimersByTimeAsync(10_000);
      await queue.flush();
      expect(saved.some((row) => row.table === "jobs")).toBe(true);
      const seqs = saved.flatMap((row) => (row.table === "events" ? [row.seq] : []));
      expect(seqs.at(-1)).toBe(44_999);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
      queue.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it("a slow disk lets callers go on after three seconds, and loses nothing", async () => {
    vi.useFakeTimers();
    try {
      let finish = () => {};
      const saved: StoreRow[] = [];
      const troubles: (string | undefined)[] = [];
      const queue = new WriteQueue({
        write: (batch) =>
          new Promise((resolve) => {
            finish = () => {
              saved.push(...rowsOf(batch));
              resolve();
            };
          }),
        onTrouble: (reason) => troubles.push(reason),
      });
      const promised = queue.addUrgent(job("a", null));
      await vi.advanceTimersByTimeAsync(3_100);
      await promised;
      expect(troubles).toEqual(["the disk is slow"]);
      finish();
      await vi.advanceTimersByTimeAsync(10);
      expect(troubles).toEqual(["the disk is slow", undefined]);
      expect(saved).toHaveLength(1);
      queue.close();
    } finally {
      vi.useRealTimers();
    }
  });
});
