import { z } from "zod";
import { acts } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ToolError } from "../../tool/errors.js";
import { InputReportSchema, jobId, sendInput, settleMs } from "./input.js";

const MAX_ARGS_LENGTH = 16_384;

export const sendEvent = defineTool({
  name: "send-event",
  title: "Send an event to a program",
  description:
    "Sends any event with arguments to a program that run-program started, and only to it, as if the game " +
    "had: `terminate` ends it as Ctrl+T does, `paste` with a text pastes, `mouse_scroll` with -1 or 1, x " +
    "and y scrolls, `redstone`, `rednet_message` or a name of its own test how it reacts. Returns its " +
    "screen a moment later. A program that waits for something else gets the event when it waits for it.",
  input: z.object({
    jobId,
    name: z.string().min(1).max(64).describe("The event's name, such as `terminate`."),
    args: z
      .array(z.unknown())
      .max(32)
      .default([])
      .describe(
        "Its arguments: texts, numbers, true or false, null for nil, lists and objects for tables.",
      ),
    settleMs,
  }),
  output: InputReportSchema,
  annotations: acts,
  async handler({ name, args, ...where }, context) {
    if (JSON.stringify(args).length > MAX_ARGS_LENGTH) {
      throw new ToolError(
        `The arguments are larger than ${MAX_ARGS_LENGTH} characters. Nothing was sent.`,
        "Send less, or write it to a file that the program reads.",
      );
    }
    return sendInput(context, where, [{ type: "event", name, args, count: args.length }]);
  },
});
