import type { InputStep } from "@ccbridge/protocol";
import { isTypable } from "@ccbridge/protocol/screen";
import { cutLength, printable } from "@ccbridge/registry";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { MAX_WAIT_MS } from "../../../core/arguments.js";
import { defineTool, type ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { quoted } from "../../../format/set-apart.js";
import { list } from "../../../format/text.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { jobId } from "../jobs/report.js";
import { quickly, requireMethod, resultOf } from "../request.js";
import { endOf, findTerminal, howItEnded, isNotShared, notSharedError } from "./program.js";
import { reportScreen, ScreenReportSchema, screenText } from "./rows.js";
import { awaitScreen, waitFor } from "./screen-states.js";

const MAX_ARGS_LENGTH = 16_384;
const SETTLE_SECONDS = 0.15;
const LEAST_SETTLE_SECONDS = 0.05;

const buttons = { left: 1, right: 2, middle: 3 } as const;

const step = z.object({
  text: z
    .string()
    .min(1)
    .max(2_000)
    .optional()
    .describe('Text to type. A line break ("\\n") presses enter.'),
  key: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("A key: enter, backspace, tab, up, pageDown, f1, ctrl+s ..."),
  click: z
    .object({
      x: z.int().min(1).max(1_000),
      y: z.int().min(1).max(1_000),
      button: z.enum(["left", "right", "middle"]).optional(),
    })
    .optional()
    .describe("A click at a column and line, from 1,1 at the top left."),
  event: z
    .string()
    .min(1)
    .max(64)
    .optional()
    .describe("Any other event: terminate (as Ctrl+T), paste, mouse_scroll ..."),
  args: z.array(z.unknown()).max(32).optional().describe("The event's arguments; null is nil."),
});

type Step = z.infer<typeof step>;

export const sendInput = defineTool({
  name: "send-input",
  title: "Type, press keys, click",
  effect: "input sent",
  description:
    "Types, presses keys, clicks or sends events, in order, to a program that run-program " +
    "started, or to the screen a player shares. A sleeping program gets the input when it wakes. " +
    "Returns the screen.",
  input: z.object({
    jobId: jobId.optional().meta({ description: "The program's job.", obvious: true }),
    computerId: target.computerId
      .optional()
      .describe("Instead of jobId: a computer whose player shares its screen."),
    steps: z
      .array(step)
      .min(1)
      .max(100)
      .describe(
        'What to do, one thing per step: [{"text":"yes\\n"}], [{"key":"down"},{"key":"enter"}].',
      ),
    waitFor,
    waitMs: z
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .optional()
      .describe(
        "Wait up to this long for waitFor, or for any change. Default: 150, with waitFor 10000.",
      ),
  }),
  output: z.object({
    ...computerShape,
    jobId: z.string().nullable(),
    ended: z.boolean().describe("Whether the program has ended."),
    found: z.boolean().nullable().describe("Whether waitFor appeared in time."),
    cleared: z.boolean().describe("Whether the player's unfinished line was removed first."),
    screen: ScreenReportSchema.describe("What it shows now."),
  }),
  annotations: acts,
  async handler({ jobId, computerId, steps, waitFor, waitMs }, context) {
    const terminal = await findTerminal(context, "send-input", { jobId, computerId });
    const wanted = steps.map(readStep);
    const { computer, job } = terminal;
    requireMethod(context, computer, "send-input");
    const params = {
      ...(job === undefined ? {} : { job }),
      steps: wanted,
      // The player at a shared prompt sees who types.
      ...(context.client === undefined ? {} : { by: cutLength(printable(context.client), 64) }),
      settle: settleSeconds(waitMs),
    };
    const patience = quickly(context);
    const answer = await context.providers.request(computer.key, "send-input", params, patience);
    if (!answer.ok && job === undefined && isNotShared(answer.error)) {
      throw await notSharedError(context, computer);
    }
    const sent = resultOf(context, computer, "send-input", answer);
    const { screen, waiting, ended, found } = await awaitScreen(context, terminal, sent, {
      waitFor,
      waitMs,
    });
    const report = reportScreen(screen);
    const end = ended && job !== undefined ? await endText(context, job) : undefined;
    const text = [
      sent.cleared === true
        ? "The player had typed something at the prompt without entering it; that was removed first."
        : undefined,
      `Sent ${steps.length === 1 ? "1 step" : `${steps.length} steps`} to ${terminal.name}.`,
      ended || found === true ? undefined : notTaken(waiting),
      found === false ? `${quoted(waitFor ?? "", 200)} has not appeared.` : undefined,
      end === undefined ? undefined : `The program has ended (${end}). Its last screen:`,
      screenText(report),
    ];
    return {
      text: text.filter((part) => part !== undefined).join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        jobId: job ?? null,
        ended,
        found: found ?? null,
        cleared: sent.cleared === true,
        screen: report,
      }),
    };
  },
});

function settleSeconds(waitMs: number | undefined): number {
  if (waitMs === undefined) return SETTLE_SECONDS;
  return Math.min(SETTLE_SECONDS, Math.max(LEAST_SETTLE_SECONDS, waitMs / 1_000));
}

function notTaken(waiting = 0): string | undefined {
  if (waiting === 0) return undefined;
  const inputs = waiting === 1 ? "the last input" : `the last ${waiting} inputs`;
  return `It is busy (sleeping, computing or moving) and has not taken ${inputs} yet. The input is kept for it: do not send it again; look later with read-screen.`;
}

async function endText(context: ToolContext, job: string): Promise<string> {
  const snapshot = await endOf(context, job);
  return snapshot?.ended === true
    ? howItEnded(snapshot)
    : `get-job ${JSON.stringify({ jobId: job })} says how`;
}

function readStep(given: Step, index: number): InputStep {
  const { args = [], ...kinds } = given;
  const named = Object.keys(kinds);
  if (named.length !== 1 || (given.args !== undefined && given.event === undefined)) {
    const what = named.length === 0 ? "says nothing to do" : `has ${list(named, "and")} at once`;
    throw new ToolError(
      `Step ${index + 1} ${given.args === undefined ? what : "has args, which only an event takes"}. Nothing was sent.`,
      "Give each step exactly one of text, key, click and event (with args).",
    );
  }
  if (given.text !== undefined) return { type: "text", text: typable(given.text) };
  if (given.key !== undefined) return { type: "key", key: given.key };
  if (given.click !== undefined) {
    const { x, y, button = "left" } = given.click;
    return { type: "click", x, y, button: buttons[button] };
  }
  if (JSON.stringify(args).length > MAX_ARGS_LENGTH) {
    throw new ToolError(
      `The arguments of step ${index + 1} are larger than ${MAX_ARGS_LENGTH} characters. Nothing was sent.`,
      "Send less, or write it to a file that the program reads.",
    );
  }
  return { type: "event", name: given.event ?? "", args, count: args.length };
}

function typable(text: string): string {
  const strange = [...new Set(text)].filter((character) => !isTypable(character));
  if (strange.length === 0) return text;
  const shown = strange.slice(0, 10).map((character) => quoted(character));
  throw new ToolError(
    `These characters cannot be typed in ComputerCraft: ${shown.join(" ")}. Nothing was sent.`,
    "Type Latin letters, digits and punctuation; press other keys with a key step.",
  );
}
