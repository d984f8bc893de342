import type { MethodParams } from "@ccbridge/protocol";
import { z } from "zod";
import { colourNames } from "../../format/colours.js";
import { actsOnce } from "../../tool/annotations.js";
import { defineTool } from "../../tool/define.js";
import { ToolError } from "../../tool/errors.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";

const Colours = z.array(z.enum(colourNames));

const SideSchema = z.object({
  side: z.string(),
  input: z.int().describe("The signal that comes in, 0 to 15; above 0 is on."),
  output: z.int().describe("The signal that the computer gives, 0 to 15."),
  bundledInput: Colours.describe(
    "Colours that are on in a bundled cable, for mods that have them.",
  ),
  bundledOutput: Colours,
});

type Side = z.infer<typeof SideSchema>;

export const redstone = defineTool({
  name: "redstone",
  title: "Read and set redstone",
  description:
    "Reads the redstone signals at the sides of a computer, or sets its output at one side (output, " +
    "strength or bundled) and then reads them. Outputs last until they are set again or the " +
    "computer goes off.",
  input: z.object({
    ...target,
    side: z
      .enum(["top", "bottom", "left", "right", "front", "back"])
      .optional()
      .describe("The side to set. Needs one of output, strength or bundled."),
    output: z.boolean().optional().describe("true gives full strength, false nothing."),
    strength: z.int().min(0).max(15).optional().describe("The strength to give, 0 to 15."),
    bundled: Colours.optional().describe(
      "The colours that shall be on, all others off; an empty list turns all off.",
    ),
  }),
  output: z.object({
    ...computerShape,
    set: z.string().optional().describe("The side that was set."),
    sides: z.array(SideSchema),
  }),
  annotations: actsOnce,
  async handler({ computerId, side, output, strength, bundled }, context) {
    const given = [output, strength, bundled].filter((value) => value !== undefined).length;
    if (given > 1 || (given === 1) !== (side !== undefined)) {
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
    };
    const { computer, result } = await ask(context, computerId, "redstone", params);
    const sides = result.sides.map((each) => ({
      side: each.side,
      input: level(each.input),
      output: level(each.output),
      bundledInput: toColours(each.bundledInput),
      bundledOutput: toColours(each.bundledOutput),
    }));
    const head = side === undefined ? "Redstone at" : `The side ${side} is set. Redstone at`;
    return {
      text: [`${head} ${computer.name}:`, ...sides.map(sideText)].join("\n"),
      structured: {
        ...computerFacts(computer),
        ...(side === undefined ? {} : { set: side }),
        sides,
      },
    };
  },
});

const level = (value: number) => Math.max(0, Math.min(15, Math.round(value)));

function toMask(names: readonly string[]): number {
  return colourNames.reduce(
    (mask, colour, bit) => mask + (names.includes(colour) ? 2 ** bit : 0),
    0,
  );
}

function toColours(mask: number): Side["bundledInput"] {
  return colourNames.filter((_, bit) => Math.floor(mask / 2 ** bit) % 2 === 1);
}

function sideText({ side, input, output, bundledInput, bundledOutput }: Side): string {
  const bundled = [
    bundledInput.length === 0 ? "" : `, bundled in ${bundledInput.join("+")}`,
    bundledOutput.length === 0 ? "" : `, bundled out ${bundledOutput.join("+")}`,
  ];
  return `${side}: in ${input}, out ${output}${bundled.join("")}`;
}
