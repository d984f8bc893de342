import { computerName, computerRef } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../../../core/annotations.js";
import { defineTool } from "../../../core/define.js";
import { inline, toJson } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { cursorOut, eventName, lossNote, watchesOut } from "./common.js";
import { EventReportSchema, eventPage } from "./show-event.js";

export const getEvents = defineTool({
  name: "get-events",
  title: "Read events",
  description:
    "Shows the events that you watch on a computer, oldest first. Pass the cursor of the last answer to " +
    "see only newer ones.",
  input: z.object({
    ...target,
    cursor: z
      .int()
      .nonnegative()
      .optional()
      .describe("Show events from here on: the cursor of an earlier answer."),
    limit: z.int().min(1).max(200).default(50).describe("Show at most this many."),
    name: eventName
      .optional()
      .describe("Only events with this name; * matches anything, as in turtle_*."),
  }),
  output: z.object({
    ...computerShape,
    linked: z.boolean().describe("Whether the computer is linked now."),
    watches: watchesOut,
    events: z.array(EventReportSchema),
    cursor: cursorOut,
    more: z.int().describe("Events after the cursor, of any name, that are already there."),
    missed: z.int().describe("Events at the given cursor that are no longer kept."),
    dropped: z
      .int()
      .describe("Watched events that were lost: there were too many, or a link dropped."),
    note: z.string().optional(),
  }),
  annotations: readOnly,
  async handler({ computerId, cursor, limit, name }, { providers }) {
    const view = await providers.events.find(computerRef(computerId));
    const { key, identity, watches, linked } = view;
    const watch = name !== undefined ? { name } : watches.length > 0 ? watches : undefined;
    const page = await eventPage(
      (count) => providers.events.read(key, { cursor, limit: count, watch }),
      limit,
    );
    const more = Math.max(0, view.end - page.next);
    const note = lossNote(view, page);
    const rest = toJson({ computerId, cursor: page.next, name });
    const lines = [
      page.lines.length === 0
        ? `No ${name === undefined ? "" : `${inline(name)} `}events of ${computerName(identity)}${cursor === undefined ? "" : " since then"}.`
        : `Events of ${computerName(identity)}:`,
      ...page.lines,
      note,
      more > 0 ? `${more} more: get-events ${rest}.` : `For newer events: get-events ${rest}.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: () => ({
        ...computerFacts(view),
        linked,
        watches: [...watches],
        events: page.reports,
        cursor: page.next,
        more,
        missed: page.missed,
        dropped: page.dropped,
        ...(note === undefined ? {} : { note }),
      }),
    };
  },
});
