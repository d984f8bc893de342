import { ResponseError } from "@ccbridge/protocol";
import { type JobFailure, type JobSnapshot, LinkErrorCode } from "@ccbridge/registry";
import type { ToolSettings } from "../core/define.js";
import { type Explained, generalHint } from "../core/errors.js";
import { quoted } from "../format/set-apart.js";
import { capital, cutEnd } from "../format/text.js";

const MAX_ERROR_LENGTH = 3_000;

const jobFailure: JobFailure = {
  code: "job-error",
  hint: "The job stopped there; what it did before that is done.",
};

/** `gameMessage` is the game's own message, if it comes from there. */
interface JobExplained extends Explained {
  readonly gameMessage?: string;
}

/** Undefined while the job runs or when it succeeded. */
export function explainJob(job: JobSnapshot, settings: ToolSettings): JobExplained | undefined {
  switch (job.state) {
    case "queued":
    case "running":
    case "done":
      return undefined;
    case "failed":
      return explainFailure(job, settings);
    case "cancelled":
      return {
        code: "cancelled",
        message: "The job was cancelled.",
        hint: "What it did before that is done.",
      };
    case "timed-out":
      return {
        code: "timed-out",
        message: "The job took longer than its timeoutMs.",
        hint: stopHint(job, settings),
      };
    case "lost":
      return {
        code: "lost",
        message: `The job is lost. ${job.note ?? ""}`.trim(),
        hint: lostHint(job),
      };
  }
}

function explainFailure(job: JobSnapshot, settings: ToolSettings): JobExplained {
  const { response, note, isGone, provider, method, onFailure } = job;
  const words = settings.kinds.get(provider.kind)?.jobs;
  if (isGone && response === undefined) {
    return {
      code: "never-arrived",
      message: `The job never began. ${note ?? ""}`.trim(),
      hint: "Run it again.",
    };
  }
  if (response === undefined || response.ok) {
    return {
      code: "not-sent",
      message: `The code was not sent. ${note ?? ""}`.trim(),
      hint: "Nothing ran. Call again later.",
    };
  }
  if (response.error === ResponseError.unknownMethod) {
    const general = {
      message: `${capital(provider.name)} does not support ${method}.`,
      hint: "Its program is too old.",
    };
    return {
      code: "unknown-method",
      ...(words?.explainUnknownMethod?.(job, settings) ?? general),
    };
  }
  const gameMessage = cutEnd(response.error, MAX_ERROR_LENGTH);
  const message = quoted(response.error, MAX_ERROR_LENGTH);
  const failure = onFailure ?? words?.onFailure ?? jobFailure;
  return {
    message,
    gameMessage,
    ...(words?.explainError?.(job, response.error, failure) ?? failure),
  };
}

function lostHint({ startedAt, response, isGone }: JobSnapshot): string {
  if (startedAt === undefined) return "It was never sent, so nothing ran. Call again later.";
  if (response !== undefined) return "It is over: what it did has happened.";
  const state = isGone ? "" : ", and it may still be running in the game";
  return `It is unknown how far it got${state}. Check the state there before you run it again.`;
}

function stopHint({ response, abilities, provider }: JobSnapshot, settings: ToolSettings): string {
  if (response !== undefined) {
    return "It was cancelled in the game. Do less in one job, or give it a longer timeoutMs.";
  }
  const { kinds } = settings;
  const kind = kinds.get(provider.kind);
  if (!abilities.cancel) {
    return (
      kind?.jobs?.cannotStop ??
      "It may still be running, and cannot be cancelled. Check what it did before you run it again."
    );
  }
  const { timedOut } = LinkErrorCode;
  const hint = kind?.hint?.(timedOut, settings) ?? generalHint(timedOut);
  return `The ${kinds.nounOf(provider)} was told to cancel it but has not confirmed that: the code may still be running in the game. ${hint}`;
}
