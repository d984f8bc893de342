import type { JobRow, TopicData } from "@ccbridge/protocol/dashboard";
import type { JobSummary } from "@ccbridge/registry";
import type { SharedWatches } from "./shared.js";
import { type Watch, watchShared } from "./watch.js";

const MAX_SHOWN = 100;

export function watchJobs(
  shared: SharedWatches,
  key: string,
  ready: () => void,
): Watch<TopicData<"jobs">> {
  let known: string | undefined;
  return watchShared<readonly JobSummary[], TopicData<"jobs">>(
    ready,
    (notify) => shared.jobs(notify),
    (all) => {
      const own = all.filter((job) => job.key === key);
      const jobs = own.slice(-MAX_SHOWN).reverse().map(rowOf);
      const text = JSON.stringify(jobs);
      // A job began or ended elsewhere.
      if (text === known) return undefined;
      known = text;
      return { jobs };
    },
  );
}

function rowOf(job: JobSummary): JobRow {
  const { id, method, summary, state, ended, stopping, createdAt, abilities, note, progress } = job;
  return {
    id,
    method,
    summary,
    state,
    ended,
    stopping: stopping !== undefined,
    createdAt,
    startedAt: job.startedAt ?? null,
    endedAt: job.endedAt ?? null,
    note: note ?? null,
    mayStop: abilities.cancel && !ended,
    progress: progress === undefined ? null : progressText(progress),
    trace: job.trace ?? null,
  };
}

function progressText({ progress, total, message }: NonNullable<JobSummary["progress"]>): string {
  const amount = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${message}`;
}
