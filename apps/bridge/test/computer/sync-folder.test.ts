import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

type Options = Parameters<typeof linkGameComputer>[2];

const blob = Buffer.from(Array.from({ length: 2_000 }, (_, i) => (i * 31) % 256));

async function game(hostFiles: Record<string, string | Buffer> = {}, options: Options = {}) {
  const root = join(scratchDirectory(), "scripts");
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  mkdirSync(root);
  for (const [path, content] of Object.entries(hostFiles)) put(path, content);
  const bridge = await startTestBridge({ syncFolders: [`scripts=${root}`] });
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, options);
  const client = await connectClient(bridge.mcpUrl);
  const sync = async (args: object) => {
    const whole = { computerId: 12, folder: "scripts", computerPath: "/programs", ...args };
    const result = await callTool(client, "sync-folder", whole);
    return { ...result, data: (result.structuredContent ?? {}) as Record<string, unknown> };
  };
  const read = (path: string) => readFileSync(join(root, path));
  return { bridge, computer, sync, root, put, read };
}

const to = { direction: "to-computer" };
const from = { direction: "from-computer" };
const really = { dryRun: false };

describe("sync-folder to a computer", () => {
  const files = {
    "a.lua": "print('h\u00e9 \u{1f600}')",
    "lib/b.lua": "b",
    "lib/c.bin": blob,
    "d.lua": "",
  };

  it.each([["1.100.0"], ["1.116.0"]])(
    "carries over what differs, on CC:Tweaked %s",
    async (version) => {
      const onDisk = {
        "/programs/d.lua": "",
        "/programs/lib/b.lua": "old",
        "/programs/own": "kept",
      };
      const { computer, sync } = await game(files, { version, files: onDisk });
      const dry = await sync(to);
      expect(dry.text).toMatch(new RegExp(texts.dryRunNothingWasChanged));
      expect(dry.text).toContain("\n+ a.lua\n+ lib/c.bin\n~ lib/b.lua\n");
      expect(dry.data).toMatchObject({
        create: ["a.lua", "lib/c.bin"],
        update: ["lib/b.lua"],
        delete: [],
        counts: { create: 2, update: 1, delete: 0, unchanged: 1, kept: 1, done: 0 },
        complete: false,
      });
      expect(computer.fs.exists("/programs/a.lua")).toBe(false);
      expect(computer.fs.read("/programs/lib/b.lua")).toBe("old");

      const run = await sync({ ...to, ...really });
      expect(run.isError, run.text).toBeUndefined();
      expect(run.data).toMatchObject({ complete: true, counts: { done: 3, unchanged: 1 } });
      expect(run.data.freeSpace).toBe(computer.fs.freeSpace);
      expect(computer.fs.read("/programs/a.lua")).toBe(files["a.lua"]);
      expect(computer.fs.readBytes("/programs/lib/c.bin").equals(blob)).toBe(true);
      expect(computer.fs.read("/programs/own")).toBe("kept");

      const again = await sync({ ...to, ...really });
      expect(again.text).toContain(texts.thereWasNothingTo);
      expect(again.data).toMatchObject({ counts: { done: 0, unchanged: 4 }, complete: true });
    },
  );

  it("warns of what runs at every boot", async () => {
    const { sync } = await game({ "startup.lua": "while true do sleep(1) end" });
    expect((await sync(to)).text).not.toContain(texts.thisRunsAtEveryBoot);
    const { text } = await sync({ ...to, computerPath: "/" });
    expect(text).toContain(texts.thisRunsAtEveryBoot);
  });

  it("deletes only when asked, only in that folder, and never below the root", async () => {
    const onDisk = { "/programs/x": "1", "/programs/deep/y": "2", "/beside": "3" };
    const { computer, sync } = await game({ "lib/b.lua": "b" }, { files: onDisk });
    const where = { ...to, subPath: "lib", deleteExtra: true };
    const dry = await sync(where);
    expect(dry.data).toMatchObject({ create: ["b.lua"], delete: ["deep/y", "x"] });
    expect(computer.fs.exists("/programs/x")).toBe(true);
    await sync({ ...where, ...really });
    expect(computer.fs.list("/programs")).toEqual(["b.lua", "deep"]);
    expect(computer.fs.list("/programs/deep")).toEqual([]);
    expect(computer.fs.read("/beside")).toBe("3");
    const root = await sync({ ...where, ...really, computerPath: "/" });
    expect(root.isError).toBe(true);
    expect(root.text).toContain(texts.deleteextraIsRefusedFor);
    expect(computer.fs.exists("/mcp-computer.lua")).toBe(true);
  });

  it("leaves links and names that the game does not keep alone", async () => {
    const { sync, root, computer } = await game({
      "ok.lua": "ok",
      "what?.lua": "?",
      ".git/config": "",
    });
    const secret = join(dirname(root), "secret");
    writeFileSync(secret, "secret");
    symlinkSync(secret, join(root, "link.lua"));
    const { data, text } = await sync({ ...to, ...really });
    expect(data).toMatchObject({ create: ["ok.lua"], skipped: [".git", "link.lua", "what?.lua"] });
    expect(text).toContain('Left out: .git, link.lua, "what?.lua"');
    expect(computer.fs.list("/programs")).toEqual(["ok.lua"]);
  });

  it("does not begin what does not fit", async () => {
    const { sync, computer } = await game(
      { "small.lua": "1", "zlarge.txt": "x".repeat(300_000) },
      { capacity: 300_000 },
    );
    const dry = await sync(to);
    expect(dry.text).toContain(texts.itDoesNotFitMore);
    const run = await sync({ ...to, ...really });
    expect(run.isError).toBe(true);
    expect(run.data).toMatchObject({ counts: { done: 0 }, complete: false });
    expect(computer.fs.exists("/programs")).toBe(false);
  });

  it("stops at what cannot be written, and says how far it came", async () => {
    const { sync, computer } = await game(
      { "a.lua": "1", "b/c.lua": "2", "d.lua": "3" },
      { files: { "/programs/b": "a file in the way" } },
    );
    const { text, data, isError } = await sync({ ...to, ...really });
    expect(isError).toBe(true);
    expect(text).toContain(texts.stoppedLuaComputerLabelBase);
    expect(text).toContain("1 of 3 done");
    expect(data).toMatchObject({ complete: false, counts: { done: 1 } });
    expect(computer.fs.read("/programs/b")).toBe("a file in the way");
    for (const how of [really, {}]) {
      const rom = await sync({ ...to, ...how, computerPath: "/rom/programs" });
      expect(rom.isError).toBe(true);
      expect(rom.text).toContain("/rom/programs on computer 12 (Label: base-turtle) is read-only");
    }
  });

  it("mirrors hundreds of files", async () => {
    const many = Object.fromEntries(
      Array.from({ length: 320 }, (_, i) => [`f${1000 + i}.lua`, `return ${i}`]),
    );
    const { sync, computer } = await game(many);
    const run = await sync({ ...to, ...really });
    expect(run.data).toMatchObject({ complete: true, counts: { create: 320, done: 320 } });
    expect(run.text.length).toBeLessThan(12_000);
    expect(run.text).toContain("+ ... and 280 more");
    expect(computer.fs.read("/programs/f1319.lua")).toBe("return 319");
    expect((await sync(to)).data).toMatchObject({ counts: { unchanged: 320, create: 0 } });
  });
});

describe("sync-folder from a computer", () => {
  it("brings files over, exactly, and deletes when asked", async () => {
    const large = `${"0123456789\u20ac\n".repeat(15_000)}end`;
    const onDisk = { "/programs/a.lua": "new", "/programs/x/large": large, "/programs/bin": blob };
    const { sync, read, put, computer } = await game(
      { "a.lua": "old", "extra.lua": "e" },
      { files: onDisk },
    );
    const dry = await sync({ ...from, deleteExtra: true });
    expect(dry.data).toMatchObject({
      create: ["bin", "x/large"],
      update: ["a.lua"],
      delete: ["extra.lua"],
    });
    expect(read("a.lua").toString()).toBe("old");
    const kept = await sync({ ...from, ...really });
    expect(kept.data).toMatchObject({ complete: true, counts: { done: 3, kept: 1 } });
    expect(read("a.lua").toString()).toBe("new");
    expect(read("x/large").toString()).toBe(large);
    expect(read("bin").equals(blob)).toBe(true);
    await sync({ ...from, ...really, deleteExtra: true });
    expect(() => read("extra.lua")).toThrow("ENOENT");
    put("fresh.lua", "f");
    expect(computer.fs.exists("/programs/fresh.lua")).toBe(false);
  });

  it("makes a sub-path, and keeps what is the computer's own out", async () => {
    const onDisk = { "/note.txt": "n", "/.git/hooks/evil": "x", "/bad.": "x" };
    const { sync, read } = await game({}, { files: onDisk });
    const { data } = await sync({ ...from, ...really, subPath: "backup/12", computerPath: "/" });
    expect(data.create).toEqual(["mcp-computer.lua", "note.txt"]);
    expect(data.skipped).toEqual(["/.git/hooks/evil", "/.settings", "/bad."]);
    expect(read("backup/12/note.txt").toString()).toBe("n");
  });

  it("does not write through a link that is in the way", async () => {
    const { sync, root } = await game({}, { files: { "/programs/out/x": "evil" } });
    const outside = join(dirname(root), "outside");
    mkdirSync(outside);
    symlinkSync(outside, join(root, "out"));
    const { text, isError } = await sync({ ...from, ...really });
    expect(isError).toBe(true);
    expect(text).toContain("symbolic link");
    expect(() => readFileSync(join(outside, "x"))).toThrow("ENOENT");
  });

  it("says what is wrong", async () => {
    const { sync, root } = await game({ "a.lua": "" });
    const wrong = async (args: object) => {
      const { isError, text } = await sync({ ...to, ...args });
      expect(isError, text).toBe(true);
      return text;
    };
    expect(await wrong({ folder: "/etc" })).toContain(texts.theBridgeSOwner);
    expect(await wrong({ subPath: "../.." })).toContain(texts.isNotAPathInside);
    expect(await wrong({ subPath: "/etc" })).toContain(texts.isNotAPathInside);
    expect(await wrong({ subPath: "none" })).toContain(texts.theHostFolderScriptsHas);
    expect(await wrong({ subPath: "a.lua" })).toContain(texts.scriptsALuaIs);
    expect(await wrong({ computerPath: "/mcp-computer.lua" })).toContain("is a file");
    expect(await wrong({ ...from, computerPath: "/gone" })).toContain("/gone does not exist");
    expect(await wrong({ computerId: 99 })).toContain("99");
    rmSync(root, { recursive: true });
    const gone = await wrong({});
    expect(gone).toContain("CC_SYNC_FOLDERS");
    expect(gone).not.toContain(root);
  });

  it("is not there where the owner allowed no folder", async () => {
    const bridge = await startTestBridge();
    const client = await connectClient(bridge.mcpUrl);
    const args = { computerId: 12, folder: "x", computerPath: "/p", direction: "to-computer" };
    await expect(callTool(client, "sync-folder", args)).rejects.toThrow(
      'There is no tool "sync-folder".',
    );
  });
});
