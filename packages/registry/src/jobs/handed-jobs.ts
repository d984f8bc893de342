import type { HandedJob, Job } from "./job.js";
import type { QueuedJob } from "./job-queues.js";
import type { JobSaver } from "./job-saver.js";
import type { KeptJobs } from "./kept-jobs.js";
import type { JobTimers } from "./timers.js";

/** Where jobs are begun instead. */
export interface JobsElsewhere {
  /** Returns why it was not begun, or is not known to be. */
  begin(job: HandedJob): Promise<string | undefined>;
  stop(id: string): void;
}

interface Parts {
  readonly saver: JobSaver;
  readonly kept: KeptJobs;
  readonly timers: JobTimers;
  lose(job: Job, note: string): void;
}

const HANDED =
  "It was handed over to the bridge that its provider is linked to. It may have run there.";

/** One after the other, as they waited. Each is given up here, for good, before it may begin elsewhere. */
export async function handOver(
  waiting: readonly QueuedJob[],
  { begin, stop }: JobsElsewhere,
  { saver, kept, timers, lose }: Parts,
): Promise<void> {
  for (const { job, params } of waiting) {
    await saver.handedOver(job, HANDED);
    if (job.ended) continue;
    const { id, method, summary, isProgram, onFailure, stopAt, trace, client } = job;
    const problem = await begin({
      ...{ id, method, params, summary: summary ?? "", isProgram, onFailure, trace, client },
      timeoutMs: stopAt === undefined ? undefined : Math.max(0, stopAt - Date.now()),
    });
    if (problem !== undefined) {
      if (!job.ended) lose(job, problem);
      continue;
    }
    // It was stopped here while it was under way.
    if (job.ended) stop(id);
    timers.clear(job, "time-out", "return");
    kept.drop(job);
    job.leave();
  }
}
