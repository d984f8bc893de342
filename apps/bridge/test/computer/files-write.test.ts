import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { game, hashOf, leftovers } from "./files-game.js";
import { linkGameComputer, startWorld } from "./helpers.js";

describe("write-file", () => {
  it("replaces, appends, and guards by hash", async () => {
    const { computer, call, refusal } = await game({ files: { "/f": "one" } });
    const path = "/f";
    expect(
      (await call("write-file", { path, content: "two", expectedHash: hashOf("one") })).text,
    ).toMatch(/^Replaced \/f/);
    expect(
      await refusal("write-file", { path, content: "three", expectedHash: hashOf("one") }),
    ).toMatch(new RegExp(texts.hasChangedSinceYouRead));
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
      expect(text).toMatch(new RegExp(texts.theDiskIsTooFull));
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
    expect(rom).toContain(texts.romProgramsLuaIsRead);
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
    expect(none).toContain(texts.doesNotOccurIn);
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
    expect(wrong).toContain(texts.oldtextOfEditDoesNot);
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
        texts.needsOldtextAndNewtextOr,
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
    expect(text).toContain(texts.leftOutLocalCfgOld);
    expect(greenhouse.fs.read("/irrigation/main.lua")).toBe("new");
    expect(greenhouse.fs.read("/irrigation/lib/valve.lua")).toBe("valve");
    expect(greenhouse.fs.read("/irrigation/local.cfg")).toBe("greenhouse");
    expect(greenhouse.fs.exists("/irrigation/old.log")).toBe(false);
    expect((await copy({ except: ["local.cfg", "*.log"] })).text).toContain(
      "0 files; 3 equal already",
    );
    const atBoot = await copy({ to: "/startup" });
    expect(atBoot.text).toContain(texts.thisRunsAtEveryBoot);
  });

  it("puts a file into an existing folder, as on one computer", async () => {
    const { farm, greenhouse, copy } = await pair(there);
    const from = "/irrigation/lib/valve.lua";
    const copied = await copy({ from });
    expect(copied.text).toContain("to /irrigation/valve.lua on computer 15");
    expect(greenhouse.fs.read("/irrigation/valve.lua")).toBe("valve");
    expect((await copy({ from })).text).toContain("/irrigation/valve.lua already exists");
    expect((await copy({ from, to: "/startup.lua" })).text).toContain(texts.thisRunsAtEveryBoot);
    expect((await copy({ from, to: "/new/name.lua", move: true })).isError).toBeUndefined();
    expect(greenhouse.fs.read("/new/name.lua")).toBe("valve");
    expect(farm.fs.exists(from)).toBe(false);
  });

  it("replaces nothing without being asked, and says what is in the way or not possible", async () => {
    const { farm, greenhouse, copy } = await pair(there);
    const refused = await copy({});
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("2 files in /irrigation on computer 15");
    expect(refused.text).toContain(texts.wouldBeReplacedLocalCfg);
    expect(greenhouse.fs.exists("/irrigation/lib/valve.lua")).toBe(false);
    expect((await copy({ move: true })).text).toContain(texts.cannotBeMovedTo);
    expect((await copy({ toComputer: 12, to: "/x", except: ["a"] })).text).toContain(
      texts.exceptIsForCopyingA,
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
    expect(await refusal("delete-file", { path: "/d" })).toContain(texts.isAFolderWithEntries);
    expect(computer.fs.exists("/d/e/y")).toBe(true);
    const { data } = await call("delete-file", { path: "/d", recursive: true });
    expect(data).toMatchObject({ path: "/d", files: 2, folders: 2 });
    expect(computer.fs.exists("/d")).toBe(false);
  });

  it("refuse what must stay", async () => {
    const { computer, refusal } = await game({ files });
    const recursive = true;
    expect(await refusal("delete-file", { path: "/none" })).toContain("/none does not exist");
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
