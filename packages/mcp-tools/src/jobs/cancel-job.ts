import { computerName, type JobSnapshot } from "@ccbridge/registry";
import { z } from "zod";
import { actsOnce } from "../core/annotations.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import { findJob, jobId } from "./find.js";
import { JobReportSchema, jobOutcome, outputPage, pageFrom } from "./report.js";

export const cancelJob = defineTool({
  name: "cancel-job",
  title: "Cancel a job",
  description:
    "Stops a job in the game and waits until the computer confirms it. What the code has already " +
    "done stays done.",
  input: z.object({
    jobId,
    cursor: z.int().nonnegative().optional().describe("Show its output from this cursor on."),
  }),
  output: JobReportSchema,
  annotations: actsOnce,
  async handler({ jobId, cursor }, context) {
    const { settings, signal, gone = signal, providers } = context;
    const { jobs } = providers;
    const before = await findJob(context, jobId);
    if (before.ended) {
      return finalReport(context, before, cursor, `It had already ended (${before.state}).`);
    }
    let job = (await jobs.stop(jobId)) ?? before;
    if (!job.abilities.cancel && !job.ended) {
      throw new ToolError(
        `Job ${job.id} on computer ${computerName(job.identity)} cannot be cancelled: its agent is too old, and the code may still be running.`,
        `The player can stop it with Ctrl+T or a reboot. To update the agent: ${settings.linkCommand}`,
      );
    }
    job = (await jobs.wait(jobId, { timeoutMs: settings.cancelGraceMs, signal: gone })) ?? job;
    if (job.ended) return finalReport(context, job, cursor);
    const why = job.linked
      ? `The computer has not confirmed it within ${settings.cancelGraceMs} ms: the code may still be running.`
      : "The link to the computer is down: it will be told to stop when it is back.";
    return finalReport(context, job, cursor, `The job was told to stop. ${why}`);
  },
});

async function finalReport(
  { providers, settings }: ToolContext,
  job: JobSnapshot,
  cursor: number | undefined,
  news?: string,
): Promise<ToolOutcome> {
  const range = pageFrom(cursor ?? Math.max(0, job.outputEnd - 2_000));
  const reading = (await providers.jobs.read(job.id, range)) ?? {
    job,
    output: { text: "", next: job.outputEnd, missed: 0 },
  };
  // For this tool a cancelled job is a success.
  const { isError: _, ...outcome } = jobOutcome(reading.job, outputPage(reading), settings);
  return news === undefined ? outcome : { ...outcome, text: `${news}\n${outcome.text}` };
}
