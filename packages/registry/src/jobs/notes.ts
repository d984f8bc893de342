import type { Job } from "./job.js";

export const CANNOT_KEEP = "and its agent is too old to keep a job until the link is back.";

/** What becomes of a job when the bridge stops. Its request may have been lost with the link, unless it printed. */
export function outliving({ nextSeq, state }: Job): string {
  if (state === "queued") {
    return "The bridge is stopping or restarting. The job has not begun; it runs once the bridge runs and the link is back.";
  }
  const what = nextSeq > 0 ? "The job keeps" : "If the job has begun there, it keeps";
  return `The bridge is stopping or restarting. ${what} running under this id, and is known again once the bridge runs and the link is back.`;
}
