import { fileHash } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { game, hashOf, leftovers } from "./files-game.js";

describe.each([["1.100.0"], ["1.116.0"]])("files on CC:Tweaked %s", (version) => {
  it("writes, reads, lists, edits, searches, copies, moves and deletes", async () => {
    const { computer, call } = await game({ version });
    const path = "/programs/dig.lua";
    const content = 'print("h\u00e9llo \u{1f600}")\nlocal x = 1\n';
    const wrote = await call("write-file", { path, content });
    expect(wrote.text).toMatch(
      /^Created \/programs\/dig\.lua on 12 \(Label: base-turtle\): 33 bytes/,
    );
    expect(wrote.data).toMatchObject({ created: true, size: 33, hash: hashOf(content) });
    expect(computer.fs.read(path)).toBe(content);

    const read = await call("read-file", { path });
    expect(read.data).toMatchObject({ content, encoding: "text", lines: 2, hash: hashOf(content) });
    expect(read.text).toContain("lines 1-2 of 2");
    expect(read.text).toContain(`| ${content.trimEnd().replace("\n", "\n| ")}`);

    const listed = await call("list-files", { path: "/programs", hashes: true });
    expect(listed.data).toMatchObject({
      total: 1,
      entries: [{ path, isDir: false, size: 33, hash: hashOf(content) }],
      freeSpace: computer.fs.freeSpace,
      capacity: 1_000_000,
    });
    const [entry] = listed.data.entries as { modified: string }[];
    expect(Math.abs(Date.parse(entry?.modified ?? "") - Date.now())).toBeLessThan(60_000);

    const edited = await call("edit-file", { path, oldText: "x = 1", newText: "y = 22" });
    expect(edited.data).toMatchObject({ replaced: 1, lines: [2], size: 34 });
    await call("edit-file", { path, oldText: "\u{1f600}", newText: "\u20ac\u{1f680}" });
    expect(computer.fs.read(path)).toBe('print("h\u00e9llo \u20ac\u{1f680}")\nlocal y = 22\n');

    const found = await call("search-files", { query: "y = ", glob: "*.lua", path: "/programs" });
    expect(found.text).toContain("/programs/dig.lua:2| local y = 22");

    await call("copy-file", { from: path, to: "/copy.lua" });
    await call("copy-file", { move: true, from: path, to: "/moved.lua" });
    expect(computer.fs.exists(path)).toBe(false);
    expect(computer.fs.read("/copy.lua")).toBe(computer.fs.read("/moved.lua"));
    const deleted = await call("delete-file", { path: "/copy.lua" });
    expect(deleted.text).toMatch(/^Deleted \/copy\.lua on 12 .*: 1 file\./);
    expect(computer.fs.exists("/copy.lua")).toBe(false);
    expect(leftovers(computer, "/programs")).toEqual([]);
  });

  it("carries every byte there and back", async () => {
    const { computer, call } = await game({ version });
    const bytes = Buffer.from(Array.from({ length: 5_003 }, (_, i) => (i * 7 + (i >> 8)) % 256));
    const content = bytes.toString("base64");
    await call("write-file", { path: "/image.bin", content, encoding: "base64" });
    expect(computer.fs.readBytes("/image.bin").equals(bytes)).toBe(true);
    const read = await call("read-file", { path: "/image.bin", encoding: "base64" });
    expect(read.data).toMatchObject({ content, encoding: "base64", hash: fileHash(bytes) });
    const { text, data } = await call("read-file", { path: "/image.bin" });
    expect(data).toMatchObject({ encoding: "base64", content });
    expect(text).toContain("not UTF-8");
  });

  it("hashes a large file, and answers others meanwhile", async () => {
    const { computer, call } = await game({ version });
    const content = "0123456789abcde\n".repeat(25_000);
    computer.fs.write("/large.txt", content);
    const [read, probe] = await Promise.all([
      call("read-file", { path: "/large.txt", startLine: 24_999 }),
      call("probe-computers"),
    ]);
    expect(read.data).toMatchObject({
      size: 400_000,
      hash: hashOf(content),
      lines: 25_000,
      startLine: 24_999,
      endLine: 25_000,
    });
    expect(probe.text).toMatch(/^pong/);
    expect(computer.stats.softAborts).toBe(0);
  });
});

describe("list-files", () => {
  it("names the agent's own files in one line, and the free space of the whole disk", async () => {
    const { call } = await game({ files: { "/own.lua": "1", "/d/x": "2" } });
    const { text } = await call("list-files");
    expect(text).toMatch(new RegExp(texts.ownLuaByteT, "m"));
    expect(text).toMatch(new RegExp(texts.theAgentSOwn, "m"));
    expect(text).not.toMatch(/^\/(\.mcp-computer|mcp-computer)/m);
    expect(text).toContain("bytes free");
    expect((await call("list-files", { path: "/d" })).text).not.toContain("bytes free");
  });

  it("goes into folders, but not into /rom unless asked", async () => {
    const files = { "/a/b/c.lua": "x", "/a/d.txt": "yy", "/e.lua": "" };
    const { call } = await game({ files });
    const all = await call("list-files", { recursive: true, glob: "[a-e]*" });
    expect(all.data.total).toBe(0);
    const deep = await call("list-files", { path: "/a", recursive: true });
    expect((deep.data.entries as { path: string }[]).map(({ path }) => path)).toEqual([
      ...["/a/b", "/a/b/c.lua", "/a/d.txt"],
    ]);
    expect(deep.data).toMatchObject({ files: 2, bytes: 3 });
    const root = await call("list-files", { recursive: true });
    expect(root.text).toContain(texts.romTheModReadOnly);
    expect(root.text).not.toContain("/rom/startup.lua");
    const rom = await call("list-files", {
      path: "/rom",
      recursive: true,
      glob: "*.lua",
      limit: 2,
    });
    expect(rom.text).toContain("read-only");
    expect(rom.data.freeSpace).toBe(0);
  });

  it.each([
    ["*.lua", ["/p/x.lua"]],
    ["?.lua", ["/p/x.lua"]],
    ["q/*.lua", ["/p/q/y.lua"]],
    ["**/*.lua", ["/p/q/r/z.lua", "/p/q/y.lua", "/p/x.lua"]],
    ["q/**", ["/p/q", "/p/q/r", "/p/q/r/z.lua", "/p/q/y.lua"]],
    ["q/**/z.*", ["/p/q/r/z.lua"]],
    ["%.lua", []],
    [".", []],
  ])("picks by glob %s", async (glob, expected) => {
    const { call } = await game({
      files: { "/p/x.lua": "", "/p/q/y.lua": "", "/p/q/r/z.lua": "", "/p/xlua": "" },
    });
    const { data } = await call("list-files", { path: "/p", glob });
    expect((data.entries as { path: string }[]).map(({ path }) => path)).toEqual(expected);
  });

  it("pages a long list without missing or repeating anything", async () => {
    const files = Object.fromEntries(
      Array.from({ length: 230 }, (_, i) => [`/many/a-rather-long-name-${1000 + i}.lua`, "x"]),
    );
    const { call } = await game({ files });
    const seen: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { text, data } = await call("list-files", { path: "/many", offset, limit: 200 });
      expect(text.length).toBeLessThan(12_000);
      expect(JSON.stringify(data).length).toBeLessThan(12_000);
      seen.push(...(data.entries as { path: string }[]).map(({ path }) => path));
      offset = data.nextOffset as number | undefined;
    }
    expect(seen).toEqual(Object.keys(files));
  });

  it("shows the facts about a single file", async () => {
    const { call } = await game({ files: { "/one.lua": "12345" } });
    const { data } = await call("list-files", { path: "one.lua" });
    expect(data).toMatchObject({ total: 1, entries: [{ path: "/one.lua", size: 5 }] });
  });

  it("says what is wrong", async () => {
    const { refusal } = await game();
    expect(await refusal("list-files", { path: "/nowhere" })).toContain("/nowhere does not exist");
    expect(await refusal("list-files", { path: "../up" })).toContain("leads out of");
    expect(await refusal("list-files", { path: "/a*b" })).toContain('must not contain \\"*\\"');
    expect(await refusal("list-files", { computerId: 99 })).toContain("99");
  });
});

describe("read-file", () => {
  it("reads several files at once, and says which could not be read", async () => {
    const { call } = await game({ files: { "/a.lua": "print(1)\n", "/b.txt": "two\nlines\n" } });
    const both = await call("read-file", { path: ["/a.lua", "/b.txt"] });
    expect(both.isError).toBeUndefined();
    expect(both.text).toMatch(
      /^\/a\.lua on 12 .*\n\| print\(1\)\n\n\/b\.txt on 12 .*\n\| two\n\| lines$/,
    );
    const one = await call("read-file", { path: ["/a.lua", "/gone.lua"] });
    expect(one.isError).toBeUndefined();
    expect(one.text).toContain("print(1)");
    expect(one.text).toContain(texts.goneLuaCouldNot);
    expect((await call("read-file", { path: ["/gone.lua", "/no.lua"] })).isError).toBe(true);
  });

  const lines = Array.from({ length: 900 }, (_, i) => `line ${i + 1} ${"-".repeat(i % 40)}\n`);
  const text = lines.join("");

  it("reads lines of a file", async () => {
    const { call } = await game({ files: { "/t.txt": text, "/no-end": "a\nb" } });
    const read = async (args: object) =>
      (await call("read-file", { path: "/t.txt", ...args })).data;
    expect(await read({ startLine: 3, endLine: 5 })).toMatchObject({
      content: lines.slice(2, 5).join(""),
      startLine: 3,
      endLine: 5,
      lines: 900,
      size: text.length,
    });
    expect((await read({ startLine: 899, endLine: 5_000 })).content).toBe(
      lines.slice(898).join(""),
    );
    expect((await read({ endLine: 1 })).content).toBe(lines[0]);
    expect((await call("read-file", { path: "/no-end", startLine: 2 })).data).toMatchObject({
      content: "b",
      lines: 2,
    });
  });

  it("pages a long file at line ends, and a long line inside", async () => {
    const wide = "\u00e9".repeat(12_000);
    const { call } = await game({ files: { "/t.txt": text, "/wide": wide } });
    for (const [path, whole] of [
      ["/t.txt", text],
      ["/wide", wide],
    ] as const) {
      let content = "";
      let offset: number | undefined;
      do {
        const page = await call("read-file", { path, offset });
        expect(JSON.stringify(page.data).length).toBeLessThan(12_000);
        expect(page.data.encoding).toBe("text");
        if (path === "/t.txt") expect(page.data.content).toMatch(/\n$/);
        content += page.data.content;
        offset = page.data.nextOffset as number | undefined;
        if (offset !== undefined) expect(page.text).toContain(`offset ${offset}`);
      } while (offset !== undefined);
      expect(content).toBe(whole);
    }
  });

  it("shows an empty file, line endings, and control characters by their symbols, in text alone", async () => {
    const { call } = await game({
      files: { "/empty": "", "/crlf": "a\r\nb\r\n", "/odd": "a\u001b[31mb\n" },
    });
    expect((await call("read-file", { path: "/empty" })).text).toContain("an empty file");
    const crlf = await call("read-file", { path: "/crlf" });
    expect(crlf.data).toMatchObject({ endings: "crlf", content: "a\r\nb\r\n" });
    const odd = await call("read-file", { path: "/odd" });
    expect(odd.data.content).toBe("a\u001b[31mb\n");
    expect(odd.text).toContain("a␛[31mb");
    expect(odd.text).toContain(texts.controlCharactersAreShown);
  });

  it("says what is wrong", async () => {
    const { refusal } = await game({ files: { "/t.txt": "a\nb\n", "/d/x": "" } });
    const wrong = (args: object) => refusal("read-file", { path: "/t.txt", ...args });
    expect(await wrong({ path: "/gone" })).toContain(texts.goneDoesNotExist);
    expect(await wrong({ path: "/d" })).toContain("/d is a folder");
    expect(await wrong({ startLine: 3 })).toContain("has only 2 lines");
    expect(await wrong({ offset: 5 })).toContain("has only 4 bytes");
    expect(await wrong({ startLine: 2, endLine: 1 })).toContain("endLine 1 is before startLine 2");
    expect(await wrong({ offset: 3, endLine: 1 })).toContain("endLine is before");
  });
});
