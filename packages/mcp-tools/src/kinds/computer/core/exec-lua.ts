import type { MethodParams } from "@ccbridge/protocol";
import {
  type ComputerView,
  computerName,
  type JobOrder,
  type JobState,
  printable,
} from "@ccbridge/registry";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { timeoutMs, waitMs } from "../../../core/arguments.js";
import { reportWaiting } from "../../../core/call.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { explain } from "../../../core/errors.js";
import { ANSWER_LENGTH, cutEnd, OUTPUT_BYTES, RETURNS_BYTES } from "../../../format/text.js";
import { jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { JobReportSchema, luaFailure } from "../jobs/report.js";
import { findSeveral, type Several, targets } from "../several.js";

/** A larger group is listed before anything runs: it may be more than the caller expected. */
const SURPRISING = 8;

const SeveralReportSchema = JobReportSchema.extend({
  computers: z
    .array(z.record(z.string(), z.unknown()))
    .optional()
    .describe("For several computers: the report of each."),
});

async function execSeveral(
  context: ToolContext,
  { several, isGroup }: Several,
  order: JobOrder & { readonly waitMs?: number | undefined },
  dryRun: boolean | undefined,
): Promise<ToolOutcome> {
  if (dryRun ?? (isGroup && several.length > SURPRISING)) {
    return shown(several, dryRun === undefined);
  }
  const progress = reportWaiting(`still waiting for ${several.length} jobs`, context.progress);
  const all = await Promise.all(
    several.map((computer) => runOn(context, computer, order, several.length)),
  );
  progress.end();
  return summary(all);
}

function shown(several: readonly ComputerView[], isSurprise: boolean): ToolOutcome {
  const count = several.length === 1 ? "1 computer" : `${several.length} computers`;
  const names = several.map(
    ({ provider }) => `${computerName(provider)}: ${provider.computerKind}`,
  );
  const next = isSurprise
    ? "That may be more than you expected: call again with dryRun false to run the code on all of them, or name fewer."
    : "Call again without dryRun to run the code there.";
  return {
    text: [`Nothing ran. This would run on ${count}:`, ...names, next].join("\n"),
    structured: () => ({ ok: true, output: "", returns: [], note: `Nothing ran. ${next}` }),
  };
}

interface Ran {
  readonly state?: JobState;
  readonly outcome: ToolOutcome;
}

async function runOn(
  context: ToolContext,
  { key, provider }: ComputerView,
  order: JobOrder & { readonly waitMs?: number | undefined },
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

export const execLua = defineTool({
  name: "exec-lua",
  title: "Run Lua on a computer",
  effect: "Lua run",
  description:
    "Runs Lua on a computer or turtle in Minecraft and returns what it printed and returned. An " +
    "expression returns its value, statements use `return`; globals are not kept between calls. " +
    "Code that outlasts waitMs keeps running as a job, beside other jobs: follow it with get-job, " +
    "stop it with cancel-job. What it does is real and cannot be undone.",
  input: z.object({
    ...targets,
    code: z.string().min(1).describe("Lua source, such as `return turtle.getFuelLevel()`."),
    waitMs: waitMs.describe(
      "Wait up to this long for the end; 0 returns at once. Default: 30000, at most 50000.",
    ),
    timeoutMs: timeoutMs.describe("Stop the code after this long. Default: never."),
    dryRun: z
      .boolean()
      .optional()
      .describe(
        "true only lists the computers it would run on. A group of more than 8 needs false to run.",
      ),
  }),
  output: SeveralReportSchema,
  annotations: acts,
  async handler({ computerId, code, waitMs, timeoutMs, dryRun }, context) {
    const found = await findSeveral(context.providers, computerId);
    const params: MethodParams<"exec-lua"> = { code };
    const order = {
      method: "exec-lua",
      params,
      summary: cutEnd(printable(code).trim(), 80),
      onFailure: luaFailure,
      waitMs,
      timeoutMs,
    };
    if ("several" in found) return execSeveral(context, found, order, dryRun);
    if (dryRun === true)
      return execSeveral(context, { several: [found], isGroup: false }, order, dryRun);
    const reading = await runJob(context, found.key, order);
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  },
});
