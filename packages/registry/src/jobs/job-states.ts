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

/** Where a job is in its life. The last five are final, but a lost job may be found again. */
export type JobState =
  | "queued"
  | "running"
  | "done"
  | "failed"
  | "cancelled"
  | "timed-out"
  | "lost";

export type StopReason = "cancelled" | "timed-out";

export interface JobStatus {
  readonly state: JobState;
  /** False while the link is down: whether the job still runs is unknown. */
  readonly linked: boolean;
  readonly stopping: StopReason | undefined;
}

export type JobEvent =
  | { type: "sent" }
  /** It was not sent, or never arrived. */
  | { type: "unsendable" }
  | { type: "answered"; outcome: "ok" | "error" | "cancelled" }
  | { type: "stop"; reason: StopReason }
  /** The provider did not confirm a stop in time, or cannot stop anything. */
  | { type: "stop-unconfirmed" }
  /** The provider does not know it when asked to stop it: it did not arrive. */
  | { type: "unknown" }
  | { type: "dropped" }
  | { type: "reclaimed" }
  /** The provider is back without the job: it was restarted. */
  | { type: "missing" }
  | { type: "given-up" };

export const initialStatus: JobStatus = { state: "queued", linked: true, stopping: undefined };

export function isFinal(state: JobState): boolean {
  return state !== "queued" && state !== "running";
}

/** What becomes of a job. A final state is final, unless a lost job turns up after all. */
export function transition(status: JobStatus, event: JobEvent): JobStatus {
  if (status.state === "lost" && event.type === "reclaimed") {
    return changed(status, { state: "running", linked: true });
  }
  if (isFinal(status.state)) return status;
  return status.state === "queued" ? whileQueued(status, event) : whileRunning(status, event);
}

function whileQueued(status: JobStatus, event: JobEvent): JobStatus {
  switch (event.type) {
    case "sent":
      return changed(status, { state: "running", linked: true });
    case "stop":
      // Nothing runs yet, so it is stopped at once.
      return changed(status, { state: event.reason });
    case "dropped":
      return changed(status, { linked: false });
    case "reclaimed":
    case "missing":
      return changed(status, { linked: true });
    case "given-up":
      return changed(status, { state: "lost" });
    case "answered":
    case "unknown":
    case "unsendable":
    case "stop-unconfirmed":
      return status;
  }
}

function whileRunning(status: JobStatus, event: JobEvent): JobStatus {
  switch (event.type) {
    case "answered":
      // An answer that overtook the stop is still the answer.
      if (event.outcome === "ok") return changed(status, { state: "done" });
      if (event.outcome === "error") return changed(status, { state: "failed" });
      return changed(status, { state: status.stopping ?? "cancelled" });
    case "stop":
      return changed(status, { stopping: status.stopping ?? event.reason });
    case "stop-unconfirmed":
      // A time-out is kept as promised; a cancel stays a wish until the game confirms it.
      return status.stopping === "timed-out" ? changed(status, { state: "timed-out" }) : status;
    case "unknown":
      return status.stopping === undefined ? status : changed(status, { state: status.stopping });
    case "dropped":
      return changed(status, { linked: false });
    case "reclaimed":
      return changed(status, { linked: true });
    case "missing":
    case "given-up":
      return changed(status, { state: "lost" });
    case "unsendable":
      return changed(status, { state: "failed" });
    case "sent":
      return status;
  }
}

/** The same object when nothing changes, so that callers can compare. */
function changed(status: JobStatus, to: Partial<JobStatus>): JobStatus {
  const { state = status.state, linked = status.linked, stopping = status.stopping } = to;
  const same = state === status.state && linked === status.linked && stopping === status.stopping;
  return same ? status : { state, linked, stopping };
}
