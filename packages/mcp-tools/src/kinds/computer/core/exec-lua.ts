import type { MethodParams } from "@ccbridge/protocol";
import { type ComputerView, computerName, type JobOrder, printable } from "@ccbridge/registry";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { timeoutMs, waitMs } from "../../../core/arguments.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../../../core/define.js";
import { cutEnd } from "../../../format/text.js";
import { jobOutcome, wholeOutput } from "../../../jobs/report.js";
import { runJob } from "../../../jobs/run.js";
import { luaFailure } from "../jobs/report.js";
import { runOnSeveral, SeveralReportSchema } from "../jobs/run-on-several.js";
import { findSeveral, isOne, type Several, targets } from "../several.js";

/** A larger group is listed before anything runs: it may be more than the caller expected. */
const SURPRISING = 8;

async function execSeveral(
  context: ToolContext,
  { several, isGroup }: Several,
  order: JobOrder & { readonly waitMs?: number | undefined },
  dryRun: boolean | undefined,
): Promise<ToolOutcome> {
  if (dryRun ?? (isGroup && several.length > SURPRISING)) {
    return shown(several, dryRun === undefined);
  }
  return runOnSeveral(context, several, order);
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

export const execLua = defineTool({
  name: "exec-lua",
  title: "Run Lua on a computer",
  effect: "Lua run",
  description:
    "Runs Lua on a computer or turtle in Minecraft and returns what it printed and returned. An " +
    "expression returns its value, statements use `return`; globals are not kept between calls. " +
    "Code that outlasts waitMs keeps running as a job, beside other jobs: follow it with get-job, " +
    "stop it with cancel-job. What it does is real; files can be undone.",
  input: z.object({
    ...targets,
    code: z.string().min(1).describe("Lua source, such as `return turtle.getFuelLevel()`."),
    waitMs: waitMs.describe("Wait up to this long for the end; 0 returns at once. Default: 30000."),
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
    const params: MethodParams<"exec-lua"> = { code };
    const order = {
      method: "exec-lua",
      params,
      summary: cutEnd(printable(code).trim(), 80),
      onFailure: luaFailure,
      waitMs,
      timeoutMs,
    };
    let only = isOne(computerId) && dryRun !== true ? context.targets?.[0] : undefined;
    if (only === undefined) {
      const found = await findSeveral(context.providers, computerId);
      if ("several" in found) return execSeveral(context, found, order, dryRun);
      if (dryRun === true)
        return execSeveral(context, { several: [found], isGroup: false }, order, dryRun);
      only = found;
    }
    const reading = await runJob(context, only.key, order);
    return jobOutcome(reading.job, wholeOutput(reading), context.settings);
  },
});
