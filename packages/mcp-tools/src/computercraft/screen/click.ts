import { z } from "zod";
import { acts } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { InputReportSchema, jobId, sendInput, settleMs } from "./input.js";

export const click = defineTool({
  name: "click",
  title: "Click in a program",
  description:
    "Clicks at a place on the screen of a program that run-program started, and returns its screen a " +
    "moment later. The program gets `mouse_click` and `mouse_up`. Places count from 1,1 at the top left, as " +
    "read-screen shows them. For other uses of the mouse (`mouse_drag`, `mouse_scroll`) and for " +
    "`monitor_touch` use send-event.",
  input: z.object({
    jobId,
    x: z.int().min(1).describe("The column, from 1 at the left."),
    y: z.int().min(1).describe("The line, from 1 at the top, as read-screen numbers them."),
    button: z
      .enum(["left", "right", "middle"])
      .default("left")
      .describe("Which mouse button. Default: left."),
    settleMs,
  }),
  output: InputReportSchema,
  annotations: acts,
  handler: ({ x, y, button, ...where }, context) =>
    sendInput(context, where, [{ type: "click", x, y, button: buttons[button] }]),
});

const buttons = { left: 1, right: 2, middle: 3 } as const;
