import type { MethodParams, MethodResult } from "@ccbridge/protocol";
import { z } from "zod";
import { actsOnce } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { colourNames, coloursOf } from "../../../format/colours.js";
import { inline } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { ask } from "../undo/ask.js";

const Colours = z.array(z.enum(colourNames));

export const sideNames = ["top", "bottom", "left", "right", "front", "back"] as const;

const SideSchema = z.object({
  side: z.string(),
  input: z.int().describe("The incoming signal, 0 to 15; above 0 is on."),
  output: z.int().describe("The signal the computer outputs, 0 to 15."),
  bundledInput: Colours.describe(
    "Colours that are on in a bundled cable, with mods that have such cables.",
  ),
  bundledOutput: Colours,
});

type Side = z.infer<typeof SideSchema>;

export function sideFacts({ sides }: MethodResult<"redstone">): Side[] {
  return sides.map((each) => ({
    side: each.side,
    input: level(each.input),
    output: level(each.output),
    bundledInput: coloursOf(each.bundledInput),
    bundledOutput: coloursOf(each.bundledOutput),
  }));
}

const RedstoneEventSchema = z.object({
  changed: z.record(z.string(), z.object({ to: z.number() })),
});

/** What a redstone event changed, by side. Older agents send the event alone, as the game does. */
export function changedInputs([about]: readonly unknown[]): Record<string, number> | undefined {
  const { data } = RedstoneEventSchema.safeParse(about);
  if (data === undefined) return undefined;
  return Object.fromEntries(Object.entries(data.changed).map(([side, { to }]) => [side, to]));
}

export function signalLines(sides: readonly Side[]): string[] {
  const on = sides.filter(hasSignal);
  if (on.length === 0) return ["No side has a redstone signal, in or out."];
  const rest = on.length === sides.length ? [] : ["The other sides have no signal."];
  return [...on.map(sideText), ...rest];
}

export function changeLines(before: readonly Side[], now: readonly Side[]): string[] {
  return now.flatMap(({ side, input, bundledInput }) => {
    const old = before.find((other) => other.side === side);
    if (old === undefined) return [];
    const colours = (names: readonly string[]) => (names.length === 0 ? "none" : names.join("+"));
    const [was, is] = [colours(old.bundledInput), colours(bundledInput)];
    const parts = [
      old.input === input ? [] : [`in ${old.input} -> ${input}`],
      was === is ? [] : [`bundled in ${was} -> ${is}`],
    ].flat();
    return parts.length === 0 ? [] : [`${inline(side)}: ${parts.join(", ")}`];
  });
}

function toMask(names: readonly string[]): number {
  return colourNames.reduce(
    (mask, colour, bit) => mask + (names.includes(colour) ? 2 ** bit : 0),
    0,
  );
}

const level = (value: number) => Math.max(0, Math.min(15, Math.round(value)));

const hasSignal = ({ input, output, bundledInput, bundledOutput }: Side) =>
  input > 0 || output > 0 || bundledInput.length > 0 || bundledOutput.length > 0;

function sideText({ side, input, output, bundledInput, bundledOutput }: Side): string {
  const bundled = [
    bundledInput.length === 0 ? "" : `, bundled in ${bundledInput.join("+")}`,
    bundledOutput.length === 0 ? "" : `, bundled out ${bundledOutput.join("+")}`,
  ];
  return `${inline(side)}: in ${input}, out ${output}${bundled.join("")}`;
}

export const redstone = defineTool({
  name: "redstone",
  title: "Read and set redstone",
  effect: "redstone",
  description:
    "Reads the redstone signals at a computer's sides; given a side, it first sets the output there. " +
    "Without pulseMs an output lasts until it is set again or the computer shuts down.",
  input: z.object({
    ...target,
    side: z
      .enum(sideNames)
      .optional()
      .describe("The side to set. Needs one of output, strength or bundled."),
    output: z.boolean().optional().describe("true is full strength, false is off."),
    strength: z.int().min(0).max(15).optional().describe("0 to 15."),
    bundled: Colours.optional().describe("The colours to switch on; all others go off."),
    pulseMs: z
      .int()
      .min(50)
      .max(10_000)
      .optional()
      .describe("Set it for this long only, then restore it."),
  }),
  output: z.object({
    ...computerShape,
    set: z.string().optional().describe("The side that was set."),
    sides: z.array(SideSchema),
  }),
  annotations: actsOnce,
  async handler({ computerId, side, output, strength, bundled, pulseMs }, context) {
    const given = [output, strength, bundled].filter((value) => value !== undefined).length;
    if (given > 1 || (given === 1) !== (side !== undefined) || (given === 0 && pulseMs)) {
      throw new ToolError(
        given > 1
          ? "Only one of output, strength and bundled can be set at a time."
          : side === undefined
            ? "The side to set is missing."
            : `There is nothing to set at the side ${side}.`,
        "Nothing was changed. Give side and one of output, strength or bundled; or none of them to read.",
      );
    }
    const params: MethodParams<"redstone"> = {
      ...(side === undefined ? {} : { side }),
      ...(output === undefined ? {} : { output }),
      ...(strength === undefined ? {} : { strength }),
      ...(bundled === undefined ? {} : { bundled: toMask(bundled) }),
      ...(pulseMs === undefined ? {} : { pulseMs }),
    };
    const { computer, result } = await ask(context, computerId, "redstone", params);
    const sides = sideFacts(result);
    const done =
      side === undefined
        ? ""
        : pulseMs === undefined
          ? `The side ${side} is set. `
          : `The side ${side} was set for ${pulseMs} ms and then restored. `;
    return {
      text: [`${done}Redstone at ${computer.name}:`, ...signalLines(sides)].join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        ...(side === undefined ? {} : { set: side }),
        sides,
      }),
    };
  },
});
