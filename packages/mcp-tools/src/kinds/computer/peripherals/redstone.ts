import type { MethodParams } from "@ccbridge/protocol";
import { z } from "zod";
import { actsOnce } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import {
  Colours,
  SideSchema,
  sideFacts,
  sideNames,
  signalLines,
  toMask,
} from "../redstone-sides.js";

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
