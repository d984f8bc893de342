import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { HostFolderError } from "@ccbridge/mcp-tools";
import { describe, expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { createHostFolders } from "../../src/mcp/host-folders.js";
import { scratchDirectory } from "../helpers/scratch.js";

const bytes = (text: string) => new TextEncoder().encode(text);

function setUp() {
  const outer = scratchDirectory();
  const root = join(outer, "allowed");
  mkdirSync(join(root, "sub"), { recursive: true });
  mkdirSync(join(outer, "secrets"));
  writeFileSync(join(outer, "secrets", "key"), "secret");
  writeFileSync(join(root, "a.lua"), "a");
  writeFileSync(join(root, "sub", "b.lua"), "b");
  symlinkSync(join(outer, "secrets"), join(root, "link"));
  symlinkSync(join(outer, "secrets", "key"), join(root, "key"));
  symlinkSync(root, join(outer, "alias"));
  const open = (subPath = "", at = root) => {
    const folder = createHostFolders([`files=${at}`]).open("files", subPath);
    if (folder === undefined) throw new Error("not opened");
    return folder;
  };
  const secret = () => readFileSync(join(outer, "secrets", "key"), "utf8");
  return { outer, root, open, secret };
}

describe("host folders", () => {
  it("are known by the names of the setting alone", () => {
    const folders = createHostFolders(["a=/srv/a", "b=/srv/b=c"]);
    expect(folders.names).toEqual(["a", "b"]);
    expect(folders.open("c", "")).toBeUndefined();
    expect(folders.open("/srv/a", "")).toBeUndefined();
  });

  it("list files, and name the links that they leave out", async () => {
    const { open, root } = setUp();
    for (const name of [".git", "node_modules"]) {
      mkdirSync(join(root, name));
      writeFileSync(join(root, name, "x"), "");
    }
    expect(await open().list()).toEqual({
      exists: true,
      files: [
        { path: "a.lua", size: 1 },
        { path: "sub/b.lua", size: 1 },
      ],
      skipped: [".git", "key", "link", "node_modules"],
    });
    expect((await open("sub").list()).files).toEqual([{ path: "b.lua", size: 1 }]);
    expect(await open("none").list()).toEqual({ exists: false, files: [], skipped: [] });
  });

  it("read, write and remove, with folders on the way", async () => {
    const { open, root } = setUp();
    const folder = open("new/sub");
    await folder.write("deep/c.lua", bytes("c"));
    expect(readFileSync(join(root, "new/sub/deep/c.lua"), "utf8")).toBe("c");
    expect(Buffer.from(await folder.read("deep/c.lua")).toString()).toBe("c");
    await folder.remove("deep/c.lua");
    expect(readdirSync(join(root, "new/sub/deep"))).toEqual([]);
    chmodSync(join(root, "a.lua"), 0o750);
    await open().write("a.lua", bytes("longer"));
    expect(readFileSync(join(root, "a.lua"), "utf8")).toBe("longer");
    expect(statSync(join(root, "a.lua")).mode & 0o777).toBe(0o750);
    expect(readdirSync(root).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each([
    ...["../secrets/key", "sub/../../secrets/key", "/etc/passwd", "..", "sub/..", "."],
    ...["a\\..\\b", "C:evil", "nul\0", "x/\u0001", "trailing.", ".git/hooks/x", "a/Node_Modules/x"],
  ])("refuse the path %j", async (path) => {
    const { open, root, secret } = setUp();
    const before = readdirSync(root);
    const folder = open();
    await expect(folder.read(path)).rejects.toThrow(HostFolderError);
    await expect(folder.write(path, bytes("evil"))).rejects.toThrow(HostFolderError);
    await expect(folder.remove(path)).rejects.toThrow(HostFolderError);
    expect(() => open(path)).toThrow(HostFolderError);
    expect(secret()).toBe("secret");
    expect(readdirSync(root)).toEqual(before);
  });

  it("never follow a link out of the folder, and never write or remove one", async () => {
    const { open, outer, secret } = setUp();
    const folder = open();
    for (const path of ["key", "link/key", "link/new", "link/deep/new"]) {
      await expect(folder.read(path)).rejects.toThrow(HostFolderError);
      await expect(folder.write(path, bytes("evil"))).rejects.toThrow(/symbolic link/);
      await expect(folder.remove(path)).rejects.toThrow(HostFolderError);
    }
    await expect(open("link").list()).rejects.toThrow(/symbolic link/);
    expect(secret()).toBe("secret");
    expect(readdirSync(join(outer, "secrets"))).toEqual(["key"]);
  });

  it("may be given by a link, as their owner likes", async () => {
    const { open, outer, root } = setUp();
    await open("", join(outer, "alias")).write("d.lua", bytes("d"));
    expect(readFileSync(join(root, "d.lua"), "utf8")).toBe("d");
  });

  it("report what is in the way, or missing", async () => {
    const { open, outer } = setUp();
    await expect(open().write("sub", bytes(""))).rejects.toThrow("files/sub is a folder");
    await expect(open().write("a.lua/x", bytes(""))).rejects.toThrow(texts.filesALuaIs);
    await expect(open().read("none")).rejects.toThrow("files/none does not exist");
    await expect(open("a.lua").list()).rejects.toThrow(texts.filesALuaIs);
    await expect(open("", join(outer, "gone")).list()).rejects.toThrow("CC_SYNC_FOLDERS");
  });
});
