// Every release reads the files of every earlier one.
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { Engine } from "../src/engine.js";
import { migrate, SCHEMA_VERSION } from "../src/schema.js";
import { open, provider, scratchFile } from "./helpers.js";

/** A file as a release with this schema left it. */
function oldFile(version: number, statements: readonly string[]): string {
  const file = scratchFile();
  mkdirSync(dirname(file), { recursive: true });
  const engine = Engine.open(file);
  if (engine === undefined) throw new Error("no engine");
  migrate(engine, version);
  expect(engine.get("PRAGMA user_version")?.user_version).toBe(version);
  for (const statement of statements) engine.exec(statement);
  engine.close();
  return file;
}

function versionOf(file: string): unknown {
  const engine = Engine.open(file);
  const version = engine?.get("PRAGMA user_version")?.user_version;
  engine?.close();
  return version;
}

describe("a file of an earlier release", () => {
  const data = JSON.stringify(provider).replaceAll("'", "''");
  const first = [
    `INSERT INTO providers (key, name, data) VALUES ('computer 1', 'x', '${data}')`,
    `INSERT INTO calls (trace, time, client, session, tool, acts, path, outcome, duration, args, answer)
      VALUES ('t1', 5, 'alice', 's', 'write-file', 1, 'a.lua', 'ok', 3, '{"path":"a.lua"}', 'Done.')`,
    "INSERT INTO call_targets VALUES (1, 'computer 1', '1')",
    "INSERT INTO events VALUES (1, 0, 6, 'tick', '[1]', NULL, 0, 0)",
    `INSERT INTO states VALUES ('track computer 1', '[{"x":1,"y":2,"z":3}]')`,
    `INSERT INTO states VALUES ('rate alice', '[7]')`,
    "INSERT INTO runs (started, ended) VALUES (1, 2)",
  ];

  it("of the first schema: everything is there, as this release reads it", async () => {
    const file = oldFile(1, first);
    const store = await open(file);
    const { entries } = await store.timeline({ limit: 10 });
    expect(entries).toMatchObject([
      { what: "event", name: "tick" },
      { what: "call", trace: "t1", subject: "a.lua", targets: [{ key: "computer 1" }] },
    ]);
    expect((await store.summary({})).changes).toMatchObject([{ subject: "a.lua", times: 1 }]);
    expect(store.state("rate alice")).toEqual([7]);
    expect(store.state("track computer 1")).toEqual({
      movedAt: expect.any(Number),
      trail: [{ x: 1, y: 2, z: 3 }],
    });
    await store.close();
    expect(versionOf(file)).toBe(SCHEMA_VERSION);
  });

  it.each(Array.from({ length: SCHEMA_VERSION }, (_, index) => index))(
    "of schema %i has the same tables afterwards as a new one",
    async (version) => {
      const schemaOf = async (file: string) => {
        await (await open(file)).close();
        const engine = Engine.open(file);
        const rows = engine?.all("SELECT type, name, tbl_name FROM sqlite_schema ORDER BY name");
        const columns = engine?.all(
          `SELECT m.name AS tab, c.name, c.type FROM sqlite_schema m JOIN pragma_table_info(m.name) c
           WHERE m.type = 'table' ORDER BY m.name, c.cid`,
        );
        engine?.close();
        return [rows, columns];
      };
      expect(await schemaOf(oldFile(version, []))).toEqual(await schemaOf(scratchFile()));
    },
  );

  it("that cannot be converted is left as it was", async () => {
    // A column that the next step adds is already there.
    const file = oldFile(1, [...first, "ALTER TABLE states ADD COLUMN time INTEGER"]);
    await expect(open(file)).rejects.toThrow("duplicate column");
    expect(versionOf(file)).toBe(1);
    const engine = Engine.open(file);
    const columns = engine
      ?.all("SELECT name FROM pragma_table_info('calls')")
      .map((row) => row.name);
    engine?.close();
    expect(columns).not.toContain("subject");
  });
});
