import {
  type ChangeStore,
  type KeptChange,
  MemoryChangeStore,
  VERSIONS_OF_ONE,
} from "@ccbridge/registry";
import { describe, expect, it } from "vitest";
import { HistoryDatabase } from "../src/database.js";
import { Engine } from "../src/engine.js";
import { open, retention, scratchFile } from "./helpers.js";

const bytes = (text: string) => new TextEncoder().encode(text);
const text = (content: Uint8Array | undefined) =>
  content === undefined ? undefined : new TextDecoder().decode(content);

function change(id: string, more: Partial<KeptChange> = {}): KeptChange {
  return {
    ...{ id, time: 1_000, key: "computer 1", provider: "computer 1", client: "alice" },
    ...{ trace: `trace-${id}`, job: null, tool: "write-file", what: "file", subject: "/a" },
    ...{ before: { absent: true }, after: null, content: null, cannot: null, isDone: false },
    ...{ undoes: [], undoneBy: null, ...more },
  };
}

const stores: readonly [string, () => Promise<ChangeStore>][] = [
  ["in memory", async () => new MemoryChangeStore()],
  ["in the file", async () => (await open(scratchFile())).changes],
];

describe.each(stores)("changes %s", (_, create) => {
  const idsOf = async (store: ChangeStore, filter: object) =>
    (await store.find({ limit: 100, ...filter })).changes.map(({ id }) => id);

  it("are found by what they are about, newest first, and page by page", async () => {
    const store = await create();
    await store.save(change("1", { subject: "/Startup.lua", time: 1_000 }));
    await store.save(change("2", { client: "bob", key: "computer 2", time: 2_000 }));
    await store.save(change("3", { job: "job-3", what: "redstone", subject: "back", time: 3_000 }));
    expect(await idsOf(store, {})).toEqual(["3", "2", "1"]);
    expect(await idsOf(store, { ids: ["1", "3", "nothing"] })).toEqual(["3", "1"]);
    expect(await idsOf(store, { keys: ["computer 2"] })).toEqual(["2"]);
    expect(await idsOf(store, { keys: [] })).toEqual([]);
    expect(await idsOf(store, { client: "alice" })).toEqual(["3", "1"]);
    expect(await idsOf(store, { trace: "trace-2" })).toEqual(["2"]);
    expect(await idsOf(store, { traces: ["trace-3", "trace-1", "x"] })).toEqual(["3", "1"]);
    expect(await idsOf(store, { traces: [] })).toEqual([]);
    expect(await idsOf(store, { job: "job-3", what: "redstone" })).toEqual(["3"]);
    expect(await idsOf(store, { subject: "/startup.lua" })).toEqual([]);
    expect(await idsOf(store, { subjectPart: "startup" })).toEqual(["1"]);
    expect(await idsOf(store, { since: 1_500, until: 2_500 })).toEqual(["2"]);
    const first = await store.find({ limit: 2 });
    expect(first.changes.map(({ id }) => id)).toEqual(["3", "2"]);
    const rest = await store.find({ limit: 2, before: first.next });
    expect(rest.changes.map(({ id }) => id)).toEqual(["1"]);
    expect(rest.next).toBeUndefined();
  });

  it("keep their place when they end, and go when they were not made", async () => {
    const store = await create();
    const begun = change("1", { content: "hash-1", before: { size: 3, hash: "x" } });
    await store.save(begun, bytes("old"));
    await store.save(change("2"));
    const ended = { ...begun, isDone: true, after: { size: 4, hash: "y" }, undoneBy: "9" };
    await store.save(ended);
    await store.drop("2");
    expect((await store.find({ limit: 10 })).changes).toEqual([ended]);
    expect(text(await store.content("hash-1"))).toBe("old");
    expect(await store.content("hash-2")).toBeUndefined();
  });

  it(`at most ${VERSIONS_OF_ONE} of one thing`, async () => {
    const store = await create();
    await store.save(change("other", { subject: "/b" }));
    for (let n = 0; n < VERSIONS_OF_ONE + 20; n++) await store.save(change(`${n}`));
    const ids = await idsOf(store, { subject: "/a", limit: 500 });
    expect(ids).toHaveLength(VERSIONS_OF_ONE);
    expect(ids.at(-1)).toBe("20");
    expect(await idsOf(store, { subject: "/b" })).toEqual(["other"]);
  });
});

it("memory keeps the newest contents, up to a size", async () => {
  const store = new MemoryChangeStore(1_000);
  for (let n = 0; n < 5; n++) {
    await store.save(change(`${n}`, { content: `hash-${n}` }), new Uint8Array(300));
  }
  const kept = await Promise.all([0, 1, 2, 3, 4].map((n) => store.content(`hash-${n}`)));
  expect(kept.map((content) => content?.length)).toEqual([undefined, undefined, 300, 300, 300]);
});

it("a file has changes and equal contents once, over a restart", async () => {
  const file = scratchFile();
  const store = await open(file);
  const content = new Uint8Array(5_000).map((_, index) => index % 256);
  await store.changes.save(change("1", { content: "same" }), content);
  await store.changes.save(change("2", { content: "same" }), content);
  await store.close();
  const again = await open(file);
  expect(await again.changes.content("same")).toEqual(Buffer.from(content));
  expect((await again.changes.find({ limit: 9 })).changes).toHaveLength(2);
  expect(await again.forget({ client: "alice" })).toMatchObject({ changes: 2 });
  expect(await again.changes.content("same")).toBeUndefined();
});

it("old ones and the oldest contents beyond a quarter of the space go", () => {
  const engine = Engine.open(":memory:");
  if (engine === undefined) throw new Error("no engine");
  const database = new HistoryDatabase(engine);
  const now = 100 * 86_400_000;
  const add = (id: string, time: number, size: number) =>
    database.write([
      { table: "contents", hash: `hash-${id}`, size, data: "" },
      { table: "changes", id, change: change(id, { time, subject: id, content: `hash-${id}` }) },
    ]);
  add("old", now - 31 * 86_400_000, 10);
  for (const id of ["1", "2", "3", "4"]) add(id, now, 100_000);
  while (database.purge({ ...retention, maxBytes: 1_000_000 }, now));
  const ids = database.changes({ limit: 10 }).changes.map(({ id }) => id);
  expect(ids).toEqual(["4", "3"]);
  expect(database.content("hash-old")).toBeUndefined();
  expect(database.content("hash-1")).toBeUndefined();
  expect(database.content("hash-3")).toBe("");
  database.close();
});
