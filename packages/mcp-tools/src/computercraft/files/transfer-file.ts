import { z } from "zod";
import { destructive } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import {
  counts,
  countText,
  joinLines,
  nameOf,
  path,
  shown,
  space,
  spaceOf,
  spaceText,
} from "./common.js";

const transferInput = z.object({
  ...target,
  from: path.describe("Path of the file or folder, from the root of the computer's disk."),
  to: path.describe("Its new path. An existing folder means: into it, under the same name."),
  overwrite: z.boolean().default(false).describe("Replace a file that is there. Never a folder."),
});

const transferOutput = z.object({
  ...computerShape,
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
    annotations: destructive,
    async handler({ computerId, ...params }, context) {
      const { computer, result } = await ask(context, computerId, method, params);
      const done = verb === "move" ? "Moved" : "Copied";
      const replaced = result.replaced === true;
      return {
        text: joinLines([
          `${done} ${shown(result.from)} to ${shown(result.to)} on ${nameOf(computer)}: ${countText(result)}${replaced ? ", replacing what was there" : ""}.`,
          spaceText(result),
        ]),
        structured: {
          ...computerFacts(computer),
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
