import type { FileEntry } from "@ccbridge/protocol";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { limitOf, offsetOf } from "../../../core/arguments.js";
import { defineTool } from "../../../core/define.js";
import { inline } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { ask } from "../undo/ask.js";
import {
  fitting,
  folder,
  hash,
  joinLines,
  nameOf,
  plural,
  shown,
  space,
  spaceOf,
  spaceText,
} from "./common.js";

const EntrySchema = z.object({
  path: z.string(),
  isDir: z.boolean(),
  size: z.int().optional().describe("In bytes; absent for folders."),
  modified: z.string().optional().describe("When it was last written."),
  readOnly: z.boolean().optional().describe("Set for what cannot be changed, such as /rom."),
  hash: hash.optional(),
});

type Entry = z.infer<typeof EntrySchema>;

export const listFiles = defineTool({
  name: "list-files",
  title: "List files on a computer",
  description:
    "Lists files and folders on a computer's disk, with sizes and the free space. /startup.lua " +
    "runs at boot, /disk is a floppy, /rom is read-only.",
  input: z.object({
    ...target,
    path: folder,
    recursive: z
      .boolean()
      .default(false)
      .meta({ description: "Go into folders too.", obvious: true }),
    glob: z
      .string()
      .min(1)
      .optional()
      .describe("Only matches: `*.lua`, or with a slash `src/**/*.lua`."),
    hashes: z
      .boolean()
      .default(false)
      .meta({ description: "Add the hash of each file.", obvious: true }),
    offset: offsetOf("entries"),
    limit: limitOf(200, 100),
  }),
  output: z.object({
    ...computerShape,
    path: z.string(),
    total: z.int().describe("How many entries match, on all pages."),
    files: z.int().describe("How many of them are files."),
    bytes: z.int().describe("The total size of these files."),
    offset: z.int(),
    entries: z.array(EntrySchema),
    nextOffset: z.int().optional().describe("Pass this as offset for the next page."),
    note: z.string().optional(),
    ...space,
  }),
  annotations: readOnly,
  async handler({ computerId, offset, ...params }, context) {
    const { computer, result } = await ask(context, computerId, "list-files", {
      ...params,
      offset,
    });
    const entries = fitting(result.entries.map(entryOf), (entry) => JSON.stringify(entry).length);
    const next = offset + entries.length;
    const more = next < result.total && entries.length > 0;
    const note = joinLines([
      result.romSkipped ? "/rom (the mod's read-only files) was left out." : undefined,
      result.cut ? "There are too many files to look at all of them: name a folder." : undefined,
    ]);
    const counted = `${plural(result.files, "file")} and ${plural(result.total - result.files, "folder")}`;
    return {
      text: joinLines([
        `${shown(result.path)} on ${nameOf(computer)}: ${counted}, ${plural(result.bytes, "byte")}.`,
        ...listing(entries, result.path),
        more ? `${result.total - next} more: call list-files with offset ${next}.` : undefined,
        note === "" ? undefined : note,
        spaceText(result, result.path === "/"),
      ]),
      structured: () => ({
        ...computerFacts(computer),
        path: result.path,
        total: result.total,
        files: result.files,
        bytes: result.bytes,
        offset,
        entries,
        ...(more ? { nextOffset: next } : {}),
        ...(note === "" ? {} : { note }),
        ...spaceOf(result),
      }),
    };
  },
});

function entryOf({ modified, ...entry }: FileEntry): Entry {
  return {
    ...entry,
    // Date throws beyond this.
    ...(modified !== undefined && Math.abs(modified) < 8e15
      ? { modified: new Date(modified).toISOString().replace(/\.\d+Z$/, "Z") }
      : {}),
  };
}

const agentFile = /^\/(\.mcp-computer\.|mcp-computer\.lua$|startup\/zz-mcp-computer\.lua$)/;

function listing(entries: readonly Entry[], path: string): string[] {
  const own = entries.filter((entry) => agentFile.test(entry.path) && entry.path !== path);
  const lines = entries.filter((entry) => !own.includes(entry)).map(entryLine);
  if (own.length === 0) return lines;
  return [...lines, `The agent's own files: ${own.map((entry) => shown(entry.path)).join(", ")}`];
}

function entryLine({ path, isDir, size, modified, readOnly, hash }: Entry): string {
  const facts = [
    size === undefined ? undefined : plural(size, "byte"),
    modified,
    hash === undefined ? undefined : `hash ${inline(hash)}`,
    readOnly === true ? "read-only" : undefined,
  ].filter((fact) => fact !== undefined);
  return `${shown(isDir ? `${path}/` : path)}${facts.length === 0 ? "" : `  ${facts.join(", ")}`}`;
}
