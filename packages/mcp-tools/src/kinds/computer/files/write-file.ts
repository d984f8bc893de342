import { z } from "zod";
import { destructive } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { ask } from "../undo/ask.js";
import {
  counts,
  countText,
  expectedHash,
  hash,
  joinLines,
  nameOf,
  path,
  plural,
  sendable,
  shown,
  size,
  space,
  spaceOf,
  spaceText,
  startupText,
} from "./common.js";

export const writeFile = defineTool({
  name: "write-file",
  title: "Write a file on a computer",
  effect: "files written",
  description:
    "Writes a whole file on a computer's disk, or appends to it; missing folders are created. For " +
    "small changes use edit-file.",
  input: z.object({
    ...target,
    path,
    content: z
      .string()
      .meta({ description: "The text, or base64 if encoding says so.", obvious: true }),
    encoding: z
      .enum(["text", "base64"])
      .default("text")
      .describe("base64 writes exact bytes, for images and other data."),
    append: z
      .boolean()
      .default(false)
      .meta({ description: "Append to the file instead.", obvious: true }),
    expectedHash,
  }),
  output: z.object({
    ...computerShape,
    path: z.string(),
    created: z.boolean().describe("Whether the file is new."),
    size,
    hash,
    ...space,
  }),
  annotations: destructive,
  async handler({ computerId, encoding, content, ...params }, context) {
    const { computer, result } = await ask(context, computerId, "write-file", {
      ...params,
      ...(encoding === "base64" ? { content, encoding } : sendable({ content })),
    });
    const done = result.created ? "Created" : params.append ? "Appended to" : "Replaced";
    return {
      text: joinLines([
        `${done} ${shown(result.path)} on ${nameOf(computer)}: ${plural(result.size, "byte")}, hash ${inline(result.hash)}`,
        startupText(result.path),
        spaceText(result),
      ]),
      structured: () => ({
        ...computerFacts(computer),
        path: result.path,
        created: result.created,
        size: result.size,
        hash: result.hash,
        ...spaceOf(result),
      }),
    };
  },
});

const MAX_EDITS = 50;

const oldText = z.string().min(1);

export const editFile = defineTool({
  name: "edit-file",
  title: "Edit a file on a computer",
  effect: "files written",
  description:
    "Replaces text in a file on a computer's disk: one piece, or several with `edits`. Nothing " +
    "changes unless each oldText occurs exactly as given and only once (or replaceAll is set).",
  input: z.object({
    ...target,
    path,
    oldText: oldText.optional().describe("The exact text to replace, including whitespace."),
    newText: z.string().optional().describe("What to put in its place; empty to delete it."),
    replaceAll: z
      .boolean()
      .default(false)
      .meta({ description: "Replace every occurrence.", obvious: true }),
    edits: z
      .array(z.object({ oldText, newText: z.string(), replaceAll: z.boolean().optional() }))
      .min(1)
      .max(MAX_EDITS)
      .optional()
      .describe("Instead of these: several replacements, done in order, all or none."),
    expectedHash,
  }),
  output: z.object({
    ...computerShape,
    path: z.string(),
    replaced: z.int().describe("The number of replacements."),
    lines: z
      .array(z.int())
      .describe("The lines it was on, as numbered before the edit; the first twenty."),
    size,
    hash,
    ...space,
  }),
  annotations: destructive,
  async handler({ computerId, path, expectedHash, ...wanted }, context) {
    const { computer, result } = await ask(context, computerId, "edit-file", {
      path,
      ...(expectedHash === undefined ? {} : { expectedHash }),
      ...changesOf(wanted),
    });
    const { lines, replaced } = result;
    const at = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;
    const times = replaced === 1 ? "" : `${replaced} times, `;
    return {
      text: joinLines([
        `Edited ${shown(result.path)} on ${nameOf(computer)}: ${times}${at}; now ${plural(result.size, "byte")}, hash ${inline(result.hash)}`,
        startupText(result.path),
        spaceText(result),
      ]),
      structured: () => ({
        ...computerFacts(computer),
        path: result.path,
        replaced,
        lines,
        size: result.size,
        hash: result.hash,
        ...spaceOf(result),
      }),
    };
  },
});

interface Wanted {
  oldText?: string | undefined;
  newText?: string | undefined;
  replaceAll: boolean;
  edits?:
    | readonly { oldText: string; newText: string; replaceAll?: boolean | undefined }[]
    | undefined;
}

function changesOf({ oldText, newText, replaceAll, edits }: Wanted) {
  const one = oldText !== undefined || newText !== undefined;
  if (one === (edits !== undefined) || (one && (oldText === undefined || newText === undefined))) {
    throw new ToolError(
      "edit-file needs oldText and newText, or edits instead of both. Nothing was changed.",
      'Call it again with one of them, such as edits [{"oldText":"a","newText":"b"}].',
    );
  }
  if (oldText !== undefined && newText !== undefined) {
    return { replaceAll, ...sendable({ oldText, newText }) };
  }
  const changes = (edits ?? []).map(({ oldText, newText, replaceAll: every = replaceAll }) => ({
    replaceAll: every,
    ...sendable({ oldText, newText }),
  }));
  // Agents of 0.1 know only one change.
  const [only] = changes;
  return only !== undefined && changes.length === 1 ? only : { edits: changes };
}

export const deleteFile = defineTool({
  name: "delete-file",
  title: "Delete a file on a computer",
  effect: "files deleted",
  description: "Deletes a file or folder on a computer's disk. undo-change can bring it back.",
  input: z.object({
    ...target,
    path,
    recursive: z.boolean().default(false).describe("Delete a folder with everything in it."),
    expectedHash,
  }),
  output: z.object({ ...computerShape, path: z.string(), ...counts, ...space }),
  annotations: destructive,
  async handler({ computerId, ...params }, context) {
    const { computer, result } = await ask(context, computerId, "delete-file", params);
    return {
      text: joinLines([
        `Deleted ${shown(result.path)} on ${nameOf(computer)}: ${countText(result)}.`,
        spaceText(result),
      ]),
      structured: () => ({
        ...computerFacts(computer),
        path: result.path,
        files: result.files,
        folders: result.folders,
        ...spaceOf(result),
      }),
    };
  },
});
