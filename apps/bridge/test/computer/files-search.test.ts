import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { game, hashOf, leftovers } from "./files-game.js";

describe("search-files", () => {
  const files = {
    "/a.lua": "one\ntwo Needle\nthree\nfour\nneedle five\n",
    "/deep/er/b.txt": "x needle y\r\n",
    "/data.bin": Buffer.from("needle\0needle"),
    "/latin": Buffer.from("caf\xe9 needle", "latin1"),
  };

  it("finds plain text and Lua patterns, with lines around", async () => {
    const { call } = await game({ files });
    const plain = await call("search-files", { query: "needle", glob: "*.txt" });
    expect(plain.data.matches).toEqual([{ path: "/deep/er/b.txt", line: 1, text: "x needle y" }]);
    const any = await call("search-files", { query: "NEEDLE", ignoreCase: true, path: "/a.lua" });
    expect((any.data.matches as { line: number }[]).map(({ line }) => line)).toEqual([2, 5]);
    const around = await call("search-files", {
      query: "^needle f%w+$",
      pattern: true,
      context: 2,
    });
    expect(around.data.matches).toEqual([
      { path: "/a.lua", line: 5, text: "needle five", before: ["three", "four"], after: [] },
    ]);
    expect(around.text).toContain("/a.lua-4| four\n/a.lua:5| needle five");
    const data = await call("search-files", { query: "needle", glob: "[ld]*" });
    expect(data.data.matches).toEqual([]);
    const latin = await call("search-files", { query: "needle", glob: "lat*" });
    expect(latin.data.matches).toMatchObject([{ text: "caf? needle" }]);
    const bin = await call("search-files", { query: "needle", path: "/data.bin" });
    expect(bin.data).toMatchObject({ matches: [], skipped: 1 });
    expect(bin.text).toContain("No match");
  });

  it("bounds its results and continues from there", async () => {
    const text = Array.from({ length: 120 }, (_, i) => `hit ${i} ${"w".repeat(300)}\n`).join("");
    const { call } = await game({ files: { "/h": text } });
    const seen: number[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page = await call("search-files", { query: "hit", path: "/h", offset, limit: 100 });
      expect(page.text.length).toBeLessThan(12_000);
      seen.push(...(page.data.matches as { line: number }[]).map(({ line }) => line));
      offset = page.data.nextOffset as number | undefined;
    }
    expect(seen).toEqual(Array.from({ length: 120 }, (_, i) => i + 1));
  });

  it("says what is wrong", async () => {
    const { refusal } = await game({ files });
    expect(await refusal("search-files", { query: "a[", pattern: true })).toContain(
      "not a Lua pattern",
    );
    expect(await refusal("search-files", { query: "x%", pattern: true })).toContain(
      "not a Lua pattern",
    );
    expect(await refusal("search-files", { query: "a", path: "/gone" })).toContain(
      "does not exist",
    );
    expect(
      await refusal("search-files", { query: "a", pattern: true, ignoreCase: true }),
    ).toContain(texts.ignorecaseCannotBeCombined);
  });
});

describe.each([
  ["where hooks may yield", true],
  ["where hooks may not", false],
])("the seven-second rule %s", (_, hooksYield) => {
  const slow = { hooksYield, capacity: 4_000_000, cpuClock: { instructionsPerMs: 400 } };
  const line = `${"x".repeat(78)}\n`;
  const large = line.repeat(6_000);

  it.each([
    ["read-file", { path: "/large", startLine: 5_999 }, { lines: 6_000, hash: hashOf(large) }],
    ["list-files", { path: "/large", hashes: true }, { entries: [{ hash: hashOf(large) }] }],
    ["search-files", { path: "/large", query: "(x+)y", pattern: true }, { searched: 1 }],
    ["search-files", { path: "/large", query: "Y", ignoreCase: true }, { searched: 1 }],
    ["edit-file", { path: "/large", oldText: "xx\nx", newText: "yy\ny", replaceAll: true }, {}],
    ["write-file", { path: "/large", content: "\u{1f600}".repeat(40_000) }, { size: 160_000 }],
  ] as const)("is kept by %s", async (name, args, expected) => {
    const { call, computer } = await game({ ...slow, files: { "/large": large } }, "driven");
    const { text, data, isError } = await call(name, args);
    expect(isError, text).toBeUndefined();
    expect(data).toMatchObject(expected);
    expect(computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0 });
  });
});

describe("odd cases", () => {
  it("names that are not UTF-8 can be listed and used", async () => {
    const { call, computer } = await game();
    computer.fs.write("/caf\u00e9/x", "inside");
    const { data } = await call("list-files", { path: "/", glob: "caf*" });
    const [{ path } = { path: "" }] = data.entries as { path: string }[];
    expect(path).toBe(`base64:${Buffer.from("/caf\u00e9", "latin1").toString("base64")}`);
    expect((await call("list-files", { path, recursive: true })).data).toMatchObject({ files: 1 });
    await call("delete-file", { path, recursive: true });
    expect(computer.fs.exists("/caf\u00e9")).toBe(false);
  });

  it("a cancelled call leaves the file alone and does not block the next", async () => {
    const { bridge, computer, call } = await game({ files: { "/f": "old" } });
    const link = bridge.computers.find(12);
    const abort = new AbortController();
    const params = { path: "/f", content: "x".repeat(400_000), expectedHash: "0-0" };
    const options = { timeoutMs: 10_000, signal: abort.signal };
    const answer = link.request("write-file", params, options);
    abort.abort();
    await expect(answer).rejects.toThrow("cancelled");
    const { isError, text } = await call("write-file", { path: "/f", content: "new" });
    expect(isError, text).toBeUndefined();
    expect(computer.fs.read("/f")).toBe("new");
    expect(leftovers(computer)).toEqual([]);
  });

  it("carries almost a whole disk in one file", async () => {
    const { call, computer } = await game();
    const content = Buffer.alloc(700_000, Buffer.from([0, 200, 13, 10, 65])).toString("base64");
    const { data } = await call("write-file", { path: "/big", content, encoding: "base64" });
    expect(data).toMatchObject({ size: 700_000, freeSpace: computer.fs.freeSpace });
    expect(computer.fs.readBytes("/big").toString("base64")).toBe(content);
    expect(computer.stats.softAborts).toBe(0);
  });
});
