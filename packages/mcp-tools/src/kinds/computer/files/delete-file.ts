import { z } from "zod";
import { destructive } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import {
  counts,
  countText,
  expectedHash,
  joinLines,
  nameOf,
  path,
  shown,
  space,
  spaceOf,
  spaceText,
} from "./common.js";

export const deleteFile = defineTool({
  name: "delete-file",
  title: "Delete a file on a computer",
  description: "Deletes a file or folder on a computer's disk. This cannot be undone.",
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
