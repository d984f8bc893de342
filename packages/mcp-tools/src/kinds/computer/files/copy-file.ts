import { findComputer } from "@ccbridge/registry";
import { z } from "zod";
import { destructive } from "../../../core/annotations.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline } from "../../../format/set-apart.js";
import { type Computer, computerFacts, computerShape, target } from "../computer.js";
import { askComputer } from "../undo/ask.js";
import { writeWhole } from "../undo/write-whole.js";
import { readWhole, WholeFileError } from "../whole-file.js";
import {
  counts,
  countText,
  hash,
  joinLines,
  path,
  shown,
  space,
  spaceOf,
  spaceText,
  startupText,
} from "./common.js";
import { copyFolder, isFolder } from "./copy-folder.js";

export const copyFile = defineTool({
  name: "copy-file",
  title: "Copy or move a file",
  effect: "files written",
  description:
    "Copies a file or folder on a computer's disk; `move` moves or renames it, `toComputer` " +
    "copies it to another computer, where equal files stay as they are. Missing folders are created.",
  input: z.object({
    ...target,
    from: path.describe("The file or folder, from the root of the disk."),
    to: path.meta({
      description:
        "The new path, or an existing folder to put it in. A folder for toComputer is merged into it.",
      obvious: false,
    }),
    toComputer: target.computerId
      .optional()
      .meta({ description: "Copy it to this computer's disk.", obvious: true }),
    move: z
      .boolean()
      .default(false)
      .meta({ description: "Delete the original afterwards.", obvious: true }),
    overwrite: z
      .boolean()
      .default(false)
      .meta({ description: "Replace existing files.", obvious: true }),
    except: z
      .array(z.string().min(1).max(200))
      .max(50)
      .optional()
      .describe("Of a folder for toComputer: names to leave out, such as `local.cfg`, `*.log`."),
  }),
  output: z.object({
    ...computerShape,
    from: z.string(),
    to: z.string().describe("Where it is now."),
    toComputerId: z.int(),
    replaced: z.boolean().describe("Whether a file was replaced."),
    hash: hash.optional(),
    ...counts,
    ...space,
  }),
  annotations: destructive,
  async handler({ computerId, toComputer, move, except = [], ...paths }, context) {
    const source = await findComputer(context.providers, computerId);
    const there =
      toComputer === undefined ? source : await findComputer(context.providers, toComputer);
    const isAcross = there.key !== source.key;
    if (isAcross && (await isFolder(context, source, paths.from))) {
      if (!move) return copyFolder(context, { source, there, ...paths, except });
      throw new ToolError(
        `${shown(paths.from)} is a folder, which cannot be moved to another computer. Nothing was done.`,
        "Copy it without move, then delete the original with delete-file.",
      );
    }
    if (except.length > 0) {
      throw new ToolError(
        "except is for copying a folder to another computer. Nothing was copied.",
        "Leave except out, or name a folder and toComputer.",
      );
    }
    if (!isAcross) return within(context, source, { ...paths, move });
    return across(context, { source, there, ...paths, move });
  },
});

interface Paths {
  from: string;
  to: string;
  overwrite: boolean;
  move: boolean;
}

async function within(
  context: ToolContext,
  computer: Computer,
  { move, ...params }: Paths,
): Promise<ToolOutcome> {
  const method = move ? "move-file" : "copy-file";
  const result = await askComputer(context, computer, method, params);
  const replaced = result.replaced === true;
  const { from, to } = result;
  return {
    text: joinLines([
      `${move ? "Moved" : "Copied"} ${shown(from)} to ${shown(to)} on ${computer.name}: ${countText(result)}${replaced ? ", replacing what was there" : ""}.`,
      startupText(result.to),
      spaceText(result),
    ]),
    structured: () => ({
      ...computerFacts(computer),
      ...{ from, to, replaced, files: result.files, folders: result.folders },
      toComputerId: computer.provider.computerId,
      ...spaceOf(result),
    }),
  };
}

async function across(
  context: ToolContext,
  { source, there, from, to, overwrite, move }: Paths & { source: Computer; there: Computer },
): Promise<ToolOutcome> {
  const bytes = await readWhole(context, source, from).catch((error) => {
    if (!(error instanceof WholeFileError)) throw error;
    throw new ToolError(
      `${shown(from)} on ${source.name} cannot be copied: ${error.message}.`,
      "Nothing was written. Copy it again, or in parts with read-file and write-file.",
    );
  });
  const target = (await isExistingFolder(context, there, to)) ? `${to}/${nameOf(from)}` : to;
  const expectedHash = overwrite ? undefined : "absent";
  const written = await writeWhole(context, there, target, { bytes, expectedHash });
  if (move)
    await askComputer(context, source, "delete-file", { path: from, expectedHash: written.hash });
  const { path, hash } = written;
  const replaced = written.created !== true;
  return {
    text: joinLines([
      `${move ? "Moved" : "Copied"} ${shown(from)} on ${source.name} to ${shown(path)} on ${there.name}: ${bytes.length} bytes, hash ${inline(hash)}${replaced ? ", replacing what was there" : ""}.`,
      startupText(path),
      spaceText(written),
    ]),
    structured: () => ({
      ...computerFacts(source),
      ...{ from, to: path, replaced, hash, files: 1, folders: 0 },
      toComputerId: there.provider.computerId,
      ...spaceOf(written),
    }),
  };
}

const nameOf = (path: string) => path.replace(/\/+$/, "").replace(/^.*\//, "");

async function isExistingFolder(
  context: ToolContext,
  computer: Computer,
  path: string,
): Promise<boolean> {
  try {
    return await isFolder(context, computer, path);
  } catch (error) {
    // The destination does not exist yet.
    if (error instanceof ToolError) return false;
    throw error;
  }
}
