import { type JobSnapshot, LinkError } from "@ccbridge/registry";
import type { ToolContext, ToolOutcome } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { coloursOf } from "../../../format/colours.js";
import { inline } from "../../../format/set-apart.js";
import { computerOf } from "../computer.js";
import { request } from "../request.js";

/** Adds which redstone outputs are on, if the job is a program that ended badly: it may have left them on. */
export async function withOutputsLeftOn(
  context: ToolContext,
  job: JobSnapshot,
  outcome: ToolOutcome,
): Promise<ToolOutcome> {
  const { method, state, ended, linked } = job;
  if (method !== "run-program" || !ended || state === "done" || !linked) return outcome;
  const on = await outputsOn(context, job);
  if (on.length === 0) return outcome;
  const line = `Redstone outputs of this computer are on, perhaps left on by the program: ${on.join(", ")}.`;
  return { ...outcome, text: `${outcome.text}\n${line}` };
}

async function outputsOn(context: ToolContext, job: JobSnapshot): Promise<string[]> {
  try {
    const { sides } = await request(context, computerOf(job), "redstone", {});
    return sides.flatMap(({ side, output, bundledOutput }) => {
      const levels = [...(output > 0 ? [String(output)] : []), ...coloursOf(bundledOutput)];
      return levels.length === 0 ? [] : [`${inline(side)} ${levels.join("+")}`];
    });
  } catch (error) {
    // It left, or its player does not allow it.
    if (error instanceof ToolError || error instanceof LinkError) return [];
    throw error;
  }
}
