import { z } from "zod";
import { count, cutText, name, number } from "../link/bounds.js";
import { requestId } from "../link/frames.js";
import { luaArray } from "../link/lua.js";
import { ExecLuaResultSchema, keep } from "./lua.js";

const AboutComputerResultSchema = z.object({
  /** Grouped by kind; `name` only where there is one of a kind, `size` only for monitors. Absent when unknown. */
  attached: luaArray(
    z.object({ kind: name, count, name: name.optional(), size: name.optional().catch(undefined) }),
    64,
  ).optional(),
  kinds: count.default(0),
  programs: luaArray(name, 64).optional(),
  programCount: count.default(0),
  /** Absent when what the player runs is unknown. */
  tabs: luaArray(name, 64).optional(),
  /** What runs at the prompt that the agent keeps for the player. */
  prompt: name.optional().catch(undefined),
  fuel: z.union([number, z.literal("unlimited")]).optional(),
});

export type AboutComputer = z.infer<typeof AboutComputerResultSchema>;

export const aboutMethods = {
  "about-computer": { params: z.object({}), result: AboutComputerResultSchema },
} as const;

export const MAX_CHECKED_REQUESTS = 128;

// `check-requests` asks which requests never arrived: the game drops messages when its event queue
// is full. It is sent after those requests on the same ordered connection, so its answer is final.
const CheckRequestsParamsSchema = z.object({
  ids: z.array(requestId).max(MAX_CHECKED_REQUESTS),
});

const CheckRequestsResultSchema = z.object({
  /** Neither running, nor answered, nor recently finished: safe to resend under the same id. */
  unknown: luaArray(requestId, MAX_CHECKED_REQUESTS),
});

/**
 * Requests about the link itself, answered even while the computer is busy. The agent keeps no
 * response for a heartbeat, so it is neither acknowledged nor checked for arrival.
 */
export const linkMethods = {
  ping: { params: z.undefined(), result: z.unknown(), heartbeat: true },
  "check-requests": {
    params: CheckRequestsParamsSchema,
    result: CheckRequestsResultSchema,
    heartbeat: true,
  },
} as const;

const GoingSchema = z.object({ autostart: z.boolean().optional() });

export const powerMethods = {
  /** An empty label removes it. Returns the label that the game now shows. */
  "set-label": {
    params: z.object({ label: z.string() }),
    result: z.object({ label: cutText(128).optional() }),
  },
  /** Replaces the agent by the program that the bridge serves; a changed one starts after the answer. */
  "update-agent": {
    params: z.object({}),
    result: z.object({ from: cutText(64), version: cutText(64), changed: z.boolean() }),
  },
  /** Answered before the computer goes down. */
  "reboot-computer": { params: z.object({}), result: GoingSchema },
  "shutdown-computer": { params: z.object({}), result: GoingSchema },
} as const;

const CallToolParamsSchema = z.object({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()).optional(),
  keep,
});

export const offeredMethods = {
  "call-tool": { params: CallToolParamsSchema, result: ExecLuaResultSchema },
} as const;
