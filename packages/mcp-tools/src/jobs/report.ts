import type {
  JobReading,
  JobResult,
  JobSnapshot,
  JobSummary,
  JobsAhead,
  OutputRange,
} from "@ccbridge/registry";
import { z } from "zod";
import { clockText, durationText } from "../core/clock.js";
import type { ToolOutcome, ToolSettings } from "../core/define.js";
import type { Explained } from "../core/errors.js";
import type { JobWords } from "../core/kind.js";
import { type ShownValue, showLuaValue } from "../format/lua-value.js";
import { block, type Excerpt, excerpt, fitting, inline, plain } from "../format/set-apart.js";
import { OUTPUT_BYTES, RETURNS_BYTES } from "../format/text.js";
import { explainJob } from "./explain.js";
import { progressText } from "./run.js";

const states = ["queued", "running", "done", "failed", "cancelled", "timed-out", "lost"] as const;
export const JobStateSchema = z.enum(states).describe("The job's state.");

const MAX_RETURNS = 100;
const MAX_CUT_NOTES = 3;

export const ALL_OUTPUT: OutputRange = { cursor: 0, maxLength: Number.MAX_SAFE_INTEGER };

export function pageFrom(cursor: number): OutputRange {
  return { cursor, maxLength: OUTPUT_BYTES };
}

export interface ShownOutput {
  readonly output: Excerpt;
  readonly next: number;
  readonly missed: number;
}

/** Omits the middle if the output is too long. */
export function wholeOutput(
  { job, output }: JobReading,
  maxBytes: number = OUTPUT_BYTES,
): ShownOutput {
  const { text, next } = output;
  return { output: excerpt(text, maxBytes), next, missed: job.outputStart };
}

export function outputPage({ output: { text, next, missed } }: JobReading): ShownOutput {
  const end = fitting(text, OUTPUT_BYTES);
  const output = { head: text.slice(0, end), tail: "", leftOut: 0 };
  return { output, next: next - text.length + end, missed };
}

export function jobOutcome(
  job: JobSnapshot,
  page: ShownOutput,
  settings: ToolSettings,
  returnsBytes: number = RETURNS_BYTES,
): ToolOutcome {
  const { provider, state } = job;
  const { kinds } = settings;
  const words = kinds.get(provider.kind)?.jobs ?? {};
  const error = explainJob(job, settings);
  const { returns: values, lost } = job.response?.result ?? nothing;
  const share = Math.max(40, Math.floor(returnsBytes / Math.max(1, values.length)));
  const shown = values.slice(0, MAX_RETURNS).map((value) => showLuaValue(value, share));
  const notes = missingValues(shown, values.length - shown.length, words);
  const note = noteOf(job, page, { lost, notes, words, noun: kinds.nounOf(provider) });
  // Concatenated: this is on the path of every call, and mostly two lines.
  let text = headline(job, kinds.shortName(provider), error);
  if (page.missed > 0) text += `\n[${page.missed} characters before this are no longer kept]`;
  const hasOutput = page.output.head !== "" || page.output.leftOut > 0;
  if (hasOutput)
    text += `\nOutput:\n${block(words.showOutput?.(job.method, page.output) ?? page.output)}`;
  if (shown.length > 0 && !(hasOutput && hasReturns(job, words))) {
    text += `\nReturned: ${shown.map((value) => value.text).join(", ")}`;
  }
  if (state === "done" && !hasOutput && shown.length === 0 && page.next === 0) {
    text += "\nNo output, and nothing was returned.";
  }
  if (note !== undefined) text += `\n${note}`;
  if (error !== undefined) text += `\n${error.hint}`;
  return {
    text,
    structured: () => ({
      ...settings.kinds.describe(provider),
      jobId: job.id,
      state,
      ok: error === undefined,
      output: plain(page.output),
      cursor: page.next,
      returns: shown.map(({ value }) => value),
      note,
      error: error && {
        code: error.code,
        message: error.gameMessage ?? error.message,
        hint: error.hint,
      },
    }),
    isError: error !== undefined && state !== "cancelled",
  };
}

function hasReturns({ method, state }: JobSnapshot, words: JobWords): boolean {
  const ended = state === "done" || state === "failed";
  return ended && words.outputHasReturns?.(method) === true;
}

function headline(job: JobSnapshot, name: string, error: Explained | undefined): string {
  // A requested cancel is not a failure.
  if (job.state === "cancelled") return `Cancelled on ${name}.`;
  if (error !== undefined) return `Failed on ${name}: ${error.message}`;
  if (job.state === "done") return `Ran on ${name}.`;
  if (job.state === "queued") {
    return `Waiting on ${name} as job ${job.id}${waitText(job.waitsFor)}.`;
  }
  return `Still running on ${name} as job ${job.id}, for ${durationText(Date.now() - (job.startedAt ?? job.createdAt))}.`;
}

/** Why a job waits, and how to make room for it. */
export function waitText(ahead: JobsAhead | undefined, what = "job"): string {
  const [first] = ahead?.jobs ?? [];
  if (ahead === undefined || first === undefined) return "";
  const names = ahead.jobs.map(({ id, method, summary }) => {
    const does = summary ?? method;
    return does === "" ? id : `${id} (${inline(does, 40)})`;
  });
  const limit = `${ahead.limit} ${what}${ahead.limit === 1 ? "" : "s"} may run there at once`;
  return `: ${limit}, and these do: ${names.join(", ")}. cancel-job ${JSON.stringify({ jobId: first.id })} ends one`;
}

function missingValues(
  shown: readonly ShownValue[],
  more: number,
  { cutValue = () => "return part of it, such as one key" }: JobWords,
): string[] {
  const notes: string[] = [];
  for (const [index, { value, rest }] of shown.entries()) {
    if (value.truncated !== true) continue;
    if (notes.length === MAX_CUT_NOTES) {
      notes.push("Others were cut as well.");
      break;
    }
    const which = shown.length === 1 ? "The returned value" : `Returned value ${index + 1}`;
    notes.push(`${which} was cut: ${cutValue(rest)}.`);
  }
  if (more > 0) notes.push(`${more} more returned values are not shown: return fewer at a time.`);
  return notes;
}

function noteOf(
  job: JobSnapshot,
  page: ShownOutput,
  {
    lost,
    notes,
    words,
    noun,
  }: { lost: number | undefined; notes: string[]; words: JobWords; noun: string },
): string | undefined {
  const more = job.outputEnd > page.next;
  if (lost !== undefined) notes.push(`${lost} bytes of its output were lost in transit.`);
  else if (job.isPartial) notes.push("Parts of its output are missing: they never arrived.");
  if (!job.ended) {
    if (job.progress !== undefined) notes.push(`Its progress: ${progressText(job.progress)}.`);
    if (job.note !== undefined) notes.push(job.note);
    else if (!job.linked) {
      notes.push(
        job.state === "queued"
          ? `The link to the ${noun} dropped; the job is sent once the link is back.`
          : `The link to the ${noun} dropped; the job keeps running there, and its output arrives once the link is back.`,
      );
    }
    if (job.linked && job.pausedSince !== undefined) {
      const seconds = Math.round((Date.now() - job.pausedSince) / 1_000);
      notes.push(
        `No time has passed in its world for ${seconds} s (the game is paused): sleep and timers wait until it goes on.`,
      );
    }
    if (job.stopping !== undefined) notes.push("It was told to stop but has not confirmed it.");
    if (!job.abilities.stream) notes.push("Its agent is old: output appears only at the end.");
    if (!job.abilities.cancel) notes.push("Its agent is old: it cannot be cancelled.");
    notes.push(words.nextStep?.(job) ?? followStep(job, page));
  } else if (more) {
    notes.push(
      `There is more output: get-job ${JSON.stringify({ jobId: job.id, cursor: page.next })}.`,
    );
  }
  if (job.state === "lost" && job.response !== undefined) {
    notes.push(`The ${noun} answered after all; this is its answer.`);
  }
  if (page.output.leftOut > 0) {
    notes.push(
      `All of the output: get-job ${JSON.stringify({ jobId: job.id, cursor: job.outputStart })}.`,
    );
  }
  return notes.length === 0 ? undefined : notes.join(" ");
}

function followStep({ id }: JobSnapshot, { next }: ShownOutput): string {
  const follow = JSON.stringify({ jobId: id, cursor: next, waitMs: 30_000 });
  return `Follow it with get-job ${follow}, or stop it with cancel-job.`;
}

/** When it began and ended by the clock, and how long that was. */
export function spanText({ startedAt, createdAt, endedAt }: JobSummary): string {
  const from = startedAt ?? createdAt;
  const lasted = durationText((endedAt ?? Date.now()) - from);
  const end = endedAt === undefined ? "" : ` to ${clockText(endedAt)}`;
  return `${lasted}, from ${clockText(from)}${end}`;
}

const nothing: JobResult = { returns: [] };
