import { ErrorCode, McpError } from "@modelcontextprotocol/sdk/types.js";
import { limits } from "../../limits.js";

/** Counts what the bridge works on for all clients, whether or not they still wait for it. */
export class CallGate {
  #running = 0;

  /** Does the work of one call, if there is room for it. */
  async run<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.#running >= limits.callsAtOnce) {
      throw new McpError(
        ErrorCode.InternalError,
        `The bridge works on ${limits.callsAtOnce} calls, which is its limit. Try again later.`,
      );
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }
}

/**
 * Aborted when the client cancels a call. The SDK's own signal also aborts when the session ends, but a
 * client that goes away has not asked for anything in the game to stop.
 */
export function cancellation(call: AbortSignal, session: AbortSignal): AbortSignal {
  const controller = new AbortController();
  const onAbort = () => {
    if (!session.aborted) controller.abort(call.reason);
  };
  if (call.aborted) onAbort();
  else call.addEventListener("abort", onAbort, { once: true });
  return controller.signal;
}
