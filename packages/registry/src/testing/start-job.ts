import type { JobOrder, JobSnapshot, ProviderPort } from "../port.js";

/** Begins a job and does not wait for it. */
export async function startJob(
  { jobs }: Pick<ProviderPort, "jobs">,
  key: string,
  order: JobOrder,
): Promise<JobSnapshot> {
  const nothing = { cursor: 0, maxLength: 0 };
  return (await jobs.run(key, order, nothing, { timeoutMs: 0 })).job;
}
