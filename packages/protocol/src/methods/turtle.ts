import { z } from "zod";
import { cutText, name, number } from "../link/bounds.js";
import { luaArray } from "../link/lua.js";
import { ExecLuaResultSchema } from "./lua.js";

const FacingSchema = z.enum(["north", "east", "south", "west"]);

export type Facing = z.infer<typeof FacingSchema>;

const TurtlePlaceSchema = z.object({
  position: z.object({ x: z.int(), y: z.int(), z: z.int() }).optional(),
  facing: FacingSchema.optional(),
  /** False when others may have moved it, or it was interrupted while moving. */
  certain: z.boolean(),
  note: cutText(1_024).optional(),
});

export type TurtlePlace = z.infer<typeof TurtlePlaceSchema>;

const fuel = z.union([number, z.literal("unlimited")]);

const sides = z.object({ left: name.optional(), right: name.optional() });

const TurtleStatusResultSchema = TurtlePlaceSchema.extend({
  fuel,
  fuelLimit: fuel.optional(),
  selected: z.int(),
  slots: luaArray(
    z.object({
      slot: z.int(),
      name,
      count: number,
      displayName: cutText(512).optional(),
      maxCount: number.optional(),
      damage: number.optional(),
      maxDamage: number.optional(),
      enchantments: luaArray(name, 64).optional(),
    }),
    64,
  ),
  /** Absent before CC:Tweaked 1.116. */
  equipped: sides.optional(),
  /** Where `equipped` is absent: upgrades that are peripherals, such as a modem. */
  attached: sides.optional(),
  running: z.boolean(),
});

const TurtleStepSchema = z.object({
  /**
   * A function of the turtle API, or `sleep` (seconds), `face` (direction), `goto` (x, y, z, then a
   * direction, `dig`, or both). `select`, `refuel` and the drops also accept an item name, which
   * `refuel` and the drops follow with a count.
   */
  op: z.string(),
  times: z.int().optional(),
  args: z.array(z.union([z.number(), z.string()])).optional(),
  optional: z.boolean().optional(),
  text: z.string(),
});

export type TurtleStep = z.infer<typeof TurtleStepSchema>;

const SetPositionParamsSchema = z.object({
  x: z.int().optional(),
  y: z.int().optional(),
  z: z.int().optional(),
  facing: FacingSchema.optional(),
  gps: z.boolean().optional(),
});

export const turtleMethods = {
  "turtle-status": { params: z.object({}), result: TurtleStatusResultSchema },
  /** Runs steps in order, streaming a line for each; the result is that of exec-lua. */
  "turtle-run": {
    params: z.object({ steps: z.array(TurtleStepSchema), rounds: z.int().optional() }),
    result: ExecLuaResultSchema,
  },
  "set-position": { params: SetPositionParamsSchema, result: TurtlePlaceSchema },
} as const;
