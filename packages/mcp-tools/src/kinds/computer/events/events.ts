import { type EventWatch, EventWatchSchema, MAX_EVENT_WATCHES } from "@ccbridge/protocol";
import { computerName, computerRef, type EventsView, findComputer } from "@ccbridge/registry";
import { z } from "zod";
import { changes, readOnly } from "../../../core/annotations.js";
import { limitOf } from "../../../core/arguments.js";
import { readSpan, timeSpan } from "../../../core/clock.js";
import { defineTool } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { inline, toJson } from "../../../format/set-apart.js";
import { CUT_OFF, MOVED } from "../../../format/text.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { sideNames } from "../peripherals/redstone.js";
import { quickly, requireMethod, resultOf } from "../request.js";
import { EventReportSchema, eventPage, watchText } from "./show-event.js";

const listedFilter = EventWatchSchema.shape.filter;

const sides: readonly unknown[] = sideNames;

/** Refuses a filter that can never match: the game does not report the side of a redstone event. */
export function refuseVainFilter({ name, filter = {} }: EventWatch): void {
  const bySide = Object.values(filter).some((value) => sides.includes(value));
  if (name !== "redstone" || !bySide) return;
  throw new ToolError(
    "Redstone events cannot be filtered by side as an argument: the game does not say which side changed.",
    'Leave the filter out. Each event that you get shows which sides changed, with their strength before and after. wait-for-event takes the side as a filter: {"left":true}.',
  );
}

export const eventName = EventWatchSchema.shape.name;
const watchesOut = z
  .array(z.object({ name: z.string(), filter: z.record(z.string(), z.unknown()).optional() }))
  .describe("What you watch now.");
export const cursorOut = z
  .int()
  .describe("Pass this to get-events or wait-for-event to continue from here.");

export interface Losses {
  missed: number;
  dropped: number;
  restarted: boolean;
  cutOff?: boolean;
  hasMoved?: boolean;
}

export function lossNote({ watches, linked, end }: EventsView, page: Losses): string | undefined {
  const notes = [
    page.restarted
      ? `That cursor is past the end, which is ${end}: the log was restarted, or the cursor is wrong. Everything that is kept is shown instead.`
      : "",
    page.cutOff ? CUT_OFF : "",
    page.hasMoved ? MOVED : "",
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

export const watchEvents = defineTool({
  name: "watch-events",
  title: "Watch events",
  description:
    "Keeps a computer's events for you (redstone, peripheral, rednet_message, chat, monitor_touch, " +
    "anything programs queue); without events it shows what is watched. Read them with " +
    "get-events or wait-for-event.",
  input: z.object({
    ...target,
    events: z
      .array(
        z.union([eventName, z.object({ name: eventName, filter: listedFilter })], {
          error:
            'must be a name of 1 to 128 characters, or { name, filter } where the filter gives arguments by position, as in { "2": 7 }',
        }),
      )
      .max(MAX_EVENT_WATCHES)
      .default([])
      .describe(
        'Names ("redstone", "turtle_*"), or {"name":"modem_message","filter":{"2":7}} with required arguments.',
      ),
    mode: z
      .enum(["set", "add", "remove"])
      .default("add")
      .describe("set replaces your list with these."),
  }),
  output: z.object({
    ...computerShape,
    watches: watchesOut,
    cursor: cursorOut,
  }),
  annotations: changes,
  async handler({ computerId, events, mode }, context) {
    const { providers } = context;
    const computer = await findComputer(providers, computerId);
    requireMethod(context, computer, "watch-events");
    const cursor = (await providers.events.get(computer.key))?.end ?? 0;
    const named = events.map(
      (event): EventWatch => (typeof event === "string" ? { name: event } : event),
    );
    if (mode !== "remove") named.forEach(refuseVainFilter);
    if (named.length > 0 || mode === "set") {
      const change = { mode, watches: named };
      const response = await providers.events.watch(computer.key, change, quickly(context));
      resultOf(context, computer, "watch-events", response);
    }
    const name = computerName(computer.provider);
    const view = await providers.events.get(computer.key);
    const watches = view?.watches ?? [];
    const others = view?.othersWatch ?? [];
    const lines = [
      watches.length === 0
        ? `You watch no events of ${name}. Events already kept stay available: get-events shows them.`
        : `You watch on ${name}: ${watches.map(watchText).join("; ")}.`,
      others.length === 0
        ? undefined
        : `Other clients also watch: ${others.map(watchText).join("; ")}.`,
      watches.length === 0
        ? undefined
        : `Read them with get-events ${toJson({ computerId, cursor })}, or wait for one with wait-for-event.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: () => ({ ...computerFacts(computer), watches: [...watches], cursor }),
    };
  },
});

export const getEvents = defineTool({
  name: "get-events",
  title: "Read events",
  description:
    "Shows the events that you watch on a computer, oldest first, also those of days ago. Pass the cursor " +
    "of the last answer to see only newer ones.",
  input: z.object({
    ...target,
    cursor: z.int().nonnegative().optional().meta({
      description: "Show events from here on: the cursor of an earlier answer.",
      obvious: true,
    }),
    ...timeSpan,
    limit: limitOf(200, 50, "Show at most this many."),
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
  async handler({ computerId, cursor, since, until, limit, name }, { providers }) {
    const span = readSpan({ since, until });
    const view = await providers.events.find(computerRef(computerId));
    const { key, provider, watches, linked } = view;
    const watch = name !== undefined ? { name } : watches.length > 0 ? watches : undefined;
    const page = await eventPage(
      (count) => providers.events.read(key, { cursor, limit: count, watch, ...span }),
      limit,
    );
    const isOver = until !== undefined && page.events.length < limit;
    const more = isOver ? 0 : Math.max(0, view.end - page.next);
    const note = lossNote(view, page);
    const rest = toJson({ computerId, cursor: page.next, until, name });
    const lines = [
      page.lines.length === 0
        ? `No ${name === undefined ? "" : `${inline(name)} `}events of ${computerName(provider)}${cursor === undefined ? "" : " since then"}${since === undefined && until === undefined ? "" : " in that time"}.`
        : `Events of ${computerName(provider)}:`,
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
