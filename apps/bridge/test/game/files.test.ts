import { fileHash } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { forComputer, linkGameComputer, startWorld } from "./helpers.js";

type Options = Parameters<typeof linkGameComputer>[2];

async function game(options: Options = {}, time: "real" | "driven" = "real") {
  const bridge = await startTestBridge();
  const world = await startWorld({ time });
  const computer = await linkGameComputer(bridge, world, options);
  const client = await connectClient(bridge.mcpUrl);
  const call = async (name: string, args: object = {}) => {
    const result = await callTool(client, name, forComputer(name, args));
    return { ...result, data: (result.structuredContent ?? {}) as Record<string, unknown> };
  };
  /** The text of a call that must fail. */
  const refusal = async (name: string, args: object) => {
    const { isError, text } = await call(name, args);
    expect(isError, text).toBe(true);
    return text;
  };
  return { bridge, computer, client, call, refusal };
}

const hashOf = (content: string | Uint8Array) => fileHash(Buffer.from(content));

/** What a write leaves behind when it is not tidied up. */
const leftovers = (computer: { fs: { list(path: string): string[] } }, folder = "/") =>
  computer.fs.list(folder).filter((name) => name.endsWith(".mcp-new"));

// The oldest and a newer Lua: text modes, hooks and numbers differ between them.
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
    expect(read.text).toContain(content.trimEnd());

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
    expect(found.text).toContain("/programs/dig.lua:2: local y = 22");

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
    // Asked for as text, it still comes whole and says what it is.
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
    expect(text).toMatch(/^\/own\.lua {2}1 byte, \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/m);
    expect(text).toMatch(/^The agent's own files: .*\/\.mcp-computer\.id/m);
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
    expect(root.text).toContain("/rom (the mod's read-only files) was left out.");
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

  it("tells a file's own facts", async () => {
    const { call } = await game({ files: { "/one.lua": "12345" } });
    const { data } = await call("list-files", { path: "one.lua" });
    expect(data).toMatchObject({ total: 1, entries: [{ path: "/one.lua", size: 5 }] });
  });

  it("says what is wrong", async () => {
    const { refusal } = await game();
    expect(await refusal("list-files", { path: "/nowhere" })).toContain("/nowhere does not exist");
    expect(await refusal("list-files", { path: "../up" })).toContain("leads out of");
    expect(await refusal("list-files", { path: "/a*b" })).toContain('must not contain "*"');
    expect(await refusal("list-files", { computerId: 99 })).toContain("99");
  });
});

describe("read-file", () => {
  it("reads several files at once, and says which could not be read", async () => {
    const { call } = await game({ files: { "/a.lua": "print(1)\n", "/b.txt": "two\nlines\n" } });
    const both = await call("read-file", { path: ["/a.lua", "/b.txt"] });
    expect(both.isError).toBeUndefined();
    expect(both.text).toMatch(/^\/a\.lua on 12 .*\nprint\(1\)\n\n\/b\.txt on 12 .*\ntwo\nlines$/);
    const one = await call("read-file", { path: ["/a.lua", "/gone.lua"] });
    expect(one.isError).toBe(true);
    expect(one.text).toContain("print(1)");
    expect(one.text).toContain("/gone.lua could not be read: ");
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

  it("shows an empty file, line endings, and control characters by their symbols", async () => {
    const { call } = await game({
      files: { "/empty": "", "/crlf": "a\r\nb\r\n", "/odd": "a\u001b[31mb\n" },
    });
    expect((await call("read-file", { path: "/empty" })).text).toContain("an empty file");
    const crlf = await call("read-file", { path: "/crlf" });
    expect(crlf.data).toMatchObject({ endings: "crlf", content: "a\nb\n" });
    const odd = await call("read-file", { path: "/odd" });
    expect(odd.data.content).toBe("a␛[31mb\n");
    expect(odd.text).toContain("1 control character shown as a symbol");
  });

  it("says what is wrong", async () => {
    const { refusal } = await game({ files: { "/t.txt": "a\nb\n", "/d/x": "" } });
    const wrong = (args: object) => refusal("read-file", { path: "/t.txt", ...args });
    expect(await wrong({ path: "/gone" })).toContain("/gone does not exist; list-files");
    expect(await wrong({ path: "/d" })).toContain("/d is a folder");
    expect(await wrong({ startLine: 3 })).toContain("has only 2 lines");
    expect(await wrong({ offset: 5 })).toContain("has only 4 bytes");
    expect(await wrong({ startLine: 2, endLine: 1 })).toContain("endLine 1 is before startLine 2");
    expect(await wrong({ offset: 3, endLine: 1 })).toContain("endLine is before");
  });
});

describe("write-file", () => {
  it("replaces, appends, and guards by hash", async () => {
    const { computer, call, refusal } = await game({ files: { "/f": "one" } });
    const path = "/f";
    expect(
      (await call("write-file", { path, content: "two", expectedHash: hashOf("one") })).text,
    ).toMatch(/^Replaced \/f/);
    expect(
      await refusal("write-file", { path, content: "three", expectedHash: hashOf("one") }),
    ).toMatch(/has changed since you read it \(its hash is \w+-3, not \w+-3\)/);
    expect(computer.fs.read(path)).toBe("two");
    const more = await call("write-file", { path, content: "!", append: true });
    expect(more.text).toMatch(/^Appended to \/f/);
    expect(more.data).toMatchObject({ hash: hashOf("two!"), size: 4 });
    expect(await refusal("write-file", { path, content: "", expectedHash: "absent" })).toContain(
      "/f already exists",
    );
    await call("write-file", { path: "/new", content: "x", expectedHash: "absent" });
    await call("delete-file", { path });
    expect(
      await refusal("write-file", { path, content: "", expectedHash: hashOf("two!") }),
    ).toContain("no longer exists");
    expect(computer.fs.read("/new")).toBe("x");
  });

  it("loses nothing on a full disk", async () => {
    const { computer, call, refusal } = await game();
    const room = computer.fs.freeSpace;
    const old = "o".repeat(300_000);
    const rest = room - 300_000;
    computer.fs.write("/old", old);
    expect(computer.fs.freeSpace).toBe(rest);
    for (const args of [
      { path: "/old", content: "n".repeat(rest + 1) },
      { path: "/fresh/new", content: "n".repeat(rest - 499) },
      { path: "/old", content: "n".repeat(rest + 1), append: true },
    ]) {
      const text = await refusal("write-file", args);
      expect(text).toMatch(/the disk is too full: .* needs \d+ bytes .* \d+ are free/);
      expect(text).toContain("at least 500");
      expect(computer.fs.read("/old")).toBe(old);
      expect(computer.fs.freeSpace).toBe(rest);
      expect(computer.fs.exists("/fresh")).toBe(false);
    }
    const fits = await call("write-file", { path: "/fresh/new", content: "n".repeat(rest - 500) });
    expect(fits.data).toMatchObject({ freeSpace: 0 });
    expect(await refusal("write-file", { path: "/small", content: "" })).toContain(
      "needs 500 bytes",
    );
    expect(await refusal("copy-file", { from: "/old", to: "/old2" })).toContain("too full");
    expect(await refusal("edit-file", { path: "/old", oldText: old, newText: "n" })).toContain(
      "full",
    );
    expect(computer.fs.read("/old")).toBe(old);
  });

  it("keeps both of two edits that come at once", async () => {
    const filler = "-".repeat(100_000);
    const { computer, call } = await game({ files: { "/f": `a\n${filler}\nb\n` } });
    const both = await Promise.all([
      call("edit-file", { path: "/f", oldText: "a\n", newText: "A\n" }),
      call("edit-file", { path: "/f", oldText: "b\n", newText: "B\n" }),
    ]);
    expect(both.map(({ isError }) => isError)).toEqual([undefined, undefined]);
    expect(computer.fs.read("/f")).toBe(`A\n${filler}\nB\n`);
  });

  it("finishes a write that was cut off between its two steps", async () => {
    const { computer, call, refusal } = await game({ files: { "/.f.lua.mcp-new": "saved" } });
    expect(await refusal("read-file", { path: "/f.lua" })).toContain("/.f.lua.mcp-new");
    await call("write-file", { path: "/f.lua", content: " and more", append: true });
    expect(computer.fs.read("/f.lua")).toBe("saved and more");
    expect(computer.fs.exists("/.f.lua.mcp-new")).toBe(false);
  });

  it("says what is wrong", async () => {
    const { refusal } = await game({ files: { "/d/x": "", "/file": "" } });
    const wrong = (args: object) => refusal("write-file", { content: "x", ...args });
    const rom = await wrong({ path: "/rom/programs/x.lua" });
    expect(rom).toContain("/rom/programs/x.lua is read-only: /rom belongs to the mod");
    expect(rom).toContain("copy-file");
    expect(await wrong({ path: "/d" })).toContain("/d is a folder");
    expect(await wrong({ path: "/file/x" })).toContain("/file is a file");
    expect(await wrong({ path: "/x", content: "?", encoding: "base64" })).toContain(
      "not valid base64",
    );
    expect(await wrong({ path: "/x", content: "abc", encoding: "base64" })).toContain("base64");
    expect(await wrong({ path: "/" })).toContain("/ is a folder");
  });
});

describe("edit-file", () => {
  it("says how often and where it matched when that is not once", async () => {
    const content = "a = 1\nb = 2\na = 1\n\na = 1";
    const { computer, call, refusal } = await game({ files: { "/f": content } });
    const many = await refusal("edit-file", { path: "/f", oldText: "a = 1", newText: "" });
    expect(many).toContain("oldText occurs 3 times in /f (lines 1, 3, 5)");
    expect(computer.fs.read("/f")).toBe(content);
    const none = await refusal("edit-file", { path: "/f", oldText: "  b = 2\nc", newText: "" });
    expect(none).toContain("does not occur in /f");
    expect(none).toContain("`b = 2` is on line 2");
    const all = await call("edit-file", {
      ...{ path: "/f", oldText: "a = 1", newText: "a = %1", replaceAll: true },
    });
    expect(all.data).toMatchObject({ replaced: 3, lines: [1, 3, 5] });
    expect(computer.fs.read("/f")).toBe(content.replaceAll("a = 1", "a = %1"));
  });

  it("makes several replacements in one call, all or none", async () => {
    const content = "a = 1\nb = 2\nc = 3\n";
    const { computer, call, refusal } = await game({ files: { "/f": content } });
    const edit = (oldText: string, newText: string) => ({ oldText, newText });
    const wrong = await refusal("edit-file", {
      path: "/f",
      edits: [edit("a = 1", "a = 10"), edit("d = 4", "d = 40")],
    });
    expect(wrong).toContain("oldText of edit 2 does not occur in /f, which was left alone");
    expect(computer.fs.read("/f")).toBe(content);
    const { data, text } = await call("edit-file", {
      path: "/f",
      expectedHash: hashOf(content),
      edits: [edit("a = 1", "a = \u00e9"), edit("c = 3", "c = 30"), edit("c = 30", "c = 31")],
    });
    expect(data).toMatchObject({ replaced: 3, lines: [1, 3, 3] });
    expect(computer.fs.read("/f")).toBe("a = \u00e9\nb = 2\nc = 31\n");
    expect(text).not.toContain("bytes free");
    for (const args of [{ oldText: "a" }, {}, { ...edit("a", "b"), edits: [edit("a", "b")] }]) {
      expect(await refusal("edit-file", { path: "/f", ...args })).toContain(
        "needs oldText and newText, or edits instead of both",
      );
    }
  });

  it.each([
    ["crlf", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"],
    ["crlf, one line", "a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n"],
    ["lf", "a\nb\n", "a\r\nb", "x\r\ny", "x\ny\n"],
    ["mixed, exactly", "a\r\nb\nc", "b\nc", "d\ne", "a\r\nd\ne"],
    ["a line that ends the file", "a\nb", "b", "b\n", "a\nb\n"],
  ])("keeps line endings: %s", async (_, before, oldText, newText, after) => {
    const { computer, call } = await game({ files: { "/f": before } });
    const { isError, text } = await call("edit-file", { path: "/f", oldText, newText });
    expect(isError, text).toBeUndefined();
    expect(computer.fs.read("/f")).toBe(after);
  });

  it("says what is wrong", async () => {
    const { computer, refusal } = await game({ files: { "/f": "a", "/d/x": "" } });
    const wrong = (args: object) =>
      refusal("edit-file", { path: "/f", oldText: "a", newText: "b", ...args });
    expect(await wrong({ path: "/gone" })).toContain("/gone does not exist");
    expect(await wrong({ path: "/d" })).toContain("is a folder");
    expect(await wrong({ path: "/rom/startup.lua" })).toContain("read-only");
    expect(await wrong({ newText: "a" })).toContain("the same");
    expect(await wrong({ expectedHash: hashOf("b") })).toContain("has changed since");
    expect(await wrong({ oldText: "" })).toContain("Correct this and call");
    expect(computer.fs.read("/f")).toBe("a");
  });
});

describe("copy-file to another computer", () => {
  async function pair(there: Record<string, string> = {}) {
    const bridge = await startTestBridge();
    const world = await startWorld({ time: "real" });
    const farm = await linkGameComputer(bridge, world, {
      files: {
        "/irrigation/main.lua": "new",
        "/irrigation/local.cfg": "farm",
        "/irrigation/zones.txt": "zones",
        "/irrigation/lib/valve.lua": "valve",
        "/irrigation/old.log": "log",
      },
    });
    const greenhouse = await linkGameComputer(bridge, world, { id: 15, files: there });
    const client = await connectClient(bridge.mcpUrl);
    const copy = (args: object) =>
      callTool(client, "copy-file", {
        ...{ computerId: 12, toComputer: 15, from: "/irrigation", to: "/irrigation" },
        ...args,
      });
    return { farm, greenhouse, copy };
  }
  const there = {
    "/irrigation/main.lua": "old",
    "/irrigation/local.cfg": "greenhouse",
    "/irrigation/zones.txt": "zones",
  };

  it("copies a folder with its files, except what is left out", async () => {
    const { greenhouse, copy } = await pair(there);
    const { text, isError } = await copy({ overwrite: true, except: ["local.cfg", "*.log"] });
    expect(isError, text).toBeUndefined();
    expect(text).toContain("2 files, 1 of them replaced; 1 equal already.\n");
    expect(text).toContain("lib/valve.lua, main.lua\n");
    expect(text).toContain("Left out: local.cfg, old.log\nHashes were compared");
    expect(greenhouse.fs.read("/irrigation/main.lua")).toBe("new");
    expect(greenhouse.fs.read("/irrigation/lib/valve.lua")).toBe("valve");
    expect(greenhouse.fs.read("/irrigation/local.cfg")).toBe("greenhouse");
    expect(greenhouse.fs.exists("/irrigation/old.log")).toBe(false);
    // Nothing is left to do, so nothing needs overwrite.
    expect((await copy({ except: ["local.cfg", "*.log"] })).text).toContain(
      "0 files; 3 equal already",
    );
  });

  it("replaces nothing unasked, and says what is in the way or not possible", async () => {
    const { farm, greenhouse, copy } = await pair(there);
    const refused = await copy({});
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("2 files in /irrigation on computer 15");
    expect(refused.text).toContain("would be replaced: local.cfg, main.lua. Nothing was written.");
    expect(greenhouse.fs.exists("/irrigation/lib/valve.lua")).toBe(false);
    expect((await copy({ move: true })).text).toContain("cannot be moved to another computer");
    expect((await copy({ toComputer: 12, to: "/x", except: ["a"] })).text).toContain(
      "except is for copying a folder to another computer",
    );
    farm.fs.write("/irrigation/large", "x".repeat(300_000));
    greenhouse.fs.write("/filler", "x".repeat(greenhouse.fs.freeSpace - 100_000));
    const full = await copy({ overwrite: true });
    expect(full.text).toContain("It does not fit:");
    expect(greenhouse.fs.read("/irrigation/main.lua")).toBe("old");
  });
});

describe("delete-file and copy-file", () => {
  const files = { "/d/x": "1", "/d/e/y": "22", "/f": "333", "/g": "4444" };

  it("delete a folder only when asked", async () => {
    const { computer, call, refusal } = await game({ files });
    expect(await refusal("delete-file", { path: "/d" })).toContain(
      "/d is a folder with 2 entries and was left alone; set recursive",
    );
    expect(computer.fs.exists("/d/e/y")).toBe(true);
    const { data } = await call("delete-file", { path: "/d", recursive: true });
    expect(data).toMatchObject({ path: "/d", files: 2, folders: 2 });
    expect(computer.fs.exists("/d")).toBe(false);
  });

  it("refuse what must stay", async () => {
    const { computer, refusal } = await game({ files });
    const recursive = true;
    expect(await refusal("delete-file", { path: "/", recursive })).toContain("whole disk");
    expect(await refusal("delete-file", { path: "d/..", recursive })).toContain("whole disk");
    expect(await refusal("delete-file", { path: "/rom", recursive })).toContain("read-only");
    expect(await refusal("delete-file", { path: "/gone" })).toContain("does not exist");
    expect(await refusal("delete-file", { path: "/f", expectedHash: "x-1" })).toContain(
      "has changed",
    );
    expect(
      await refusal("copy-file", { move: true, from: "/rom/startup.lua", to: "/s" }),
    ).toContain("read-only");
    expect(await refusal("copy-file", { move: true, from: "/f", to: "/rom/f" })).toContain(
      "read-only",
    );
    expect(await refusal("copy-file", { move: true, from: "/", to: "/d" })).toContain("whole disk");
    expect(await refusal("copy-file", { move: true, from: "/gone", to: "/h" })).toContain(
      "does not exist",
    );
    expect(await refusal("copy-file", { move: true, from: "/d", to: "/d/e/z" })).toContain(
      "inside itself",
    );
    expect(await refusal("copy-file", { move: true, from: "/f", to: "/f" })).toContain("the same");
    expect(await refusal("copy-file", { from: "/f", to: "/g/h" })).toContain("/g is a file");
    expect(await refusal("copy-file", { from: "/f", to: "/g" })).toContain("set overwrite");
    expect(await refusal("copy-file", { from: "/d", to: "/g", overwrite: true })).toContain(
      "delete",
    );
    for (const [path, content] of Object.entries(files))
      expect(computer.fs.read(path)).toBe(content);
  });

  it("replace a file when asked, and put things into folders", async () => {
    const { computer, call } = await game({ files });
    const moved = await call("copy-file", { move: true, from: "/f", to: "/g", overwrite: true });
    expect(moved.text).toContain("replacing what was there");
    expect(computer.fs.read("/g")).toBe("333");
    expect(computer.fs.exists("/f")).toBe(false);
    const copied = await call("copy-file", { from: "/d", to: "/new/place" });
    expect(copied.data).toMatchObject({ to: "/new/place", files: 2, folders: 2, replaced: false });
    expect(computer.fs.read("/new/place/e/y")).toBe("22");
    expect((await call("copy-file", { from: "/g", to: "/d" })).data.to).toBe("/d/g");
    const rom = await call("copy-file", { from: "/rom/startup.lua", to: "/mine.lua" });
    expect(rom.isError).toBeUndefined();
    expect(computer.fs.exists("/mine.lua")).toBe(true);
    expect(leftovers(computer)).toEqual([]);
  });
});

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
    expect(around.text).toContain("/a.lua-4- four\n/a.lua:5: needle five");
    const data = await call("search-files", { query: "needle", glob: "[ld]*" });
    expect(data.data.matches).toEqual([]);
    const latin = await call("search-files", { query: "needle", glob: "lat*" });
    expect(latin.data.matches).toMatchObject([{ text: "caf? needle" }]);
    const bin = await call("search-files", { query: "needle", path: "/data.bin" });
    expect(bin.data).toMatchObject({ matches: [], skipped: 1 });
    expect(bin.text).toContain("no match");
  });

  it("bounds its results and goes on from there", async () => {
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
    ).toContain("ignoreCase cannot be combined with pattern");
  });
});

// A computer so slow that a megabyte takes longer than the game allows without yielding, and where the
// agent cannot take code off the processor by a hook.
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
    // One character is one byte here.
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
