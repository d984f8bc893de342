import type { LookContext } from "../../resource/define.js";
import type { Asking } from "../ask.js";

/** How long reading a resource may take. */
const LOOK_TIMEOUT_MS = 30_000;

/** What `ask` needs, for a reader that cannot give up before the time is up. */
export function contextFor(context: LookContext): Asking {
  return { ...context, signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) };
}
