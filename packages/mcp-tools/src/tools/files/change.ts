import { z } from "zod";
import { ask } from "../../ask.js";
import { defineTool } from "../../define-tool.js";
import { isSafeText, toBase64, utf8 } from "../../format/bytes.js";
import { target } from "../target.js";
import {
  computer,
  computerOf,
  countText,
  expectedHash,
  hash,
  joinLines,
  nameOf,
  path,
  plural,
  shown,
  space,
  spaceOf,
  spaceText,
} from "./common.js";

const changing = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: false,
} as const;

const size = z.int().describe("Bytes of the file now.");

export const writeFile = defineTool({
  name: "write-file",
  title: "Write a file on a computer",
  description:
    "Writes a whole file on the disk of a ComputerCraft computer, or adds to its end. Missing folders are " +
    "made. An existing file is replaced: pass expectedHash when you have read it, so that nobody's change " +
    "is lost. New content is put beside the old one first, so a full disk loses nothing. For small " +
    "changes use edit-file. /rom cannot be written. A program written to /startup.lua runs at every boot; " +
    'run others with exec-lua: shell.run("/name.lua").',
  input: z.object({
    ...target,
    path,
    content: z.string().describe("The content: text, or base64 when encoding says so."),
    encoding: z
      .enum(["text", "base64"])
      .default("text")
      .describe("base64 writes exact bytes, for images and other data."),
    append: z.boolean().default(false).describe("Add to the end of the file instead."),
    createDirectories: z.boolean().default(true).describe("Make the folders that are missing."),
    expectedHash,
  }),
  output: z.object({
    ...computer,
    path: z.string(),
    created: z.boolean().describe("Whether the file is new."),
    size,
    hash,
    ...space,
  }),
  annotations: changing,
  async handler({ computerId, world, encoding, content, ...params }, context) {
    const { link, result } = await ask(context, { computerId, world }, "write-file", {
      ...params,
      ...(encoding === "base64" ? { content, encoding } : sendable({ content })),
    });
    const done = result.created ? "Created" : params.append ? "Added to" : "Replaced";
    return {
      text: joinLines([
        `${done} ${shown(result.path)} on ${nameOf(link)}: ${plural(result.size, "byte")}, hash ${result.hash}`,
        spaceText(result),
      ]),
      structured: {
        ...computerOf(link),
        path: shown(result.path),
        created: result.created,
        size: result.size,
        hash: result.hash,
        ...spaceOf(result),
      },
    };
  },
});

/** Texts as every computer reads them: as they are, or all of them as base64. */
function sendable<T extends Record<string, string>>(texts: T): T & { encoding?: "base64" } {
  if (Object.values(texts).every(isSafeText)) return texts;
  const encoded = Object.entries(texts).map(([name, text]) => [name, toBase64(utf8(text))]);
  return { ...(Object.fromEntries(encoded) as T), encoding: "base64" };
}

export const editFile = defineTool({
  name: "edit-file",
  title: "Edit a file of a computer",
  description:
    "Replaces a piece of text in a file on the disk of a ComputerCraft computer. oldText must be in the " +
    "file exactly as given and only once (or set replaceAll); otherwise nothing is changed and the answer " +
    "says on which lines it is. Take enough lines around the change to make it the only one. The file " +
    "keeps its line endings. Read the file with read-file first.",
  input: z.object({
    ...target,
    path,
    oldText: z.string().min(1).describe("The text to replace, exactly, white space included."),
    newText: z.string().describe("What to put in its place; empty to delete it."),
    replaceAll: z.boolean().default(false).describe("Replace it wherever it is."),
    expectedHash,
  }),
  output: z.object({
    ...computer,
    path: z.string(),
    replaced: z.int().describe("How often it was replaced."),
    lines: z
      .array(z.int())
      .describe("On which lines, as they were numbered before; the first twenty."),
    size,
    hash,
    ...space,
  }),
  annotations: changing,
  async handler({ computerId, world, oldText, newText, ...params }, context) {
    const { link, result } = await ask(context, { computerId, world }, "edit-file", {
      ...params,
      ...sendable({ oldText, newText }),
    });
    const { lines, replaced } = result;
    const at = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;
    const times = replaced === 1 ? "" : `${replaced} times, `;
    return {
      text: joinLines([
        `Edited ${shown(result.path)} on ${nameOf(link)}: ${times}${at}; now ${plural(result.size, "byte")}, hash ${result.hash}`,
        spaceText(result),
      ]),
      structured: {
        ...computerOf(link),
        path: shown(result.path),
        replaced,
        lines,
        size: result.size,
        hash: result.hash,
        ...spaceOf(result),
      },
    };
  },
});

const counts = {
  files: z.int().describe("Files concerned, those in folders included."),
  folders: z.int().describe("Folders concerned."),
};

export const deleteFile = defineTool({
  name: "delete-file",
  title: "Delete a file of a computer",
  description:
    "Deletes a file on the disk of a ComputerCraft computer, or a folder: one that is not empty only with " +
    "recursive. There is no undo. /rom, inserted disks as such and the root are refused.",
  input: z.object({
    ...target,
    path,
    recursive: z.boolean().default(false).describe("Delete a folder with all that is in it."),
    expectedHash,
  }),
  output: z.object({ ...computer, path: z.string(), ...counts, ...space }),
  annotations: changing,
  async handler({ computerId, world, ...params }, context) {
    const { link, result } = await ask(context, { computerId, world }, "delete-file", params);
    return {
      text: joinLines([
        `Deleted ${shown(result.path)} on ${nameOf(link)}: ${countText(result)}.`,
        spaceText(result),
      ]),
      structured: {
        ...computerOf(link),
        path: shown(result.path),
        files: result.files,
        folders: result.folders,
        ...spaceOf(result),
      },
    };
  },
});

const transferInput = z.object({
  ...target,
  from: path.describe("Path of the file or folder, from the root of the computer's disk."),
  to: path.describe("Its new path. An existing folder means: into it, under the same name."),
  overwrite: z.boolean().default(false).describe("Replace a file that is there. Never a folder."),
});

const transferOutput = z.object({
  ...computer,
  from: z.string(),
  to: z.string().describe("Where it is now."),
  replaced: z.boolean().describe("Whether a file was replaced."),
  ...counts,
  ...space,
});

/** move-file and copy-file differ in what they leave behind. */
function transferTool(verb: "move" | "copy", title: string, description: string) {
  const method = `${verb}-file` as const;
  return defineTool({
    name: method,
    title,
    description,
    input: transferInput,
    output: transferOutput,
    annotations: changing,
    async handler({ computerId, world, ...params }, context) {
      const { link, result } = await ask(context, { computerId, world }, method, params);
      const done = verb === "move" ? "Moved" : "Copied";
      const replaced = result.replaced === true;
      return {
        text: joinLines([
          `${done} ${shown(result.from)} to ${shown(result.to)} on ${nameOf(link)}: ${countText(result)}${replaced ? ", replacing what was there" : ""}.`,
          spaceText(result),
        ]),
        structured: {
          ...computerOf(link),
          from: shown(result.from),
          to: shown(result.to),
          replaced,
          files: result.files,
          folders: result.folders,
          ...spaceOf(result),
        },
      };
    },
  });
}

export const moveFile = transferTool(
  "move",
  "Move a file of a computer",
  "Moves or renames a file or folder on the disk of a ComputerCraft computer. Missing folders of the new " +
    "path are made. A file that is there already is only replaced with overwrite. To another computer, " +
    "read-file and write-file it.",
);

export const copyFile = transferTool(
  "copy",
  "Copy a file of a computer",
  "Copies a file or folder on the disk of a ComputerCraft computer, also out of the read-only /rom. " +
    "Missing folders of the new path are made. A file that is there already is only replaced with " +
    "overwrite.",
);
