import { findComputer } from "@ccbridge/registry";
import { z } from "zod";
import { changes } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { capital } from "../../../format/text.js";
import { ask } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { FacingSchema, placeFacts, placeShape, placeText } from "./place.js";
import { requireTurtle } from "./require-turtle.js";

export const setPosition = defineTool({
  name: "set-position",
  title: "Tell a turtle where it is",
  description:
    "Tells a turtle its position and facing, which it cannot find out by itself: from the player's " +
    "F3 screen, or by gps. Its moves are tracked from then on.",
  input: z.object({
    ...target,
    x: z.int().optional().meta({ description: "East is positive.", obvious: true }),
    y: z.int().optional().describe("Height. Give all three, or gps."),
    z: z.int().optional().meta({ description: "South is positive.", obvious: true }),
    facing: FacingSchema.optional().describe("Which way it faces. Default: unchanged."),
    gps: z.boolean().optional().describe("Find the position with gps instead."),
  }),
  output: z.object({ ...computerShape, ...placeShape }),
  annotations: changes,
  async handler({ computerId, x, y, z: south, facing, gps }, context) {
    requireTurtle(await findComputer(context.providers, computerId));
    const given = [x, y, south].filter((value) => value !== undefined).length;
    if (gps === true ? given > 0 : given < 3) {
      throw new ToolError(
        gps === true ? "With gps, x, y and z must be left out." : "x, y and z are all needed.",
        "Nothing was set. Give x, y and z, or gps alone; facing with either.",
      );
    }
    const { computer, result } = await ask(context, computerId, "set-position", {
      ...(gps === true ? { gps } : { x, y, z: south }),
      ...(facing === undefined ? {} : { facing }),
    });
    const hint =
      result.facing === undefined
        ? "\nIts facing is unknown, so forward and back will lose the position: give facing as well."
        : "";
    return {
      text: `${capital(computer.name)} is ${placeText(result)}.${hint}`,
      structured: () => ({
        ...computerFacts(computer),
        ...placeFacts(result),
      }),
    };
  },
});
