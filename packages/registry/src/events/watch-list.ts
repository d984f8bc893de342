import { type EventWatch, MAX_EVENT_WATCHES } from "@ccbridge/protocol";
import { LinkError, LinkErrorCode } from "../errors.js";
import { sameWatch } from "./event-match.js";

/** Whether watches replace a list, join it, or leave it. */
export type WatchMode = "set" | "add" | "remove";

/** A changed list of watches, none of them twice. Throws a {@link LinkError} when it is too long. */
export function changeWatches(
  watches: readonly EventWatch[],
  named: readonly EventWatch[],
  mode: WatchMode,
): EventWatch[] {
  if (mode === "remove") {
    return watches.filter((watch) => !named.some((other) => sameWatch(watch, other)));
  }
  const result: EventWatch[] = mode === "set" ? [] : [...watches];
  for (const watch of named) {
    if (!result.some((other) => sameWatch(watch, other))) result.push(watch);
  }
  if (result.length > MAX_EVENT_WATCHES) {
    throw new LinkError(
      LinkErrorCode.tooManyWatches,
      `That would be ${result.length} watches on one provider, and the limit is ${MAX_EVENT_WATCHES}. Nothing was changed.`,
    );
  }
  return result;
}
