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

const MAX_RUNNING = 200;
const MAX_FAILED = 50;
const FAILED_MS = 24 * 3_600_000;
const failures: readonly string[] = ["failed", "timed-out", "lost"];

/** What runs on all providers, and what failed within a day. */
export function watchWork(shared: SharedWatches, ready: () => void): Watch<TopicData<"work">> {
  let known: string | undefined;
  return watchShared<readonly JobSummary[], TopicData<"work">>(
    ready,
    (notify) => shared.jobs(notify),
    (all) => {
      const since = Date.now() - FAILED_MS;
      const open = all.filter(({ ended }) => !ended).slice(-MAX_RUNNING);
      const failed = all.filter(
        ({ state, createdAt, endedAt }) =>
          failures.includes(state) && (endedAt ?? createdAt) > since,
      );
      const jobs = [...open, ...failed.slice(-MAX_FAILED)].map((job) => ({
        ...rowOf(job),
        ...{ key: job.key, linked: job.linked },
      }));
      const text = JSON.stringify(jobs);
      if (text === known) return undefined;
      known = text;
      return { jobs: jobs.reverse() };
    },
  );
}

function rowOf(job: JobSummary): JobRow {
  const { id, method, summary, isProgram, state, ended, stopping, createdAt } = job;
  const { abilities, note, progress } = job;
  return {
    ...{ id, method, summary, isProgram, state },
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
