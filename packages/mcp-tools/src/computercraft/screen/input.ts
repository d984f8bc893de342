import type { InputStep } from "@ccbridge/protocol";
import { computerName } from "@ccbridge/registry";
import { z } from "zod";
import type { ToolContext, ToolOutcome } from "../../tool/define.js";
import { askComputer } from "../ask.js";
import { computerFacts, computerOf, computerShape } from "../computer.js";
import { findRunningProgram } from "./program.js";
import { reportScreen, ScreenReportSchema, screenText } from "./rows.js";

export const jobId = z
  .string()
  .min(1)
  .describe("The running program's job, as run-program gave it.");
export const settleMs = z
  .int()
  .min(50)
  .max(10_000)
  .default(100)
  .describe(
    "How long the program has to react before its screen is read, in milliseconds. Default: 100. More for " +
      "one that works before it draws.",
  );

export const InputReportSchema = z.object({
  ...computerShape,
  jobId: z.string(),
  sent: z.int().describe("How many events that were."),
  waiting: z
    .int()
    .describe("How many of all sent events the program has not taken yet: it is busy."),
  ended: z.boolean().describe("Whether the program is over now."),
  screen: ScreenReportSchema.describe("What it shows now."),
});

/** Hands input to a program and tells what it shows then. */
export async function sendInput(
  context: ToolContext,
  { jobId, settleMs }: { jobId: string; settleMs: number },
  steps: InputStep[],
): Promise<ToolOutcome> {
  const job = await findRunningProgram(context, jobId);
  const params = { job: job.id, steps, settle: settleMs / 1_000 };
  const result = await askComputer(context, computerOf(job), "send-input", params);
  const { sent, waiting, ended } = result;
  const screen = reportScreen(result.screen);
  const text = [
    `Sent ${sent} ${sent === 1 ? "event" : "events"} to job ${job.id} on ${computerName(job.identity)}.`,
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
      ...computerFacts(job),
      jobId: job.id,
      sent,
      waiting,
      ended,
      screen,
    },
  };
}
