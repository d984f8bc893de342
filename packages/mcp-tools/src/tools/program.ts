import { computerName, type Job } from "@ccbridge/registry";
import type { ToolContext } from "../define-tool.js";
import { ToolError } from "../run-tool.js";
import { findJob } from "./jobs.js";

/** A job that has a screen: one of run-program, or one of an earlier bridge, which may be. */
export function findProgram(context: ToolContext, jobId: string): Job {
  const job = findJob(context, jobId);
  if (job.method !== "run-program" && !job.adopted) {
    throw new ToolError(
      `Job ${job.id} on ${computerName(job.identity)} has no screen: it runs ${job.method}.`,
      "Only programs that run-program started have one. Call get-job for the output of this job.",
    );
  }
  if (job.state === "queued") {
    throw new ToolError(
      `${programName(job)} has not begun: other jobs run there.`,
      "Wait for one of them to end, or cancel one; list-jobs shows them.",
    );
  }
  return job;
}

/** What to call a program in an answer. */
export function programName(job: Job): string {
  return `The program of job ${job.id} on ${computerName(job.identity)}`;
}

/** A program that can be acted on now. */
export function findRunningProgram(context: ToolContext, jobId: string): Job {
  const job = findProgram(context, jobId);
  if (!job.ended) return job;
  throw new ToolError(
    `${programName(job)} has ended: it is ${job.state}. Nothing was sent.`,
    "Call read-screen for its last screen, or run-program to start it again.",
  );
}
