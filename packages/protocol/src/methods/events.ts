import { z } from "zod";
import { count } from "../link/bounds.js";

/** How many watches an agent keeps. */
export const MAX_EVENT_WATCHES = 32;

/** Events that a client wants to receive. */
export const EventWatchSchema = z.object({
  /** The event's name, in which `*` stands for anything. */
  name: z.string().min(1).max(128),
  /**
   * What arguments must be, by their numbers from 1 on. A text is compared with the argument as text, and
   * `*` in it stands for anything.
   */
  filter: z
    .record(
      z.string().regex(/^[1-9]\d?$/, "must be the number of an argument, from 1 on"),
      z.union([z.string().max(256), z.number(), z.boolean()]),
    )
    .refine((filter) => Object.keys(filter).length <= 8, "has at most 8 conditions")
    .optional(),
});

export type EventWatch = z.infer<typeof EventWatchSchema>;

/** `watch-events` says which events an agent should send: the whole list each time, for this link. */
const WatchEventsParamsSchema = z.object({
  watches: z.array(EventWatchSchema).max(MAX_EVENT_WATCHES),
});

const WatchEventsResultSchema = z.object({
  /** How many watches are in force. */
  watching: count,
});

export const eventsMethods = {
  "watch-events": { params: WatchEventsParamsSchema, result: WatchEventsResultSchema },
} as const;
