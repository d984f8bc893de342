import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import fc from "fast-check";
import { expect } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

/** A bridge, the real program on a computer, and a client that changes things there. */
export async function startUndoScene(settings: Parameters<typeof startTestBridge>[0] = {}) {
  const bridge = await startTestBridge(settings);
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, {
    ...{ id: 12, label: "gate", capacity: 2_000_000 },
  });
  const client = await connectClient(bridge.mcpUrl);
  const on = (name: string, args: object = {}) =>
    callTool(client, name, { computerId: 12, ...args });
  const write = (path: string, content: string, more = {}) =>
    on("write-file", { path, content, ...more });
  const changes = async (args: object = {}) => {
    const { structuredContent } = await callTool(client, "list-changes", { ...args });
    return (structuredContent as { changes: Record<string, unknown>[] }).changes;
  };
  const undo = (args: object) => callTool(client, "undo-change", { ...args });
  const newest = async () => [(await changes())[0]?.id];
  return { bridge, world, computer, client, on, write, changes, undo, newest };
}

const PATHS = ["/a", "/b.lua", "/d/x", "/d/y", "/d/deep/z", "/e"] as const;

const path = fc.constantFrom(...PATHS);
const content = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => text.replace(/[\ud800-\udfff]/g, "")),
  fc.constantFrom("", "one\ntwo\nthree\n", "one\r\ntwo\r\n", "x".repeat(5_000)),
);

/** One edit, as a model makes it. Some are refused: then nothing changes. */
export type Edit = readonly [tool: string, args: Readonly<Record<string, unknown>>];

export const edit: fc.Arbitrary<Edit> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc
      .tuple(path, content)
      .map(([at, text]): Edit => ["write-file", { path: at, content: text }]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, content)
      .map(([at, text]): Edit => ["write-file", { path: at, content: text, append: true }]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, fc.constantFrom("one", "two", "x"))
      .map(
        ([at, oldText]): Edit => [
          "edit-file",
          { path: at, oldText, newText: `${oldText}!`, replaceAll: true },
        ],
      ),
  },
  { weight: 2, arbitrary: path.map((at): Edit => ["delete-file", { path: at }]) },
  { weight: 1, arbitrary: fc.constant<Edit>(["delete-file", { path: "/d", recursive: true }]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(path, path, fc.boolean(), fc.boolean())
      .map(([from, to, move, overwrite]): Edit => ["copy-file", { from, to, move, overwrite }]),
  },
);

export interface Disk {
  exists(path: string): boolean;
  readBytes(path: string): Buffer;
}

/** All files that the edits are about, byte for byte. */
export function snapshot(disk: Disk): Record<string, string> {
  const files: Record<string, string> = {};
  for (const at of PATHS) {
    if (disk.exists(at)) files[at] = disk.readBytes(at).toString("latin1");
  }
  return files;
}

/** Undoes everything since then, or up to another time, in as many calls as it takes. */
export async function undoSince(client: Client, since: number, until?: number): Promise<void> {
  const to = until === undefined ? {} : { until: new Date(until).toISOString() };
  for (let rounds = 0; rounds < 200; rounds++) {
    const args = { since: new Date(since).toISOString(), ...to, dryRun: false };
    let { text, isError } = await callTool(client, "undo-change", args);
    // Whether an edit was made is not known where its bridge was killed; nothing else changed the file here.
    if (/stopped in the middle of|is not known to have ended/.test(text)) {
      ({ text, isError } = await callTool(client, "undo-change", { ...args, force: true }));
    }
    if (text.includes("It takes long")) continue;
    if (text.includes("No such change") || text.includes("cancel one another")) return;
    if (text.includes("Undone already")) return;
    expect(isError, text).not.toBe(true);
    expect(text).not.toContain("REFUSED");
    return;
  }
  throw new Error("undoing never ended");
}
