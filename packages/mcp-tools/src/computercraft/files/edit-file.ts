import { z } from "zod";
import { destructive } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import {
  expectedHash,
  hash,
  joinLines,
  nameOf,
  path,
  plural,
  shown,
  size,
  space,
  spaceOf,
  spaceText,
} from "./common.js";
import { sendable } from "./sendable.js";

export const editFile = defineTool({
  name: "edit-file",
  title: "Edit a file on a computer",
  description:
    "Replaces a piece of text in a file on a computer's disk. Nothing changes unless oldText occurs " +
    "exactly as given and only once (or replaceAll is set).",
  input: z.object({
    ...target,
    path,
    oldText: z.string().min(1).describe("The exact text to replace, including whitespace."),
    newText: z.string().describe("What to put in its place; empty to delete it."),
    replaceAll: z.boolean().default(false).describe("Replace every occurrence."),
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
  async handler({ computerId, oldText, newText, ...params }, context) {
    const { computer, result } = await ask(context, computerId, "edit-file", {
      ...params,
      ...sendable({ oldText, newText }),
    });
    const { lines, replaced } = result;
    const at = `${lines.length === 1 ? "line" : "lines"} ${lines.join(", ")}`;
    const times = replaced === 1 ? "" : `${replaced} times, `;
    return {
      text: joinLines([
        `Edited ${shown(result.path)} on ${nameOf(computer)}: ${times}${at}; now ${plural(result.size, "byte")}, hash ${result.hash}`,
        spaceText(result),
      ]),
      structured: {
        ...computerFacts(computer),
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
