import { z } from "zod";
import { acts } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ToolError } from "../../tool/errors.js";
import { isTypable } from "./charset.js";
import { InputReportSchema, jobId, sendInput, settleMs } from "./input.js";

export const typeText = defineTool({
  name: "type-text",
  title: "Type text into a program",
  description:
    "Types text into a program that run-program started, and returns its screen a moment later. Line " +
    "breaks press the enter key, so end a command with one. The program gets `char` events; one that looks " +
    "at keys instead (games, menus, shortcuts) wants press-keys.",
  input: z.object({
    jobId,
    text: z
      .string()
      .min(1)
      .max(2_000)
      .describe("What to type. Characters outside of Latin-1 do not exist in ComputerCraft."),
    settleMs,
  }),
  output: InputReportSchema,
  annotations: acts,
  async handler({ text, ...where }, context) {
    const strange = [...new Set(text)].filter((character) => !isTypable(character));
    if (strange.length > 0) {
      const shown = strange.slice(0, 10).map((character) => JSON.stringify(character));
      throw new ToolError(
        `These characters cannot be typed in ComputerCraft: ${shown.join(" ")}. Nothing was sent.`,
        "Type Latin letters, digits and punctuation; for keys such as arrows or backspace use press-keys.",
      );
    }
    return sendInput(context, where, [{ type: "text", text }]);
  },
});
