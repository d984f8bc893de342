import type { Screen } from "@ccbridge/protocol";
import { computerName, type JobSnapshot } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import type { Computer } from "../computer.js";

export async function lastProgram(
  { providers }: ToolContext,
  { key }: Computer,
): Promise<JobSnapshot | undefined> {
  const newest = (await providers.jobs.list()).findLast(
    (job) => job.key === key && job.method === "run-program",
  );
  const job = newest?.ended === true ? await providers.jobs.get(newest.id) : undefined;
  return job !== undefined && screenOf(job) !== undefined ? job : undefined;
}

export function screenOf({ response }: JobSnapshot): Screen | undefined {
  return response?.result.screen;
}

export function lastScreen(job: JobSnapshot): Screen {
  const screen = screenOf(job);
  if (screen !== undefined) return screen;
  throw new ToolError(
    `Job ${job.id} on ${computerName(job.identity)} is ${job.state}, and its last screen is unknown.`,
    `Call get-job ${JSON.stringify({ jobId: job.id })} for what it printed, or run-program to start it again.`,
  );
}
