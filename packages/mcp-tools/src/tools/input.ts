import type { InputStep } from "@ccbridge/protocol";
import { computerName } from "@ccbridge/registry";
import { z } from "zod";
import { ask } from "../ask.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../define-tool.js";
import { ToolError } from "../run-tool.js";
import { isTypable } from "../screen/charset.js";
import { reportScreen, ScreenReportSchema, screenText } from "../screen/rows.js";
import { findRunningProgram } from "./program.js";
import { targetOf } from "./target.js";

const MAX_ARGS_LENGTH = 16_384;

const jobId = z.string().min(1).describe("The running program's job, as run-program gave it.");
const settleMs = z
  .int()
  .min(50)
  .max(10_000)
  .default(100)
  .describe(
    "How long the program has to react before its screen is read, in milliseconds. Default: 100. More for " +
      "one that works before it draws.",
  );

const InputReportSchema = z.object({
  computerId: z.int(),
  label: z.string().nullable(),
  jobId: z.string(),
  sent: z.int().describe("How many events that were."),
  waiting: z
    .int()
    .describe("How many of all sent events the program has not taken yet: it is busy."),
  ended: z.boolean().describe("Whether the program is over now."),
  screen: ScreenReportSchema.describe("What it shows now."),
});

const acting = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: false,
  openWorldHint: true,
} as const;

/** Hands input to a program and tells what it shows then. */
async function act(
  context: ToolContext,
  { jobId, settleMs }: { jobId: string; settleMs: number },
  steps: InputStep[],
): Promise<ToolOutcome> {
  const job = findRunningProgram(context, jobId);
  const params = { job: job.id, steps, settle: settleMs / 1_000 };
  const { result } = await ask(context, targetOf(job), "send-input", params);
  const { sent, waiting, ended } = result;
  const screen = reportScreen(result.screen);
  const { identity } = job;
  const text = [
    `Sent ${sent} ${sent === 1 ? "event" : "events"} to job ${job.id} on ${computerName(identity)}.`,
    waiting === 0 || ended
      ? undefined
      : `${waiting} wait until the program takes input again: it sleeps, computes or moves. Look later with read-screen.`,
    ended
      ? `The program has ended: get-job ${JSON.stringify({ jobId: job.id })} tells how. Its last screen:`
      : undefined,
    screenText(screen),
  ];
  return {
    text: text.filter((part) => part !== undefined).join("\n"),
    structured: {
      computerId: identity.computerId,
      label: identity.label,
      jobId: job.id,
      sent,
      waiting,
      ended,
      screen,
    },
  };
}

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
  annotations: acting,
  async handler({ text, ...where }, context) {
    const strange = [...new Set(text)].filter((character) => !isTypable(character));
    if (strange.length > 0) {
      const shown = strange.slice(0, 10).map((character) => JSON.stringify(character));
      throw new ToolError(
        `These characters cannot be typed in ComputerCraft: ${shown.join(" ")}. Nothing was sent.`,
        "Type Latin letters, digits and punctuation; for keys such as arrows or backspace use press-keys.",
      );
    }
    return act(context, where, [{ type: "text", text }]);
  },
});

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
  annotations: acting,
  handler: ({ keys, ...where }, context) =>
    act(
      context,
      where,
      keys.map((key) => ({ type: "key", key })),
    ),
});

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
  annotations: acting,
  handler: ({ x, y, button, ...where }, context) =>
    act(context, where, [{ type: "click", x, y, button: buttons[button] }]),
});

const buttons = { left: 1, right: 2, middle: 3 } as const;

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
  annotations: acting,
  async handler({ name, args, ...where }, context) {
    if (JSON.stringify(args).length > MAX_ARGS_LENGTH) {
      throw new ToolError(
        `The arguments are larger than ${MAX_ARGS_LENGTH} characters. Nothing was sent.`,
        "Send less, or write it to a file that the program reads.",
      );
    }
    return act(context, where, [{ type: "event", name, args, count: args.length }]);
  },
});
