import type { MethodName } from "@ccbridge/protocol";
import { type Job, type Link, waitForJob } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "../define-tool.js";
import { jobOutcome, wholeOutput } from "../format/job.js";
import { reportProgress } from "../progress.js";

interface Order {
  method: MethodName;
  params: unknown;
  summary: string;
  waitMs: number | undefined;
  timeoutMs: number | undefined;
}

/** Starts a job, waits for it as long as the caller likes, and tells how it stands then. */
export async function runJob(
  { registry, settings, signal, progress: tell }: ToolContext,
  link: Link,
  { waitMs, ...order }: Order,
): Promise<ToolOutcome> {
  const job: Job = registry.jobs.start(link, order);
  const progress = reportProgress(job, 0, tell);
  const timeoutMs = waitMs ?? settings.execWaitMs;
  await waitForJob(job, { until: () => job.ended, timeoutMs, signal });
  progress.end();
  if (signal.aborted) registry.jobs.stop(job, "cancelled");
  return jobOutcome(job, wholeOutput(job), settings);
}
