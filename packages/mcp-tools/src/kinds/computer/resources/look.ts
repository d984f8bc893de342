import type { LookContext } from "../../../resources/define.js";
import type { Asking } from "../ask.js";

const LOOK_TIMEOUT_MS = 30_000;

export function contextFor(context: LookContext): Asking {
  return { ...context, signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) };
}
