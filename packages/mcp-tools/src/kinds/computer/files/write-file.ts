import { z } from "zod";
import { destructive } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { inline } from "../../../format/set-apart.js";
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

export const writeFile = defineTool({
  name: "write-file",
  title: "Write a file on a computer",
  description:
    "Writes a whole file on a computer's disk, or appends to it; missing folders are created. For " +
    "small changes use edit-file.",
  input: z.object({
    ...target,
    path,
    content: z.string().describe("The text, or base64 if encoding says so."),
    encoding: z
      .enum(["text", "base64"])
      .default("text")
      .describe("base64 writes exact bytes, for images and other data."),
    append: z.boolean().default(false).describe("Append to the file instead."),
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
