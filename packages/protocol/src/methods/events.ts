import { z } from "zod";
import { count } from "../link/bounds.js";

export const MAX_EVENT_WATCHES = 32;

export const EventWatchSchema = z.object({
  name: z.string().min(1).max(128),
  /** Expected arguments by 1-based position. Strings match the argument's text, with `*` as a wildcard. */
  filter: z
    .record(
      z.string().regex(/^[1-9]\d?$/, "must be the number of an argument, from 1 on"),
      z.union([z.string().max(256), z.number(), z.boolean()]),
    )
    .refine((filter) => Object.keys(filter).length <= 8, "has at most 8 conditions")
    .optional(),
});

export type EventWatch = z.infer<typeof EventWatchSchema>;

const WatchEventsParamsSchema = z.object({
  watches: z.array(EventWatchSchema).max(MAX_EVENT_WATCHES),
});

const WatchEventsResultSchema = z.object({
  watching: count,
});

export const eventsMethods = {
  "watch-events": { params: WatchEventsParamsSchema, result: WatchEventsResultSchema },
} as const;
