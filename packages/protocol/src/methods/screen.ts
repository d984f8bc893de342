import { z } from "zod";
import { count } from "../link/bounds.js";
import { jobId } from "../link/frames.js";
import { luaArray } from "../link/lua.js";
import { ScreenSchema } from "../link/screen.js";
import { ExecLuaResultSchema, keep } from "./lua.js";

const RunProgramParamsSchema = z.object({
  command: z.string(),
  width: z.int().optional(),
  height: z.int().optional(),
  monitor: z.string().optional(),
  show: z.boolean().optional(),
  keep,
});

export const RunProgramResultSchema = ExecLuaResultSchema.extend({
  screen: ScreenSchema.optional().catch(undefined),
});

export type RunProgramResult = z.infer<typeof RunProgramResultSchema>;

/** Without `job`: the shared prompt, or the newest program. `monitor:<name>` is a monitor. */
const ReadScreenParamsSchema = z.object({
  job: z.string().optional(),
  colours: z.boolean().optional(),
});

const ReadScreenResultSchema = z.object({
  job: jobId,
  /** Inputs not yet consumed by the program; absent from early agents. */
  waiting: count.optional(),
  screen: ScreenSchema,
  /** Of a monitor: since when what is drawn on it is recorded, in milliseconds since 1970. */
  since: z.number().optional().catch(undefined),
  /** Of a monitor: whether all of it was drawn since then. */
  complete: z.boolean().optional().catch(undefined),
});

const InputStepSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("text"), text: z.string() }),
  /** A key by its name in the game, or a chord: `ctrl+s`. */
  z.object({ type: z.literal("key"), key: z.string() }),
  z.object({
    type: z.literal("click"),
    x: z.int(),
    y: z.int(),
    button: z.int().optional(),
  }),
  z.object({
    type: z.literal("event"),
    name: z.string(),
    args: z.array(z.unknown()).optional(),
    /** Number of `args`: trailing nulls are lost in Lua. */
    count: z.int().optional(),
  }),
]);

export type InputStep = z.infer<typeof InputStepSchema>;

const SendInputParamsSchema = z.object({
  job: z.string().optional(),
  steps: z.array(InputStepSchema),
  by: z.string().max(64).optional(),
  /** Seconds to wait before the screen is read, at most 10. */
  settle: z.number().optional(),
  colours: z.boolean().optional(),
});

const SendInputResultSchema = z.object({
  sent: count,
  /** Inputs still queued because the program sleeps, computes or moves. Key and button releases do not count. */
  waiting: count,
  ended: z.boolean(),
  /** What the player had typed at the shared prompt without entering it was removed before the input. */
  cleared: z.boolean().optional().catch(undefined),
  screen: ScreenSchema,
});

/** Starts or stops `screen` frames for the lifetime of the link. The screen is resolved once, as by `read-screen`. */
const WatchScreenParamsSchema = z.object({
  job: z.string().optional(),
  on: z.boolean(),
  /** Send a full screen even if already watched. Early agents always do. */
  whole: z.boolean().optional(),
});

const WatchScreenResultSchema = z.object({
  watching: z.boolean(),
  job: jobId,
});

const monitor = z.string().max(256);

/** Adds or removes a program that starts with the agent; returns those that do. */
const BootProgramsParamsSchema = z.object({
  add: RunProgramParamsSchema.omit({ show: true, keep: true }).optional(),
  remove: z.string().optional(),
});

const BootProgramsResultSchema = z.object({
  programs: luaArray(
    z.object({
      command: z.string().max(4_096),
      monitor: monitor.optional().catch(undefined),
      job: jobId,
    }),
    64,
    "cut",
  ),
  /** Switched off, since the computer went down soon after they started, several times in a row. */
  off: z.boolean().default(false),
  /** Whether the agent itself starts at boot. */
  autostart: z.boolean().optional(),
  removed: z.boolean().optional(),
});

export const screenMethods = {
  "boot-programs": { params: BootProgramsParamsSchema, result: BootProgramsResultSchema },
  "run-program": { params: RunProgramParamsSchema, result: RunProgramResultSchema },
  "read-screen": { params: ReadScreenParamsSchema, result: ReadScreenResultSchema },
  "send-input": { params: SendInputParamsSchema, result: SendInputResultSchema },
  "watch-screen": { params: WatchScreenParamsSchema, result: WatchScreenResultSchema },
} as const;
