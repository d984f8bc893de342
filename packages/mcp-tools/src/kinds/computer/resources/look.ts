import type { ReadContext } from "../../../core/resource.js";
import type { Asking } from "../ask.js";

const LOOK_TIMEOUT_MS = 30_000;

export function contextFor(context: ReadContext): Asking {
  return { ...context, signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) };
}
