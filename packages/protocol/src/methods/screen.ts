import { z } from "zod";
import { count } from "../link/bounds.js";
import { jobId } from "../link/frames.js";
import { ScreenSchema } from "../link/screen.js";
import { ExecLuaResultSchema } from "./lua.js";

/** `run-program` runs a command of the shell in a terminal that can be read. It ends with the program. */
const RunProgramParamsSchema = z.object({
  /** What a player would type at the prompt. */
  command: z.string(),
  /** The size of the terminal; the computer's own unless given. */
  width: z.int().optional(),
  height: z.int().optional(),
  /** Show it on this monitor, in the monitor's size. */
  monitor: z.string().optional(),
  /** Show it on the computer's own screen, where the player can use it too. */
  show: z.boolean().optional(),
});

/** Beside what `exec-lua` answers: `output` is all that scrolled away, and the last screen. */
export const RunProgramResultSchema = ExecLuaResultSchema.extend({
  screen: ScreenSchema.optional().catch(undefined),
});

export type RunProgramResult = z.infer<typeof RunProgramResultSchema>;

/** `read-screen` reads the terminal of a program; without `job` the shared prompt, or the newest program. */
const ReadScreenParamsSchema = z.object({
  /** The id of the `run-program` request. */
  job: z.string().optional(),
  colours: z.boolean().optional(),
});

const ReadScreenResultSchema = z.object({
  /** Whose terminal it is; absent for the shared prompt and the agent's own. */
  job: jobId,
  /** How many inputs the program has not taken yet; an early agent does not say. */
  waiting: count.optional(),
  screen: ScreenSchema,
});

/** One thing that a player's hands would do, or an event of any other kind. */
const InputStepSchema = z.discriminatedUnion("type", [
  /** Characters as `char` events; line breaks and tabs as keys. */
  z.object({ type: z.literal("text"), text: z.string() }),
  /** A key by its name in the game, or several held together: `ctrl+s`. */
  z.object({ type: z.literal("key"), key: z.string() }),
  z.object({
    type: z.literal("click"),
    x: z.int(),
    y: z.int(),
    /** 1 left, 2 right, 3 middle. */
    button: z.int().optional(),
  }),
  z.object({
    type: z.literal("event"),
    name: z.string(),
    args: z.array(z.unknown()).optional(),
    /** How many `args` there are, since null at the end vanishes. */
    count: z.int().optional(),
  }),
]);

export type InputStep = z.infer<typeof InputStepSchema>;

/** `send-input` hands events to a program and reads its screen a moment later. */
const SendInputParamsSchema = z.object({
  /** The id of the `run-program` request; without it the shared prompt. */
  job: z.string().optional(),
  steps: z.array(InputStepSchema),
  /** Who does it, for the player to see at a shared prompt. */
  by: z.string().max(64).optional(),
  /** Seconds that the program has to react, at most 10. */
  settle: z.number().optional(),
  colours: z.boolean().optional(),
});

const SendInputResultSchema = z.object({
  /** How many events that were. */
  sent: count,
  /**
   * How many the program has not taken yet, because it sleeps, computes, or moves. They are kept for it. Keys
   * and buttons that come up again do not count.
   */
  waiting: count,
  /** Whether the program is over now. */
  ended: z.boolean(),
  screen: ScreenSchema,
});

/**
 * `watch-screen` has the agent send `screen` frames for as long as the link lasts, or ends that. The
 * screen is chosen as by `read-screen`, once.
 */
const WatchScreenParamsSchema = z.object({
  job: z.string().optional(),
  on: z.boolean(),
  /** Send the whole screen, also when it is watched already. An early agent always does. */
  whole: z.boolean().optional(),
});

const WatchScreenResultSchema = z.object({
  watching: z.boolean(),
  /** What the frames will name; absent for the shared prompt. */
  job: jobId,
});

export const screenMethods = {
  "run-program": { params: RunProgramParamsSchema, result: RunProgramResultSchema },
  "read-screen": { params: ReadScreenParamsSchema, result: ReadScreenResultSchema },
  "send-input": { params: SendInputParamsSchema, result: SendInputResultSchema },
  "watch-screen": { params: WatchScreenParamsSchema, result: WatchScreenResultSchema },
} as const;
