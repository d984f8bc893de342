import type { JobOrder, JobReading } from "@ccbridge/registry";
import type { ToolContext } from "../core/define.js";
import { reportProgress } from "./progress.js";
import { ALL_OUTPUT } from "./report.js";

export async function runJob(
  { providers: { jobs }, settings, signal, gone = signal, progress: notify }: ToolContext,
  key: string,
  order: JobOrder & { readonly waitMs?: number | undefined },
): Promise<JobReading> {
  const job = await jobs.start(key, order);
  const progress = reportProgress(jobs, { id: job.id, cursor: 0 }, notify);
  const timeoutMs = order.waitMs ?? settings.execWaitMs;
  const reading = await jobs.read(job.id, ALL_OUTPUT, { timeoutMs, signal: gone });
  progress.end();
  if (signal.aborted) await jobs.stop(job.id);
  return reading ?? { job, output: { text: "", next: 0, missed: 0 } };
}
