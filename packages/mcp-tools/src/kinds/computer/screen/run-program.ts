import type { MethodParams, Screen } from "@ccbridge/protocol";
import { JOB_META_KEY } from "@ccbridge/protocol/screen";
import {
  findComputer,
  type JobFailure,
  type JobSnapshot,
  LinkError,
  printable,
} from "@ccbridge/registry";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { timeoutMs, waitMs } from "../../../core/arguments.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline } from "../../../format/set-apart.js";
import { cutEnd } from "../../../format/text.js";
import { ALL_OUTPUT, jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { askComputer, requireMethod } from "../ask.js";
import { computerOf, target } from "../computer.js";
import { JobReportSchema } from "../jobs/report.js";
import { sideFacts } from "../peripherals/redstone.js";
import { reportScreen, ScreenReportSchema, screenText } from "./rows.js";

/** Enough to start or finish, without delaying programs that wait for keys. */
const RUN_WAIT_MS = 2_000;

export const runProgram = defineTool({
  name: "run-program",
  title: "Run a program in a terminal",
  effect: "programs started",
  description:
    "Starts a program as a player would at the prompt, in its own terminal, which nobody in the game " +
    "sees. Returns its output if it ends within waitMs, otherwise its screen and a job id for " +
    "send-input and read-screen. It outlives this conversation and the bridge, and ends when the " +
    "computer reboots.",
  input: z.object({
    ...target,
    command: z
      .string()
      .min(1)
      .max(2_000)
      .describe("As typed at the prompt: `ls`, `edit notes.txt`."),
    width: z.int().min(1).max(200).optional().describe("Columns. Default: the screen's."),
    height: z.int().min(1).max(100).optional().describe("Lines. Default: the screen's."),
    monitor: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe(
        "Show it on this monitor, such as `left` or `monitor_0`. What it drew stays there after it ends.",
      ),
    show: z.boolean().optional().describe("Show it on the computer's own screen, for the player."),
    waitMs: waitMs.describe("Default: 2000, at most 50000."),
    timeoutMs: timeoutMs.describe("Default: never."),
  }),
  output: JobReportSchema.extend({
    screen: ScreenReportSchema.optional().describe("What it shows now, if it is running."),
  }),
  annotations: acts,
  async handler({ computerId, waitMs = RUN_WAIT_MS, timeoutMs, ...params }, context) {
    const computer = await findComputer(context.providers, computerId);
    requireMethod(context, computer, "run-program");
    const reading = await runJob(context, computer.key, {
      method: "run-program",
      params: params satisfies MethodParams<"run-program">,
      summary: summaryOf(params),
      onFailure: programFailure,
      waitMs,
      timeoutMs,
    });
    const screen = reading.job.ended ? undefined : await currentScreen(context, reading.job);
    // Read output again after the screen: the computer sends what scrolled away first.
    const latest =
      screen === undefined
        ? reading
        : ((await context.providers.jobs.read(reading.job.id, ALL_OUTPUT)) ?? reading);
    const outcome = {
      ...jobOutcome(latest.job, wholeOutput(latest), context.settings),
      meta: { [JOB_META_KEY]: latest.job.id },
    };
    if (latest.job.ended) return withEnd(context, outcome, latest.job, params.monitor);
    return screen === undefined ? outcome : withScreen(outcome, screen, place(params));
  },
});

function place({ show, monitor }: { show?: boolean | undefined; monitor?: string | undefined }) {
  if (show === true) {
    return " It is on the computer's own screen, where the player can use it as well.";
  }
  return monitor === undefined ? "" : ` It is on the monitor ${inline(monitor)}.`;
}

async function withEnd(
  context: ToolContext,
  outcome: ToolOutcome,
  job: JobSnapshot,
  monitor: string | undefined,
): Promise<ToolOutcome> {
  const stays = monitor === undefined ? "" : `, which stays on the monitor ${inline(monitor)}`;
  const left = job.state === "done" ? [] : await outputsLeftOn(context, job);
  const lines = [
    outcome.text,
    ...left,
    `It was job ${job.id}; its last screen${stays}: read-screen ${JSON.stringify({ jobId: job.id })}.`,
  ];
  return { ...outcome, text: lines.join("\n") };
}

async function outputsLeftOn(context: ToolContext, job: JobSnapshot): Promise<string[]> {
  try {
    const sides = sideFacts(await askComputer(context, computerOf(job), "redstone", {}));
    const on = sides.filter(({ output, bundledOutput }) => output > 0 || bundledOutput.length > 0);
    if (on.length === 0) return [];
    const names = on.map(({ side, output }) => `${inline(side)} ${output}`).join(", ");
    return [`Redstone outputs of this computer are on, perhaps left on by the program: ${names}.`];
  } catch (error) {
    // It left, or its player does not allow it.
    if (error instanceof ToolError || error instanceof LinkError) return [];
    throw error;
  }
}

const programFailure: JobFailure = {
  code: "program-error",
  hint: "The program ended there; what it did before that is done. Correct the command or the program, then call run-program again.",
};

async function currentScreen(context: ToolContext, job: JobSnapshot): Promise<Screen | undefined> {
  if (job.state !== "running" || !job.linked) return undefined;
  try {
    const { screen } = await askComputer(context, computerOf(job), "read-screen", { job: job.id });
    return screen;
  } catch (error) {
    // The program or its link may have ended just now: the job shows that.
    if (error instanceof ToolError || error instanceof LinkError) return undefined;
    throw error;
  }
}

function withScreen(outcome: ToolOutcome, screen: Screen, where: string): ToolOutcome {
  const report = reportScreen(screen);
  return {
    ...outcome,
    text: `${outcome.text}${where}\n${screenText(report)}`,
    structured: () => ({ ...outcome.structured?.(), screen: report }),
  };
}

function summaryOf({ command, monitor }: MethodParams<"run-program">): string {
  const place = monitor === undefined ? "" : ` on ${monitor}`;
  return cutEnd(printable(`${command.trim()}${place}`), 80);
}
