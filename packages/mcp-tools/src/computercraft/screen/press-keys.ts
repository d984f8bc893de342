import { z } from "zod";
import { acts } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { InputReportSchema, jobId, sendInput, settleMs } from "./input.js";

export const pressKeys = defineTool({
  name: "press-keys",
  title: "Press keys in a program",
  description:
    "Presses keys one after the other in a program that run-program started, and returns its screen a " +
    "moment later. A key is named as in ComputerCraft's `keys` table: enter, backspace, delete, tab, up, " +
    "down, left, right, home, end, pageUp, pageDown, space, f1, a, one ... `ctrl+s` and `ctrl+shift+left` " +
    "hold the first keys while the last is pressed. In `edit`, leftCtrl opens the menu and enter " +
    "picks from it. Each press sends `key`, for keys that write also `char`, and `key_up`. There is no " +
    "escape key. To end a program as Ctrl+T would, use send-event with `terminate`, or cancel-job.",
  input: z.object({
    jobId,
    keys: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(100)
      .describe('The keys in order, such as ["down", "down", "enter"] or ["ctrl+s"].'),
    settleMs,
  }),
  output: InputReportSchema,
  annotations: acts,
  handler: ({ keys, ...where }, context) =>
    sendInput(
      context,
      where,
      keys.map((key) => ({ type: "key", key })),
    ),
});
