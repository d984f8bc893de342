import type { Job } from "./jobs/job.js";
import type { Jobs } from "./jobs/jobs.js";
import { linkedSession, nextLink } from "./linked.js";
import type { JobSnapshot, JobsPort, JobWaiting, OutputRange } from "./port.js";
import type { Registry } from "./registry.js";

/** Until `returning`, by `performance.now()`, a job may still come back with its provider. */
export function localJobs(registry: Registry, returning: number): JobsPort {
  const { jobs } = registry;
  const awaitReturn = async (id: string) => {
    for (;;) {
      const job = jobs.get(id);
      const leftMs = returning - performance.now();
      if (job !== undefined || leftMs <= 0 || registry.isClosed) return job;
      await nextLink(registry, leftMs);
    }
  };
  /** For one that is no longer in memory, or not yet. */
  const findElsewhere = async (id: string) => (await jobs.stored(id)) ?? (await awaitReturn(id));
  const snapshot = (job: Job) => snapshotOf(job, registry);
  const read = (job: Job, { cursor, maxLength }: OutputRange) => ({
    job: snapshot(job),
    output: job.output.read(cursor, maxLength),
  });
  return {
    async run(key, order, range, { begun, ...waiting }) {
      const job = jobs.start(linkedSession(registry, key), order);
      begun?.({ id: job.id, provider: job.provider });
      await waitFor(jobs, job, waiting);
      return read(job, range);
    },
    async get(id) {
      const job = jobs.get(id) ?? (await findElsewhere(id));
      return job === undefined ? undefined : snapshot(job);
    },
    list: async () => jobs.list().map(snapshot),
    async stop(id) {
      const job = jobs.get(id) ?? (await findElsewhere(id));
      if (job === undefined) return undefined;
      jobs.stop(job, "cancelled");
      return snapshot(job);
    },
    async wait(id, waiting) {
      const job = jobs.get(id) ?? (await findElsewhere(id));
      if (job === undefined) return undefined;
      await waitFor(jobs, job, waiting);
      return snapshot(job);
    },
    async read(id, range, waiting) {
      const job = jobs.get(id) ?? (await findElsewhere(id));
      if (job === undefined) return undefined;
      if (waiting !== undefined) await waitFor(jobs, job, waiting);
      return read(job, range);
    },
  };
}

async function waitFor(jobs: Jobs, job: Job, waiting: JobWaiting): Promise<void> {
  const { cursor, progress, timeoutMs, signal } = waiting;
  const known = JSON.stringify(progress ?? undefined);
  const until = () =>
    job.ended ||
    job.hasLeft ||
    (cursor !== undefined && job.output.end > cursor) ||
    (progress !== undefined && JSON.stringify(job.progress) !== known);
  await jobs.wait(job, { until, timeoutMs, signal });
  // Its id is a promise to the caller, which may come back with it after a crash.
  if (!job.ended) await jobs.settled(job);
}

function snapshotOf(job: Job, registry: Registry): JobSnapshot {
  const { status, output } = job;
  return {
    id: job.id,
    key: job.owner.key,
    provider: job.provider,
    method: job.method,
    summary: job.summary,
    isProgram: job.isProgram,
    adopted: job.adopted,
    atBoot: job.atBoot,
    state: status.state,
    ended: job.ended,
    linked: status.linked,
    stopping: status.stopping,
    pausedSince: job.ended ? undefined : registry.session(job.owner.key)?.pausedSince,
    createdAt: job.createdAt,
    startedAt: job.startedAt,
    endedAt: job.endedAt,
    outputStart: output.dropped,
    outputEnd: output.end,
    abilities: job.abilities,
    note: job.note,
    isGone: job.isGone,
    isPartial: job.isPartial,
    progress: job.progress,
    trace: job.trace,
    client: job.client,
    stopAt: job.stopAt,
    waitsFor: registry.jobs.waitsFor(job),
    response: job.response,
    onFailure: job.onFailure,
  };
}
