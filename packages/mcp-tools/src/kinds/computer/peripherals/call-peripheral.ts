import type { LuaValue } from "@ccbridge/protocol";
import { z } from "zod";
import { acts } from "../../../core/annotations.js";
import { defineTool, type ToolOutcome } from "../../../core/define.js";
import { ReturnsSchema, showLuaValue } from "../../../format/lua-value.js";
import { inline, quoted } from "../../../format/set-apart.js";
import { cutEnd } from "../../../format/text.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";

const MAX_CALLS = 64;
const RESULTS_BYTES = 10_500;
const RESULT_BYTES = 70;
const MAX_RETURNS = 50;
const NO_ANSWER = "the computer did not answer this call";
const NAME_LENGTH = 120;

const CallResultSchema = z.object({
  name: z.string(),
  method: z.string(),
  ok: z.boolean(),
  returns: ReturnsSchema,
  error: z.string().optional(),
});

interface CallOutcome {
  name: string;
  method: string;
  ok: boolean;
  returns: LuaValue[];
  error?: string;
}

interface Shown {
  readonly outcome: CallOutcome;
  readonly text: string;
  readonly isCut: boolean;
}

export const callPeripheral = defineTool({
  name: "call-peripheral",
  title: "Call peripherals",
  effect: "peripherals called",
  description:
    "Calls methods of a computer's peripherals and returns what each returned. The calls run at " +
    "the same time; one that fails does not stop the others.",
  input: z.object({
    ...target,
    calls: z
      .array(
        z.object({
          name: z.string().min(1).describe("The peripheral: a side or a network name."),
          method: z.string().min(1).meta({ description: "One of its methods.", obvious: true }),
          args: z
            .array(z.unknown())
            .max(64)
            .default([])
            .describe("The arguments in order; null is nil."),
        }),
      )
      .min(1)
      .max(MAX_CALLS)
      .describe(`At most ${MAX_CALLS}.`),
  }),
  output: z.object({
    ...computerShape,
    results: z.array(CallResultSchema).describe("One for each call, in the same order."),
  }),
  annotations: acts,
  async handler({ computerId, calls }, context): Promise<ToolOutcome> {
    const { computer, result } = await ask(context, computerId, "call-peripheral", {
      calls: calls.map((call) => ({ ...call, count: call.args.length })),
    });
    const called = calls.map((call) => `${shownName(call.name)}.${shownName(call.method)}`);
    const overhead = called.map(({ length }) => length);
    const room = RESULTS_BYTES - overhead.reduce((sum, each) => sum + each + RESULT_BYTES, 0);
    const share = Math.max(40, Math.floor(room / calls.length));
    const shown = calls.map((call, index): Shown => {
      const outcome = result.results[index];
      const [name, method] = [cutEnd(call.name, NAME_LENGTH), cutEnd(call.method, NAME_LENGTH)];
      if (outcome?.ok === true) return succeeded({ name, method }, outcome.returns, share);
      const error = outcome?.error;
      const why = outcome === undefined ? NO_ANSWER : "no reason given";
      return {
        outcome: { name, method, ok: false, returns: [], error: cutEnd(error ?? why, share) },
        text: `FAILED: ${error === undefined ? why : quoted(error, share)}`,
        isCut: false,
      };
    });
    const results = shown.map(({ outcome }) => outcome);
    const failed = results.filter(({ ok }) => !ok).length;
    const lines = shown.map(({ text }, index) => `${called[index]}: ${text}`);
    if (shown.some(({ isCut }) => isCut)) {
      lines.push(
        "A returned value was cut: for the rest, use exec-lua with peripheral.call(name, method) and return part of what it returns.",
      );
    }
    if (failed > 0) {
      lines.push(
        `${failed} of ${calls.length} calls failed on ${computer.name}. Correct only those and call again; list-peripherals shows what can be called.`,
      );
    } else {
      lines.unshift(`Called on ${computer.name}:`);
    }
    return {
      text: lines.join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        results,
      }),
      ...(failed === calls.length ? { isError: true } : {}),
    };
  },
});

const shownName = (name: string) => inline(name, NAME_LENGTH);

function succeeded(
  named: { name: string; method: string },
  returned: readonly LuaValue[],
  share: number,
): Shown {
  const each = Math.max(40, Math.floor(share / Math.max(1, returned.length)));
  const shown = returned.slice(0, MAX_RETURNS).map((value) => showLuaValue(value, each));
  const returns = shown.map(({ value }) => value);
  const more = returned.length - shown.length;
  return {
    outcome: { ...named, ok: true, returns },
    text:
      shown.length === 0
        ? "nothing returned"
        : `${shown.map(({ text }) => text).join(", ")}${more > 0 ? ` and ${more} more values (cut)` : ""}`,
    isCut: more > 0 || returns.some(({ truncated }) => truncated === true),
  };
}
