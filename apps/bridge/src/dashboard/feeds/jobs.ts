import type { JobRow, TopicData } from "@ccbridge/protocol/dashboard";
import type { JobSummary } from "@ccbridge/registry";
import { type Feed, latestFeed } from "../sight/feed.js";
import type { Watched } from "../sight/watched.js";

/** Jobs of one provider that a page shows, the newest first. */
const MAX_SHOWN = 100;

export function jobsFeed(
  watched: Watched,
  key: string,
  ready: () => void,
): Feed<TopicData<"jobs">> {
  let known: string | undefined;
  return latestFeed(ready, (tell) =>
    watched.jobs((all) => {
      const jobs = all
        .filter((job) => job.key === key)
        .slice(-MAX_SHOWN)
        .reverse()
        .map(rowOf);
      const text = JSON.stringify(jobs);
      // Others began or ended a job elsewhere.
      if (text === known) return;
      known = text;
      tell({ jobs });
    }),
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
  };
}

function progressText({ progress, total, message }: NonNullable<JobSummary["progress"]>): string {
  const amount = total === undefined ? String(progress) : `${progress} of ${total}`;
  return message === undefined ? amount : `${amount}: ${message}`;
}
