import { z } from "zod";
import { requestId } from "../link/frames.js";
import { luaArray } from "../link/lua.js";

/** How many ids one `check-requests` may name. */
export const MAX_CHECKED_REQUESTS = 128;

/**
 * `check-requests` asks which requests an agent has never seen: the game drops messages when its event
 * queue is full. Sent after those requests on the same ordered wire, its answer is final.
 */
const CheckRequestsParamsSchema = z.object({
  ids: z.array(requestId).max(MAX_CHECKED_REQUESTS),
});

const CheckRequestsResultSchema = z.object({
  /**
   * Those that the agent neither runs, nor keeps an answer for, nor finished recently. They never arrived
   * and may be sent again under the same id.
   */
  unknown: luaArray(requestId, MAX_CHECKED_REQUESTS),
});

/**
 * Requests about the link itself, answered at once whatever else the computer does. A heartbeat leaves nothing
 * behind: the agent keeps no answer for it, so none is acknowledged, and nobody asks whether it arrived.
 */
export const linkMethods = {
  ping: { params: z.undefined(), result: z.unknown(), heartbeat: true },
  "check-requests": {
    params: CheckRequestsParamsSchema,
    result: CheckRequestsResultSchema,
    heartbeat: true,
  },
} as const;
