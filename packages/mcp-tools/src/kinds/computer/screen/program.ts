import { computerName, type JobSnapshot } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline } from "../../../format/set-apart.js";
import { findJob } from "../jobs/find.js";

/** A run-program job, or one of an earlier bridge whose method is unknown. */
export async function findProgram(context: ToolContext, jobId: string): Promise<JobSnapshot> {
  const job = await findJob(context, jobId);
  if (job.method !== "run-program" && !job.adopted) {
    throw new ToolError(
      `Job ${job.id} on ${computerName(job.identity)} has no screen: it is a job of ${job.method}.`,
      "Only programs that run-program started have one. Call get-job for the output of this job.",
    );
  }
  if (job.state === "queued") {
    throw new ToolError(
      `${programName(job)} has not started: other jobs are running there.`,
      "Wait for one of them to end, or cancel one; list-jobs shows them.",
    );
  }
  return job;
}

export function programName(job: JobSnapshot): string {
  return `The program of job ${job.id} on ${computerName(job.identity)}`;
}

export function howItEnded({ state, response }: JobSnapshot): string {
  if (state !== "failed" || response === undefined || response.ok) return state;
  return `failed: ${inline(response.error, 200)}`;
}

const END_WAIT_MS = 500;

/** The program has ended, but its response may still be on its way. */
export function endOf(
  { providers, signal }: ToolContext,
  job: string,
): Promise<JobSnapshot | undefined> {
  return providers.jobs.wait(job, { timeoutMs: END_WAIT_MS, signal });
}

export async function findRunningProgram(
  context: ToolContext,
  jobId: string,
): Promise<JobSnapshot> {
  const job = await findProgram(context, jobId);
  if (!job.ended) return job;
  throw new ToolError(
    `${programName(job)} has ended (${howItEnded(job)}). Nothing was sent.`,
    "Call read-screen for its last screen, or run-program to start it again.",
  );
}
