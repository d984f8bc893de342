import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createLocalPort, type JobRecord } from "@ccbridge/registry";
import { describe, expect, it } from "vitest";
import { Job } from "../../registry/src/jobs/job.js";
import { Engine, type EngineName } from "../src/engine.js";
import { openStore } from "../src/index.js";
import { call, jobRecord, open, provider, retention, scratchFile } from "./helpers.js";

const engines = (["node:sqlite", "libsql"] as const).filter(
  (name) => Engine.open(":memory:", name) !== undefined,
);

it("at least one engine is there, whatever the Node", () => {
  expect(engines).not.toEqual([]);
});

describe.each(engines)("a store on %s", (engine: EngineName) => {
  const plain = (record: JobRecord | undefined) => JSON.parse(JSON.stringify(record ?? null));

  it("has everything after it was closed and opened again", async () => {
    const file = scratchFile();
    const store = await open(file, { engine });
    expect(store.status).toMatchObject({ engine, file, trouble: undefined });
    const output = { start: 0, text: "x".repeat(500), nextSeq: 3 };
    const done = jobRecord("done", {
      ...{ endedAt: 2_000, output, response: { ok: true, result: { returns: [] } } },
      status: { state: "done", linked: true, stopping: undefined },
    });
    const queued = jobRecord("queued", { params: { code: "turtle.forward()" }, stopAt: 9_000 });
    await Promise.all([store.jobs.save(done), store.jobs.save(queued)]);
    for (let seq = 0; seq < 3; seq++) {
      const event = { seq, time: 100 + seq, name: "tick", args: [seq, "y".repeat(100)] };
      store.events.append(provider, { ...event, dropped: seq, truncated: false });
    }
    store.events.saveWatches(provider, [["alice", [{ name: "tick" }]]]);
    store.saveState("rates", { alice: 3 });
    store.addCall(call("t1"));
    store.addLink(provider, { what: "linked", reason: null });
    await store.close();

    const again = await open(file, { engine });
    expect(again.state("rates")).toEqual({ alice: 3 });
    expect((await again.jobs.load(0)).map(({ id }) => id)).toEqual(["done", "queued"]);
    expect((await again.jobs.load(3_000)).map(({ id }) => id)).toEqual(["queued"]);
    expect(plain(await again.jobs.get("done"))).toEqual(plain(done));
    expect(plain(await again.jobs.get("queued"))).toEqual(plain(queued));
    expect(await again.jobs.get("other")).toBeUndefined();
    const [log] = await again.events.load();
    expect(log).toMatchObject({ provider, first: 0, end: 3, next: 3 });
    expect(log?.watches).toEqual([["alice", [{ name: "tick" }]]]);
    const range = { from: 1, to: 100, limit: 10, until: 101 };
    expect(await again.events.read(provider.key, range)).toEqual([
      {
        ...{ seq: 1, time: 101, name: "tick", args: [1, "y".repeat(100)] },
        dropped: 1,
        truncated: false,
      },
    ]);
    const { entries } = await again.timeline({ limit: 10, what: ["call", "link"] });
    expect(entries.map(({ what }) => what).sort()).toEqual(["call", "link"]);
    expect(entries.find(({ what }) => what === "call")).toMatchObject({
      ...{ trace: "t1", subject: "startup.lua", args: { path: "startup.lua" } },
      targets: [{ key: provider.key, name: provider.name }],
    });
    expect(entries.find(({ what }) => what === "link")).toMatchObject({ change: "linked" });
    expect(await again.providers()).toEqual([provider]);
  });

  it("all that a job knows of itself is the same after a restart", async () => {
    const file = scratchFile();
    const store = await open(file, { engine });
    const { key } = provider;
    const program = new Job({
      ...{ id: "clock", owner: { key, provider }, method: "run-program", summary: "clock" },
      ...{ isProgram: true, atBoot: true, adopted: true, trace: "t1", client: "alice" },
      maxOutputLength: 100,
    });
    program.run = "1700000000-5";
    program.apply({ type: "sent" });
    Object.assign(program, { startedAt: 5, stopAt: 9, note: "a note", isPartial: true });
    await store.jobs.save(program.toRecord());
    await store.close();

    const [record] = await (await open(file, { engine })).jobs.load(0);
    if (record === undefined) throw new Error("it is gone");
    const restored = Job.restore(record, { key, provider });
    expect(restored).toMatchObject({ isProgram: true, atBoot: true, run: "1700000000-5" });
    expect(plain(restored.toRecord())).toEqual(plain(program.toRecord()));
    expect(Object.keys(restored.toRecord())).toEqual(Object.keys(program.toRecord()));
  });

  it("keeps less from now on when an owner wants that, without a restart", async () => {
    const store = await open(scratchFile(), { engine });
    const DAY_MS = 86_400_000;
    store.addCall(call("old", { time: Date.now() - 40 * DAY_MS }));
    store.addCall(call("new"));
    const traces = async () => {
      const { entries } = await store.timeline({ limit: 10, what: ["call"] });
      return entries.map((entry) => "trace" in entry && entry.trace);
    };
    expect(await traces()).toEqual(["new", "old"]);
    store.retain({ ...retention, callDays: 30 });
    await expect.poll(traces).toEqual(["new"]);
  });

  it("a row that cannot be written does not keep out those after it", async () => {
    const store = await open(scratchFile(), { engine });
    store.addCall(call("before"));
    store.addElsewhere([{ row: { table: "calls", trace: "odd" } as never }]);
    store.addElsewhere([
      { row: { table: "links", time: Number.NaN, key: "k", name: "n" } as never },
    ]);
    store.addCall(call("after"));
    const { entries } = await store.timeline({ limit: 10 });
    expect(entries.map((entry) => "trace" in entry && entry.trace)).toEqual(["after", "before"]);
    expect(store.status.trouble).toBeUndefined();
  });

  it("only its owner can read the file", async () => {
    const file = scratchFile();
    const store = await open(file, { engine });
    await store.jobs.save(jobRecord("a"));
    for (const name of readdirSync(dirname(file))) {
      expect(statSync(`${dirname(file)}/${name}`).mode & 0o077, name).toBe(0);
    }
    expect(statSync(dirname(file)).mode & 0o077).toBe(0);
  });

  it("a second process cannot use the file, and gets the reason", async () => {
    const file = scratchFile();
    await open(file, { engine });
    await expect(openStore({ file, retention, engine })).rejects.toThrow(/locked|busy/);
  });

  it("a newer schema is refused and left as it is", async () => {
    const file = scratchFile();
    await (await open(file, { engine })).close();
    const newer = Engine.open(file, engine);
    newer?.exec("PRAGMA user_version = 99");
    newer?.close();
    await expect(openStore({ file, retention, engine })).rejects.toThrow("newer release");
    const kept = Engine.open(file, engine);
    expect(kept?.get("PRAGMA user_version")?.user_version).toBe(99);
    kept?.close();
  });

  it("a file that is not a database is set aside", async () => {
    const file = scratchFile();
    await (await open(file, { engine })).close();
    writeFileSync(
      file,
      "this is not a database, but it is long enough to be looked at ".repeat(50),
    );
    const damaged: string[] = [];
    const store = await open(file, { engine, onDamage: (path) => damaged.push(path) });
    await store.jobs.save(jobRecord("a"));
    expect(await store.jobs.get("a")).toMatchObject({ id: "a" });
    expect(readFileSync(damaged[0] ?? "", "utf8")).toContain("not a database");
  });

  it("a file that turns out to be damaged later is set aside, and writing continues", async () => {
    const file = scratchFile();
    const first = await open(file, { engine });
    for (let n = 0; n < 400; n++) first.addCall(call(`t${n}`, { answer: `${n}`.repeat(300) }));
    await first.close();
    const bytes = readFileSync(file);
    bytes.fill(0xa5, 4_096 * 3);
    writeFileSync(file, bytes);
    const damaged: string[] = [];
    const store = await open(file, { engine, onDamage: (path) => damaged.push(path) });
    await store.timeline({ limit: 1_000, text: "xyz" });
    await store.jobs.save(jobRecord("a"));
    expect(await store.jobs.get("a")).toMatchObject({ id: "a" });
    expect(damaged).toHaveLength(1);
    expect(store.status.trouble).toBeUndefined();
  });

  it("an earlier process that did not close it leaves a gap in the places of events", async () => {
    const file = scratchFile();
    const store = await open(file, { engine });
    const event = { seq: 7, time: 1, name: "a", args: [], dropped: 0, truncated: false };
    store.events.append(provider, event);
    await store.close();
    const crashed = Engine.open(file, engine);
    crashed?.exec("UPDATE runs SET ended = NULL");
    crashed?.close();
    const [log] = await (await open(file, { engine })).events.load();
    expect(log).toMatchObject({ first: 7, end: 8, next: 100_008 });
  });

  it("secrets are removed, and code with one is not kept to be run later", async () => {
    const file = scratchFile();
    const clean = <T>(value: T): T => {
      const text = JSON.stringify(value);
      return text?.includes("s3cret-token")
        ? JSON.parse(text.replaceAll("s3cret-token", "[***]"))
        : value;
    };
    const store = await open(file, { engine, clean });
    await store.jobs.save(
      jobRecord("a", { params: { code: "use s3cret-token" }, summary: "s3cret-token" }),
    );
    await store.jobs.save(jobRecord("b", { params: { code: "fine" } }));
    const event = {
      seq: 0,
      time: 1,
      name: "a",
      args: ["s3cret-token"],
      dropped: 0,
      truncated: false,
    };
    store.events.append(provider, event);
    expect(await store.jobs.get("a")).toMatchObject({ summary: "[***]" });
    expect((await store.jobs.get("a"))?.params).toBeUndefined();
    expect((await store.jobs.get("b"))?.params).toEqual({ code: "fine" });
    await store.close();
    expect(readFileSync(file, "latin1")).not.toContain("s3cret-token");
  });

  it("the history of one provider or of one client is deleted, and nothing else", async () => {
    const store = await open(scratchFile(), { engine });
    const other = { ...provider, key: "computer 2", name: "2" };
    const event = { seq: 0, time: 1, name: "a", args: [], dropped: 0, truncated: false };
    const ended = {
      endedAt: 5,
      status: { state: "done", linked: true, stopping: undefined },
    } as const;
    store.events.append(provider, event);
    store.events.append(other, event);
    await store.jobs.save(jobRecord("mine", ended));
    await store.jobs.save(jobRecord("theirs", { ...ended, provider: other, client: "bob" }));
    store.addCall(call("t1"));
    store.addCall(call("t2", { client: "bob", targets: [{ key: other.key, name: "2" }] }));
    expect(await store.forget({ key: other.key })).toEqual({
      calls: 1,
      changes: 0,
      events: 1,
      jobs: 1,
      links: 0,
    });
    const traces = async () => {
      const { entries } = await store.timeline({ limit: 5 });
      return entries.map((entry) => (entry.what === "call" ? entry.trace : entry.what));
    };
    expect(await traces()).toEqual(["t1", "event"]);
    expect((await store.jobs.load(0)).map(({ id }) => id)).toEqual(["mine"]);
    expect(await store.forget({ client: "alice" })).toMatchObject({ calls: 1, jobs: 1 });
    expect(await traces()).toEqual(["event"]);
  });

  it("a bridge finds its finished jobs by id, long after memory forgot them", async () => {
    const store = await open(scratchFile(), { engine });
    const { Registry } = await import("@ccbridge/registry");
    const record = jobRecord("old", {
      ...{ endedAt: 2_000, output: { start: 0, text: "hello", nextSeq: 1 } },
      response: { ok: true, result: { returns: [] } },
      status: { state: "done", linked: true, stopping: undefined },
    });
    await store.jobs.save(record);
    const registry = new Registry({}, store);
    await registry.restore();
    const { jobs } = createLocalPort(registry);
    expect(await jobs.list()).toEqual([]);
    const reading = await jobs.read("old", { cursor: 0, maxLength: 100 });
    expect(reading).toMatchObject({
      job: { state: "done", client: "alice" },
      output: { text: "hello" },
    });
    registry.close();
  });
});
