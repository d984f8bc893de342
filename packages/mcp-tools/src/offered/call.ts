import { type JobFailure, printable } from "@ccbridge/registry";
import { cutEnd } from "../format/text.js";
import { jobOutcome, wholeOutput } from "../jobs/report.js";
import { runJob } from "../jobs/run.js";
import type { ToolContext, ToolOutcome } from "../tool/define.js";
import { ToolError } from "../tool/errors.js";
import type { OfferedCaller, OfferedTimes } from "../tool/offered.js";
import { choose } from "./address.js";
import { checkArguments } from "./check-arguments.js";
import type { Found } from "./found.js";

/** What an error of an offered tool means. */
const toolFailure: JobFailure = {
  code: "tool-error",
  hint: "The tool stopped there; what it did before that is done. It is a program on that computer: correct the arguments, or read and fix the program.",
};

export interface OfferedCall {
  readonly found: Found;
  readonly args: unknown;
  /** How tools of this kind of provider are called, if not as jobs. */
  readonly caller: OfferedCaller | undefined;
}

/**
 * Calls an offered tool with what a client sent: chooses the provider, checks the arguments, and only then
 * asks the provider. Kinds of providers without their own caller run their tools as jobs.
 */
export async function callFound(
  { found, args, caller }: OfferedCall,
  context: ToolContext,
  times: OfferedTimes = {},
): Promise<ToolOutcome> {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new ToolError(
      `The arguments of ${found.shown} must be an object.`,
      `Nothing was done. Correct them and call ${found.shown} again.`,
    );
  }
  const { offer, rest } = choose(found, args as Record<string, unknown>);
  const problems = checkArguments(found.schema, rest);
  if (problems.length > 0) {
    const message = `The arguments of ${found.shown} are not valid. ${problems.join(" ")}`;
    const hint = `Nothing was done. Correct them and call ${found.shown} again.`;
    throw caller?.badArguments(`${message} ${hint}`) ?? new ToolError(message, hint);
  }
  const tool = offer.tools.find(({ name: offered }) => offered === found.offered);
  if (caller !== undefined && tool !== undefined) {
    return caller.call({ offer, tool, args: rest }, context);
  }
  const reading = await runJob(context, offer.key, {
    method: "call-tool",
    params: { name: found.offered, arguments: rest },
    summary: cutEnd(printable(`${found.shown} ${JSON.stringify(rest)}`), 80),
    onFailure: toolFailure,
    ...times,
  });
  return jobOutcome(reading.job, wholeOutput(reading), context.settings);
}
