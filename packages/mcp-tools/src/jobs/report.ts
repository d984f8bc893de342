import {
  type ExecLuaResult,
  ExecLuaResultSchema,
  readPlainResult,
  utf8Length,
} from "@ccbridge/protocol";
import {
  computerName,
  type JobReading,
  type JobSnapshot,
  type JobSummary,
  type OutputPage,
  type OutputRange,
} from "@ccbridge/registry";
import { z } from "zod";
import { ReturnsSchema, type ShownValue, showLuaValue } from "../format/lua-value.js";
import { cleanText, cutLength, cutMiddle, OUTPUT_BYTES, RETURNS_BYTES } from "../format/text.js";
import type { ToolOutcome, ToolSettings } from "../tool/define.js";
import type { Explained } from "../tool/errors.js";
import { explainJob } from "./explain.js";
import { progressText } from "./progress.js";
import { providerFacts, providerShape } from "./provider-facts.js";

const states = ["queued", "running", "done", "failed", "cancelled", "timed-out", "lost"] as const;
export const JobStateSchema = z.enum(states).describe("The job's state.");

/** The answer of every tool that reports on one job. */
export const JobReportSchema = z.object({
  ...providerShape,
  jobId: z.string().optional().describe("Absent when nothing was started."),
  state: JobStateSchema.optional(),
  ok: z
    .boolean()
    .describe("False when it failed or was stopped. `state` says whether it is still running."),
  output: z.string().describe("What the code printed and wrote, from the cursor on."),
  cursor: z.int().optional().describe("Pass this to get-job for later output."),
  returns: ReturnsSchema,
  note: z.string().optional().describe("Anything else to know about the job."),
  error: z
    .object({ code: z.string(), message: z.string(), hint: z.string() })
    .optional()
    .describe("What went wrong, and what to do next."),
});

/** Returned values that an answer shows, and cut ones that it explains. */
const MAX_RETURNS = 100;
const MAX_CUT_NOTES = 3;

/** All output of a job that is still kept. */
export const ALL_OUTPUT: OutputRange = { cursor: 0, maxLength: Number.MAX_SAFE_INTEGER };

/** As much output from a cursor on as fits into an answer. */
export function pageFrom(cursor: number): OutputRange {
  return { cursor, maxLength: OUTPUT_BYTES };
}

/** All output of a job at once, with the middle left out if it is too long. */
export function wholeOutput(
  { job, output }: JobReading,
  maxBytes: number = OUTPUT_BYTES,
): OutputPage {
  const { outputStart } = job;
  const dropped = outputStart > 0 ? `[... ${outputStart} characters are no longer kept ...]\n` : "";
  const text = cutMiddle(cleanText(dropped + output.text), maxBytes);
  return { text, next: output.next, missed: 0 };
}

/** A page of output, as much of it as fits into an answer. */
export function outputPage({ output }: JobReading): OutputPage {
  const bytes = utf8Length(output.text);
  if (bytes <= OUTPUT_BYTES) return { ...output, text: cleanText(output.text) };
  const text = cutLength(output.text, Math.floor((output.text.length * OUTPUT_BYTES) / bytes));
  return { ...output, text: cleanText(text), next: output.next - output.text.length + text.length };
}

/** The state of a job, with some of its output. */
export function jobOutcome(
  job: JobSnapshot,
  page: OutputPage,
  settings: ToolSettings,
  returnsBytes: number = RETURNS_BYTES,
): ToolOutcome {
  const { identity, state } = job;
  const error = explainJob(job, settings);
  const facts = providerFacts(identity);
  const { returns: values, lost } = job.response === undefined ? nothing : readResult(job.response);
  const share = Math.max(40, Math.floor(returnsBytes / Math.max(1, values.length)));
  const shown = values.slice(0, MAX_RETURNS).map((value) => showLuaValue(value, share));
  const returns = shown.map(({ value }) => value);
  const notes = missingValues(shown, values.length - shown.length);
  const note = noteOf(job, page, lost, notes);
  // Put together piece by piece: every call comes by here, and nearly always there are two lines.
  let text = headline(job, error);
  if (page.missed > 0) text += `\n[${page.missed} characters before this are no longer kept]`;
  if (page.text !== "") text += `\nOutput:\n${outputText(job, page)}`;
  if (returns.length > 0 && !isCoveredByOutput(job, page)) {
    text += `\nReturned: ${shown.map((value) => value.text).join(", ")}`;
  }
  if (state === "done" && page.text === "" && returns.length === 0 && page.next === 0) {
    text += "\nNo output, and nothing was returned.";
  }
  if (note !== undefined) text += `\n${note}`;
  if (error !== undefined) text += `\n${error.hint}`;
  return {
    text,
    // Named one by one: properties behind a spread cost more than all the rest of this function.
    structured: {
      computerId: facts.computerId,
      label: facts.label,
      provider: facts.provider,
      jobId: job.id,
      state,
      ok: error === undefined,
      output: page.text,
      cursor: page.next,
      returns,
      note,
      error,
    },
    isError: error !== undefined && state !== "cancelled",
  };
}

/** Whether the output already says what a method returns for programs. */
function isCoveredByOutput({ method, state }: JobSnapshot, { text }: OutputPage): boolean {
  const ended = state === "done" || state === "failed";
  return ended && text !== "" && (method === "turtle-run" || method === "move-items");
}

/** The screen of a program is part of its output: most of it may be empty. */
function outputText({ method }: JobSnapshot, { text }: OutputPage): string {
  const dense = method === "run-program" ? text.replace(/\n{3,}/g, "\n\n") : text;
  return dense.replace(/\n$/, "");
}

function headline(job: JobSnapshot, error: Explained | undefined): string {
  const name = computerName(job.identity);
  // A cancel that somebody asked for is not a failure.
  if (job.state === "cancelled") return `Cancelled on ${name}.`;
  if (error !== undefined) return `Failed on ${name}: ${error.message}`;
  if (job.state === "done") return `Ran on ${name}.`;
  if (job.state === "queued") {
    const why = job.linked ? ": other jobs are running there" : "";
    return `Waiting on ${name} as job ${job.id}${why}.`;
  }
  return `Still running on ${name} as job ${job.id}, for ${age(job)}.`;
}

/** How to get what does not fit of the returned values. */
function missingValues(shown: readonly ShownValue[], more: number): string[] {
  const notes: string[] = [];
  for (const [index, { value, rest }] of shown.entries()) {
    if (value.truncated !== true) continue;
    if (notes.length === MAX_CUT_NOTES) {
      notes.push("Others were cut as well.");
      break;
    }
    const which = shown.length === 1 ? "The returned value" : `Returned value ${index + 1}`;
    const part =
      rest === undefined
        ? "return part of it, such as one key"
        : `return value:sub(${rest}) for the rest`;
    notes.push(`${which} was cut: ${part}, or write it to a file and use read-file.`);
  }
  if (more > 0) notes.push(`${more} more returned values are not shown: return fewer at a time.`);
  return notes;
}

/** What a model must know to continue from here, after the notes that there are already. */
function noteOf(
  job: JobSnapshot,
  page: OutputPage,
  lost: number | undefined,
  notes: string[],
): string | undefined {
  const more = job.outputEnd > page.next;
  if (lost !== undefined) notes.push(`${lost} bytes of its output were lost in transit.`);
  if (!job.ended) {
    if (job.progress !== undefined) notes.push(`Its progress: ${progressText(job.progress)}.`);
    if (job.note !== undefined) notes.push(job.note);
    else if (!job.linked) {
      notes.push(
        job.state === "queued"
          ? "The link to the computer dropped; the job is sent once the link is back."
          : "The link to the computer dropped; the job keeps running there, and its output arrives once the link is back.",
      );
    }
    if (job.stopping !== undefined) notes.push("It was told to stop but has not confirmed it.");
    if (!job.abilities.stream) notes.push("Its agent is old: output appears only at the end.");
    if (!job.abilities.cancel) notes.push("Its agent is old: it cannot be cancelled.");
    notes.push(nextStep(job, page));
  } else if (more) {
    notes.push(
      `There is more output: get-job ${JSON.stringify({ jobId: job.id, cursor: page.next })}.`,
    );
  }
  if (job.state === "lost" && job.response !== undefined) {
    notes.push("The computer answered after all; this is its answer.");
  }
  if (page.text.includes("characters left out here")) {
    notes.push(
      `All of the output: get-job ${JSON.stringify({ jobId: job.id, cursor: job.outputStart })}.`,
    );
  }
  return notes.length === 0 ? undefined : notes.join(" ");
}

/** What to do about a job that is still running. A program mostly waits for input. */
function nextStep({ id, method, state }: JobSnapshot, { next }: OutputPage): string {
  if (method === "run-program" && state === "running") {
    const see = `read-screen ${JSON.stringify({ jobId: id })}`;
    return `If it waits for input, use send-input with this jobId; see its screen again with ${see}; wait for its end with get-job, or stop it with cancel-job.`;
  }
  const follow = JSON.stringify({ jobId: id, cursor: next, waitMs: 30_000 });
  return `Follow it with get-job ${follow}, or stop it with cancel-job.`;
}

/** How long a job has been running, or ran. */
export function age(job: JobSummary): string {
  const ms = (job.endedAt ?? Date.now()) - (job.startedAt ?? job.createdAt);
  const seconds = Math.round(ms / 1_000);
  return seconds < 120 ? `${seconds} s` : `${Math.round(seconds / 60)} min`;
}

const nothing: Pick<ExecLuaResult, "returns" | "lost"> = { returns: [] };

function readResult({ result }: { result?: unknown }): ExecLuaResult {
  const plain = readPlainResult(result);
  if (plain !== undefined) return plain;
  const parsed = ExecLuaResultSchema.safeParse(result ?? {});
  if (parsed.success) return parsed.data;
  // An early agent that answers with a bare value instead of a result.
  return ExecLuaResultSchema.parse({ returns: [result] });
}
