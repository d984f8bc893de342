import { type EventWatch, EventWatchSchema } from "@ccbridge/protocol";
import type { EventsView } from "@ccbridge/registry";
import { z } from "zod";
import { ToolError } from "../../../core/errors.js";
import { sideNames } from "../redstone-sides.js";

export const listedFilter = EventWatchSchema.shape.filter;

export const filter = listedFilter.describe(
  'Required arguments, by position: { "2": 7 }. In text, * matches anything.',
);
const sides: readonly unknown[] = sideNames;

/** Refuses a filter that can never match: the game does not report the side of a redstone event. */
export function refuseVainFilter({ name, filter = {} }: EventWatch): void {
  const bySide = Object.values(filter).some((value) => sides.includes(value));
  if (name !== "redstone" || !bySide) return;
  throw new ToolError(
    "Redstone events cannot be filtered by side: the game does not say which side changed.",
    "Leave the filter out. Each event that you get shows which sides changed, with their strength before and after.",
  );
}

export const eventName = EventWatchSchema.shape.name;
export const watchesOut = z
  .array(z.object({ name: z.string(), filter: z.record(z.string(), z.unknown()).optional() }))
  .describe("What you watch now.");
export const cursorOut = z
  .int()
  .describe("Pass this to get-events or wait-for-event to continue from here.");

export interface Losses {
  missed: number;
  dropped: number;
  restarted: boolean;
}

export function lossNote({ watches, linked, end }: EventsView, page: Losses): string | undefined {
  const notes = [
    page.restarted
      ? `That cursor is past the end, which is ${end}: the log was restarted, or the cursor is wrong. Everything that is kept is shown instead.`
      : "",
    page.missed > 0 ? `${page.missed} older events are no longer kept.` : "",
    page.dropped > 0
      ? `${page.dropped} watched events were lost: there were too many, or the link was down.`
      : "",
    watches.length === 0
      ? "You are not watching anything there: call watch-events to have events kept."
      : "",
    linked ? "" : "The computer is not linked now; watching resumes when it is back.",
  ];
  const parts = notes.filter((note) => note !== "");
  return parts.length === 0 ? undefined : parts.join(" ");
}
