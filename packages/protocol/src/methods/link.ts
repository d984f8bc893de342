import { z } from "zod";
import { requestId } from "../link/frames.js";
import { luaArray } from "../link/lua.js";

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
