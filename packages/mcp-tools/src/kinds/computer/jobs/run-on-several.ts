import { type ComputerView, computerName, type JobOrder, type JobState } from "@ccbridge/registry";
import { z } from "zod";
import { reportWaiting } from "../../../core/call.js";
import type { ToolContext, ToolOutcome } from "../../../core/define.js";
import { explain } from "../../../core/errors.js";
import { ANSWER_LENGTH, cutEnd, OUTPUT_BYTES, RETURNS_BYTES } from "../../../format/text.js";
import { jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { JobReportSchema } from "./report.js";

export const SeveralReportSchema = JobReportSchema.extend({
  computers: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe("For several computers: the report of each."),
});

type TimedOrder = JobOrder & { readonly waitMs?: number | undefined };

/** Runs the same on several computers at the same time, and reports how it went on each. */
export async function runOnSeveral(
  context: ToolContext,
  several: readonly ComputerView[],
  order: TimedOrder,
): Promise<ToolOutcome> {
  const progress = reportWaiting(`still waiting for ${several.length} jobs`, context.progress);
  const all = await Promise.all(
    several.map((computer) => runOn(context, computer, order, several.length)),
  );
  progress.end();
  return summary(all);
}

interface Ran {
  readonly state?: JobState;
  readonly outcome: ToolOutcome;
}

async function runOn(
  context: ToolContext,
  { key, provider }: ComputerView,
  order: TimedOrder,
  count: number,
): Promise<Ran> {
  try {
    const { progress: _, ...quiet } = context;
    const reading = await runJob(quiet, key, order);
    const page = wholeOutput(reading, Math.max(150, Math.floor(OUTPUT_BYTES / count)));
    const returnsBytes = Math.max(60, Math.floor(RETURNS_BYTES / count));
    const { job } = reading;
    return { state: job.state, outcome: jobOutcome(job, page, context.settings, returnsBytes) };
  } catch (error) {
    const { message } = explain(error, context.settings);
    return {
      outcome: {
        text: `Failed on ${computerName(provider)}: ${message}`,
        structured: () => ({ ok: false, output: "", returns: [] }),
      },
    };
  }
}

function summary(all: readonly Ran[]): ToolOutcome {
  const succeeded = all.filter(({ state }) => state === "done").length;
  const open = all.filter(({ state }) => state === "running" || state === "queued").length;
  const failed = all.length - succeeded - open;
  const counts = [
    `${succeeded} of ${all.length} succeeded`,
    open === 0 ? undefined : `${open} still running`,
    failed === 0 ? undefined : `${failed} failed`,
  ].filter((part) => part !== undefined);
  const share = Math.floor(ANSWER_LENGTH / all.length);
  const texts = all.map(({ outcome }) => cutEnd(outcome.text, share));
  return {
    text: [`${counts.join(", ")}.`, ...texts].join("\n"),
    structured: () => ({
      ok: succeeded === all.length,
      output: "",
      returns: [],
      computers: all.map(({ outcome }) => outcome.structured?.()),
    }),
    ...(failed > 0 ? { isError: true } : {}),
  };
}
