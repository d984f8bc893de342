import type { Job, JobWait } from "./job.js";

/** Waits for a job to come to a point, for a time, or for the caller to give up. Never rejects. */
export function waitForJob(
  job: Job,
  { until, timeoutMs, signal }: JobWait,
  isClosed: () => boolean,
): Promise<void> {
  if (isClosed() || until(job) || signal?.aborted || timeoutMs <= 0) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stopListening();
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, timeoutMs);
    const stopListening = job.onChange(() => {
      if (isClosed() || until(job)) finish();
    });
    signal?.addEventListener("abort", finish, { once: true });
  });
}
