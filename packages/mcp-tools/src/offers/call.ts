import {
  type JobFailure,
  type OfferedTool,
  type ProviderOffer,
  printable,
} from "@ccbridge/registry";
import { addingHints, type ReadCall } from "../core/call.js";
import type { ToolContext, ToolOutcome } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import type { Kinds } from "../core/kind.js";
import { type OfferedTimes, offeredFacts } from "../core/offered.js";
import { nearestName } from "../format/nearest-name.js";
import { quoted } from "../format/set-apart.js";
import { cutEnd } from "../format/text.js";
import { jobOutcome, wholeOutput } from "../jobs/report.js";
import { runJob } from "../jobs/run.js";
import { chooseOffer } from "./address.js";
import type { InputSchema } from "./input-schema.js";
import type { NamedTool } from "./names.js";

export interface FoundOffer extends ProviderOffer {
  readonly tool: OfferedTool;
}

export interface FoundTool extends NamedTool {
  readonly offers: readonly FoundOffer[];
  readonly schema: InputSchema;
  /** The argument that chooses the provider; undefined when the name stands for only one. */
  readonly which: string | undefined;
}

export function isReadOnly({ offers }: FoundTool): boolean {
  return offers.every(({ tool }) => tool.readOnly === true);
}

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
  if (caller === undefined) problems.push(...unknownArguments(found.schema, rest));
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

/**
 * A schema allows arguments that it does not name, unless it says otherwise. Tools that run
 * as jobs do not expect any: a misspelt one would be ignored there.
 */
function unknownArguments({ full }: FoundTool["schema"], args: object): string[] {
  const { properties, ...others } = full;
  const isOpen = Object.keys(others).some((keyword) => opening.has(keyword));
  if (typeof properties !== "object" || properties === null || isOpen) return [];
  const known = Object.keys(properties);
  const unknown = Object.keys(args).filter((name) => !known.includes(name));
  return unknown.slice(0, MAX_UNKNOWN).map((name) => {
    const near = nearestName(name, known);
    const advice =
      near === undefined ? `It has ${known.join(", ") || "none"}.` : `Did you mean ${near}?`;
    return `It has no argument ${quoted(name, 64)}. ${advice}`;
  });
}

const MAX_UNKNOWN = 3;

/** Keywords by which a schema itself decides about arguments that `properties` does not name. */
const opening: ReadonlySet<string> = new Set([
  "additionalProperties",
  "patternProperties",
  "unevaluatedProperties",
  ...["$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"],
]);

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
