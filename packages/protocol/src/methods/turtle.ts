import { z } from "zod";
import { cutText, name, number } from "../link/bounds.js";
import { luaArray } from "../link/lua.js";
import { ExecLuaResultSchema } from "./lua.js";

const FacingSchema = z.enum(["north", "east", "south", "west"]);

export type Facing = z.infer<typeof FacingSchema>;

/** Where a turtle is, as far as its agent knows. */
const TurtlePlaceSchema = z.object({
  position: z.object({ x: z.int(), y: z.int(), z: z.int() }).optional(),
  facing: FacingSchema.optional(),
  /** False when it may have been moved by others, or was interrupted while it moved. */
  certain: z.boolean(),
  /** Why it is not certain. */
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
  /** Absent before CC:Tweaked 1.116, which does not report it. */
  equipped: sides.optional(),
  /** Where `equipped` is absent: the upgrades at its sides that are peripherals, such as a modem. */
  attached: sides.optional(),
  /** Whether a turtle-run is under way. */
  running: z.boolean(),
});

const TurtleStepSchema = z.object({
  /**
   * A function of the game's turtle table, or `sleep` (seconds), `face` (a side of the world), `goto` (x, y,
   * z, then a side of the world, `dig`, or both). `select`, `refuel` and the drops also take the name of an
   * item, which `refuel` and the drops follow with a count.
   */
  op: z.string(),
  /** Do it so often. */
  times: z.int().optional(),
  args: z.array(z.union([z.number(), z.string()])).optional(),
  /** A failure of it does not end the run. */
  optional: z.boolean().optional(),
  /** The step as it was written, for messages. */
  text: z.string(),
});

export type TurtleStep = z.infer<typeof TurtleStepSchema>;

const SetPositionParamsSchema = z.object({
  x: z.int().optional(),
  y: z.int().optional(),
  z: z.int().optional(),
  facing: FacingSchema.optional(),
  /** Ask gps instead. */
  gps: z.boolean().optional(),
});

export const turtleMethods = {
  "turtle-status": { params: z.object({}), result: TurtleStatusResultSchema },
  /** Does steps in order, and streams a line for each; it answers as exec-lua does. */
  "turtle-run": {
    params: z.object({ steps: z.array(TurtleStepSchema), rounds: z.int().optional() }),
    result: ExecLuaResultSchema,
  },
  "set-position": { params: SetPositionParamsSchema, result: TurtlePlaceSchema },
} as const;
