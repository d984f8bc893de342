import { type JobFailure, type ProviderOffer, printable } from "@ccbridge/registry";
import { addingHints, type ReadCall } from "../core/call.js";
import type { ToolContext, ToolOutcome } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import type { Kinds } from "../core/kind.js";
import { type OfferedTimes, offeredFacts } from "../core/offered.js";
import { cutEnd } from "../format/text.js";
import { jobOutcome, wholeOutput } from "../jobs/report.js";
import { runJob } from "../jobs/run.js";
import { chooseOffer } from "./address.js";
import { type FoundTool, isReadOnly } from "./found.js";

const toolFailure: JobFailure = {
  code: "tool-error",
  hint: "The tool stopped there; what it did before that is done. Correct the arguments, or its program.",
};

interface RawCall {
  readonly found: FoundTool;
  readonly args: unknown;
}

/**
 * Reads a call of an offered tool as a client made it: chooses the provider and checks the arguments. Kinds of
 * providers without their own caller run their tools as jobs.
 */
export function readOffered(
  kinds: Kinds,
  { found, args }: RawCall,
  times: OfferedTimes = {},
): ReadCall {
  if (typeof args !== "object" || args === null || Array.isArray(args)) {
    throw new ToolError(
      `The arguments of ${found.shown} must be an object.`,
      `Nothing was done. Correct them and call ${found.shown} again.`,
    );
  }
  const given = args as Record<string, unknown>;
  const { offer, rest } = chooseOffer(kinds, found, given);
  const { kind } = offer.provider;
  const caller = kinds.get(kind)?.offers;
  const { problems, skipped } = found.schema.evaluator.check(rest);
  if (problems.length > 0) {
    const message = `The arguments of ${found.shown} are not valid. ${problems.join(" ")}`;
    const hint = `Nothing was done. Correct them and call ${found.shown} again.`;
    throw caller?.badArguments(`${message} ${hint}`) ?? new ToolError(message, hint);
  }
  return {
    tool: offeredFacts(found.shown, kind, isReadOnly(found)),
    args: given,
    findTargets: async () => [offer],
    run(context) {
      const outcome =
        caller !== undefined
          ? caller.call({ offer, tool: offer.tool, args: rest }, context)
          : runOffered({ offer, found, args: rest }, context, times);
      return outcome
        .then((answer) => withNote(answer, skipped))
        .catch(addingHints(kind, context.settings));
    },
  };
}

function withNote(outcome: ToolOutcome, skipped: readonly string[]): ToolOutcome {
  if (skipped.length === 0) return outcome;
  const text = `[The bridge passed the arguments on without checking ${skipped.slice(0, 3).join(", ")}.]`;
  if (outcome.blocks === undefined) return { ...outcome, text: `${outcome.text}\n${text}` };
  return { ...outcome, blocks: [...outcome.blocks, { type: "text", text }] };
}

async function runOffered(
  { offer, found, args }: { offer: ProviderOffer; found: FoundTool; args: object },
  context: ToolContext,
  times: OfferedTimes,
): Promise<ToolOutcome> {
  const reading = await runJob(context, offer.key, {
    method: "call-tool",
    params: { name: found.offered, arguments: args },
    summary: cutEnd(printable(`${found.shown} ${JSON.stringify(args)}`), 80),
    onFailure: context.settings.kinds.get(offer.provider.kind)?.jobs?.onToolFailure ?? toolFailure,
    ...times,
  });
  return jobOutcome(reading.job, wholeOutput(reading), context.settings);
}
