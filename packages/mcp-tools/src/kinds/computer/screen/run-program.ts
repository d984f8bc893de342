import type { MethodParams, Screen } from "@ccbridge/protocol";
import { JOB_META_KEY } from "@ccbridge/protocol/screen";
import {
  type ComputerView,
  findComputer,
  type JobFailure,
  type JobReading,
  type JobSnapshot,
  LinkError,
  LinkErrorCode,
  printable,
} from "@ccbridge/registry";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { timeoutMs, waitMs } from "../../../core/arguments.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline } from "../../../format/set-apart.js";
import { capital, cutEnd } from "../../../format/text.js";
import { ALL_OUTPUT, jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { computerOf, target } from "../computer.js";
import { withOutputsLeftOn } from "../jobs/left-on.js";
import { JobReportSchema } from "../jobs/report.js";
import { requireMethod } from "../request.js";
import { askComputer } from "../undo/ask.js";
import { addBootProgram, listBootPrograms, removeBootProgram } from "./boot-programs.js";
import { reportScreen, ScreenReportSchema, screenText } from "./rows.js";

/** Enough to start or finish, without delaying programs that wait for keys. */
const RUN_WAIT_MS = 2_000;

export const runProgram = defineTool({
  name: "run-program",
  title: "Run a program in a terminal",
  effect: "programs started",
  description:
    "Starts a program as a player would at the prompt, in a hidden terminal. Returns its output if it " +
    "ends within waitMs, otherwise its screen and a job id for send-input and read-screen. It outlives " +
    "this conversation and the bridge, and ends when the computer reboots (see atBoot).",
  input: z.object({
    ...target,
    command: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .describe("As typed at the prompt: `edit notes.txt`."),
    width: z.int().min(1).max(200).optional().describe("Columns. Default: the screen's."),
    height: z.int().min(1).max(100).optional().describe("Lines. Default: the screen's."),
    monitor: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe("Show it on this monitor, such as `monitor_0`, where it stays after its end."),
    show: z.boolean().optional().describe("Show it on the computer's own screen, for the player."),
    atBoot: z
      .boolean()
      .optional()
      .describe(
        "true: start it now and at every boot; without command: list those. false: no longer at boot.",
      ),
    waitMs: waitMs.describe("Default: 2000."),
    timeoutMs: timeoutMs.describe("Default: never."),
  }),
  output: JobReportSchema.extend({
    screen: ScreenReportSchema.optional().describe("What it shows now, if it is running."),
    atBoot: z.array(z.string()).optional().describe("The commands that start at boot."),
  }),
  annotations: acts,
  async handler({ computerId, waitMs = RUN_WAIT_MS, timeoutMs, atBoot, ...wanted }, context) {
    const computer = await findComputer(context.providers, computerId);
    requireMethod(context, computer, "run-program");
    const { command } = wanted;
    if (command === undefined) {
      if (atBoot === true) return listBootPrograms(context, computer);
      throw new ToolError(
        "run-program needs a command.",
        "Pass what a player would type at the prompt. With atBoot true and no command it lists what starts at boot.",
      );
    }
    if (atBoot === false) return removeBootProgram(context, computer, command);
    const params = { ...wanted, command } satisfies MethodParams<"run-program">;
    if (atBoot === true) {
      requireMethod(context, computer, "boot-programs");
      if (params.show === true) {
        throw new ToolError(
          "The computer's own screen is not free at boot. Nothing was started.",
          "Leave out show, or name a monitor.",
        );
      }
    }
    const reading = await runJob(context, computer.key, {
      method: "run-program",
      params,
      summary: summaryOf(params),
      isProgram: true,
      onFailure: programFailure,
      waitMs,
      timeoutMs,
    }).catch((error: unknown) => refusedProgram(context, computer, error));
    const outcome = await report(context, reading, params);
    if (atBoot !== true) return outcome;
    if (reading.job.ended && reading.job.state !== "done") {
      return { ...outcome, text: `${outcome.text}\nIt failed, so it was not added to the boot.` };
    }
    const { show: _, ...program } = params;
    const note = await addBootProgram(context, computer, program);
    return { ...outcome, text: `${outcome.text}\n${note}` };
  },
});

async function report(
  context: ToolContext,
  reading: JobReading,
  params: MethodParams<"run-program">,
): Promise<ToolOutcome> {
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
  return screen === undefined ? outcome : withScreen(outcome, screen, place(params, screen));
}

/** A program is not queued behind others, which may wait for input for ever. */
async function refusedProgram(
  { providers: { jobs } }: ToolContext,
  { key }: ComputerView,
  error: unknown,
): Promise<never> {
  if (!(error instanceof LinkError) || error.code !== LinkErrorCode.tooManyPrograms) throw error;
  const running = (await jobs.list()).filter((job) => job.key === key && job.isProgram);
  const open = running.filter(({ ended }) => !ended);
  const names = open.map(
    ({ id, summary }) => `${id}${summary === null ? "" : ` (${inline(summary, 40)})`}`,
  );
  throw new ToolError(
    `${capital(error.message)}: ${names.join(", ")}. Nothing was started.`,
    `End one of them first, such as cancel-job ${JSON.stringify({ jobId: open[0]?.id })}.`,
  );
}

function place({ show, monitor }: MethodParams<"run-program">, { width, height }: Screen) {
  if (show === true) {
    return " It is on the computer's own screen, where the player can use it as well.";
  }
  if (monitor === undefined) return "";
  return ` It is on the monitor ${inline(monitor)} and has ${width}x${height} characters there.`;
}

async function withEnd(
  context: ToolContext,
  outcome: ToolOutcome,
  job: JobSnapshot,
  monitor: string | undefined,
): Promise<ToolOutcome> {
  const stays = monitor === undefined ? "" : `, which stays on the monitor ${inline(monitor)}`;
  const { text } = await withOutputsLeftOn(context, job, outcome);
  const screen = `its last screen${stays}: read-screen ${JSON.stringify({ jobId: job.id })}`;
  return { ...outcome, text: `${text}\nIt was job ${job.id}; ${screen}.` };
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
