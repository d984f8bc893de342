import { fileHash } from "@ccbridge/protocol";
import { describe, expect, it } from "vitest";
import { fill, texts } from "../../../../../vitest.texts.js";
import { type HostFolders, tools } from "../../../src/index.js";
import { isMirrored, plan } from "../../../src/kinds/computer/files/sync.js";
import { call, createRegistry, linkRaw } from "../../harness.js";

const hello = { computerId: 12, computerLabel: "base", protocol: 2 };
const fileTools = tools.filter(({ name }) => /file|folder/.test(name));
const methods = fileTools.map(({ name }) => name).filter((name) => name !== "sync-folder");

function answering(results: Record<string, object>) {
  const registry = createRegistry();
  const asked: string[] = [];
  linkRaw(registry, { ...hello, methods }, ({ id, method }, send) => {
    asked.push(method);
    send({ type: "response", id, ok: true, result: results[method] });
  });
  return { registry, asked };
}

const args: Record<string, object> = {
  "list-files": {},
  "read-file": { path: "/a" },
  "write-file": { path: "/a", content: "" },
  "edit-file": { path: "/a", oldText: "a", newText: "b" },
  "delete-file": { path: "/a" },
  "copy-file": { from: "/a", to: "/b" },
  "search-files": { query: "a" },
};

describe("file tools", () => {
  it.each(methods)("%s says how to update an agent that does not support it", async (name) => {
    const registry = createRegistry();
    linkRaw(registry, { ...hello, methods: ["exec-lua"] });
    const { isError, text } = await call(registry, name, { computerId: 12, ...args[name] });
    expect(isError).toBe(true);
    expect(text).toContain(`does not support ${name}`);
    expect(text).toContain("mcp-computer ws://bridge:3001");
  });

  it.each(methods)("%s survives an invalid answer", async (name) => {
    const { registry } = answering({ [name]: { path: 1 } });
    const { isError, text } = await call(registry, name, { computerId: 12, ...args[name] });
    expect(isError).toBe(true);
    expect(text).toContain(fill(texts.doesNotSupportOrSupports, name));
  });

  it("search-files shows each line once where the context of matches overlaps", async () => {
    const matches = [
      { path: "/z", line: 2, text: "carrots", before: ["wheat"], after: ["carrots too"] },
      { path: "/z", line: 3, text: "carrots too", before: ["carrots"], after: ["potatoes"] },
      { path: "/a", line: 1, text: "carrots" },
    ];
    const found = { path: "/", matches, searched: 2, skipped: 0 };
    const { registry } = answering({ "search-files": found });
    const { text } = await call(registry, "search-files", { computerId: 12, query: "carrots" });
    expect(text.split("\n").slice(1)).toEqual([
      "/z-1| wheat",
      "/z:2| carrots",
      "/z:3| carrots too",
      "/z-4| potatoes",
      "/a:1| carrots",
    ]);
  });

  it("list-files accepts a disk without a quota, odd dates and no entries", async () => {
    const empty = { path: "/", total: 0, files: 0, bytes: 0, entries: {}, freeSpace: "unlimited" };
    const none = await call(answering({ "list-files": empty }).registry, "list-files", {
      computerId: 12,
    });
    expect(none.structuredContent).toMatchObject({ entries: [], freeSpace: "unlimited" });
    const entry = { path: "/a\u001b[31m\nb", size: 1, modified: 1e300 };
    const odd = { ...empty, total: 1, files: 1, bytes: 1, entries: [entry] };
    const { text } = await call(answering({ "list-files": odd }).registry, "list-files", {
      computerId: 12,
    });
    expect(text).toContain('"/a\\u001b[31m\\nb"  1 byte');
  });
});

describe("sync-folder with a computer that lies", () => {
  const files = (entries: object[]) => ({
    ...{ path: "/p", total: entries.length, files: entries.length, bytes: 0, entries },
  });
  const written: string[] = [];
  const hostFolders: HostFolders = {
    names: ["scripts"],
    open: () => ({
      list: async () => ({ exists: true, files: [], skipped: [] }),
      read: async () => new Uint8Array(),
      write: async (path) => {
        written.push(path);
      },
      remove: async () => {},
    }),
  };
  const sync = (registry: ReturnType<typeof createRegistry>) => {
    const to = { folder: "scripts", computerPath: "/p", direction: "from-computer", dryRun: false };
    return call(registry, "sync-folder", { computerId: 12, ...to }, { hostFolders });
  };

  it("never hands on a path that leads elsewhere", async () => {
    const paths = ["/p/../../etc/x", "/etc/x", "/p/./x", "/p//x", "/p/.git/hooks/x", "/p/a\\b"];
    const hash = fileHash(new Uint8Array());
    const entries = paths.map((path) => ({ path, size: 0, hash }));
    const { registry, asked } = answering({ "list-files": files(entries) });
    const { structuredContent } = await sync(registry);
    expect(structuredContent).toMatchObject({ create: [], skipped: paths });
    expect(asked).toEqual(["list-files"]);
    expect(written).toEqual([]);
  });

  it("writes only what was listed, and does not read forever", async () => {
    const page = {
      ...{ path: "/p/x", size: 1, hash: "0-1", lines: 1, endings: "none", offset: 0 },
      ...{ content: "y".repeat(1_000_000), nextOffset: 0 },
    };
    const listed = files([{ path: "/p/x", size: 1, hash: "0-1" }]);
    const { registry, asked } = answering({ "list-files": listed, "read-file": page });
    const { text, isError } = await sync(registry);
    expect(isError).toBe(true);
    expect(text).toContain(texts.xItIsLarger);
    expect(asked.length).toBeLessThan(10);
    expect(written).toEqual([]);
  });
});

describe("plans", () => {
  it("count what a disk must hold in addition", () => {
    const side = (size: number, hash: string) => ({ size, hash });
    const source = new Map([
      ["new", side(1, "a")],
      ["grown", side(2_000, "b")],
      ["same", side(9, "c")],
    ]);
    const target = new Map([
      ["grown", side(3, "d")],
      ["same", side(9, "c")],
      ["extra", side(1, "e")],
    ]);
    expect(plan(source, target)).toEqual({
      ...{ create: ["new"], update: ["grown"], extra: ["extra"], unchanged: 1 },
      ...{ bytes: 2_001, growth: 500 + 1_500 },
    });
  });

  it.each([
    ["a/b.lua", true],
    ["a b/c", true],
    [".hidden", true],
    ["", false],
    ["a/../b", false],
    ["a/.", false],
    ["a//b", false],
    ["a/.GIT/b", false],
    ["node_modules/x", false],
    ["a:b", false],
    [" a", false],
    ["x".repeat(201), false],
  ])("mirrors %j: %s", (path, expected) => {
    expect(isMirrored(path)).toBe(expected);
  });
});
