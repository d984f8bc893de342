import { type EventWatch, EventWatchSchema, MAX_EVENT_WATCHES } from "@ccbridge/protocol";
import {
  type ComputerTarget,
  computerName,
  LinkError,
  LinkErrorCode,
  matchesWatch,
  type ProviderEvents,
  sameWatch,
  waitForEvent as waitForLoggedEvent,
} from "@ccbridge/registry";
import { z } from "zod";
import { ask } from "../ask.js";
import { defineTool, type ToolContext } from "../define-tool.js";
import {
  EventReportSchema,
  eventLine,
  eventPage,
  eventReport,
  watchText,
} from "../format/event.js";
import { reportWaiting } from "../progress.js";
import { ToolError } from "../run-tool.js";
import { target } from "./target.js";
import { MAX_WAIT_MS } from "./wait.js";

const DEFAULT_WAIT_MS = 30_000;

const filter = EventWatchSchema.shape.filter.describe(
  'What arguments must be, by number from 1 on: { "1": "left" }. In a text * stands for anything.',
);
const eventName = EventWatchSchema.shape.name;
const watchesOut = z
  .array(z.object({ name: z.string(), filter: z.record(z.string(), z.unknown()).optional() }))
  .describe("What the computer is asked to send now.");
const cursorOut = z.int().describe("Pass this to get-events or wait-for-event to go on from here.");

export const watchEvents = defineTool({
  name: "watch-events",
  title: "Watch events",
  description:
    "Says which events of a computer the bridge keeps. Computers in ComputerCraft are driven by events: " +
    "`redstone` (an input changed), `peripheral` and `peripheral_detach` (a device came or went), " +
    "`modem_message` and `rednet_message` (another computer sent something), `chat` (a player spoke, " +
    "with a chat box), `turtle_inventory`, `monitor_touch`, `disk`, `alarm`, `timer`, and whatever a " +
    "program queues with os.queueEvent. Nothing is sent until it is watched. The list holds for all " +
    "clients until it is changed, also when the computer links again. Then read with get-events, or wait " +
    "with wait-for-event. Too many at once are counted instead of sent (50, then 20 a second). Keys, " +
    "mouse, timer, http and websocket events come only when watched by their full names.",
  input: z.object({
    ...target,
    events: z
      .array(
        z.union([eventName, z.object({ name: eventName, filter })], {
          error:
            'must be a name of 1 to 128 characters, or { name, filter } where the filter names arguments by number, as in { "1": "left" }',
        }),
      )
      .max(MAX_EVENT_WATCHES)
      .describe(
        'Names such as "redstone" or "turtle_*" (* stands for anything), or { name, filter } with ' +
          'what arguments must be, by number: { "name": "modem_message", "filter": { "2": 7 } }.',
      ),
    mode: z
      .enum(["set", "add", "remove"])
      .default("set")
      .describe("Whether these replace the list, join it, or leave it. An empty set stops all."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable(),
    watches: watchesOut,
    cursor: cursorOut,
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world, events, mode }, context) {
    const link = context.registry.computer({ computerId, world });
    const provider = context.registry.events.of(link);
    const cursor = provider.log.end;
    const named = events.map(
      (event): EventWatch => (typeof event === "string" ? { name: event } : event),
    );
    await setWatches(context, { computerId, world }, changed(provider.watches, named, mode));
    const { identity, watches } = provider;
    const text =
      watches.length === 0
        ? `No events of ${computerName(identity)} are watched now. Those that were kept stay: get-events shows them.`
        : `Watched on ${computerName(identity)}: ${watches.map(watchText).join("; ")}.\n` +
          `Read what comes with get-events ${JSON.stringify({ computerId, world, cursor })}, or wait for it with wait-for-event.`;
    return {
      text,
      structured: { computerId, label: identity.label, watches: [...watches], cursor },
    };
  },
});

function changed(
  watches: readonly EventWatch[],
  named: readonly EventWatch[],
  mode: "set" | "add" | "remove",
): EventWatch[] {
  if (mode === "remove") {
    return watches.filter((watch) => !named.some((other) => sameWatch(watch, other)));
  }
  const result: EventWatch[] = mode === "set" ? [] : [...watches];
  for (const watch of named) {
    if (!result.some((other) => sameWatch(watch, other))) result.push(watch);
  }
  if (result.length > MAX_EVENT_WATCHES) {
    throw new ToolError(
      `That would be ${result.length} watches on one computer, and the limit is ${MAX_EVENT_WATCHES}. Nothing was changed.`,
      'Use * in a name, or take others off the list with mode "remove" first.',
    );
  }
  return result;
}

/** Has a computer take a watch list up. The list counts at once, so that two calls cannot lose each other. */
async function setWatches(
  context: ToolContext,
  computer: ComputerTarget,
  watches: readonly EventWatch[],
): Promise<void> {
  const provider = context.registry.events.of(context.registry.computer(computer));
  const before = provider.watches;
  provider.watches = watches;
  try {
    await ask(context, computer, "watch-events", { watches: [...watches] });
  } catch (error) {
    if (provider.watches === watches) provider.watches = before;
    throw error;
  }
}

export const getEvents = defineTool({
  name: "get-events",
  title: "Read events",
  description:
    "Shows the events that a computer sent since watch-events asked for them, oldest first, one line " +
    "each: number, time, name, arguments. Pass the cursor of the last answer to see only what came since; " +
    "without a cursor it begins with the oldest event that is kept. Reading changes nothing, and several " +
    "clients may read. The last events of a computer that is gone are kept for a while.",
  input: z.object({
    ...target,
    cursor: z
      .int()
      .nonnegative()
      .optional()
      .describe("Show events from this position on, as an earlier answer gave it."),
    limit: z.int().min(1).max(200).default(50).describe("Show at most this many."),
    name: eventName
      .optional()
      .describe("Only events of this name; * stands for anything, as in turtle_*."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable(),
    linked: z.boolean().describe("Whether the computer is linked now."),
    watches: watchesOut,
    events: z.array(EventReportSchema),
    cursor: cursorOut,
    more: z.int().describe("Events behind the cursor, of any name, that are there already."),
    missed: z.int().describe("Events at the given cursor that are not kept any more."),
    dropped: z.int().describe("Watched events that never came: too many, or lost with a link."),
    note: z.string().optional(),
  }),
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world, cursor, limit, name }, context) {
    const provider = findEvents(context, { computerId, world });
    const { log, identity, watches, linked } = provider;
    const page = eventPage(log, {
      cursor,
      limit,
      ...(name === undefined ? {} : { matches: (event) => matchesWatch({ name }, event) }),
    });
    const more = log.end - page.next;
    const note = noteOf(provider, page);
    const rest = JSON.stringify({ computerId, world, cursor: page.next, name });
    const lines = [
      page.lines.length === 0
        ? `No ${name === undefined ? "" : `${name} `}events of ${computerName(identity)}${cursor === undefined ? "" : " since then"}.`
        : `Events of ${computerName(identity)}:`,
      ...page.lines,
      note,
      more > 0 ? `${more} more: get-events ${rest}.` : `What comes next: get-events ${rest}.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: {
        computerId,
        label: identity.label,
        linked,
        watches: [...watches],
        events: page.reports,
        cursor: page.next,
        more,
        missed: page.missed,
        dropped: page.dropped,
        ...(note === undefined ? {} : { note }),
      },
    };
  },
});

interface Losses {
  missed: number;
  dropped: number;
  restarted: boolean;
}

function noteOf({ watches, linked }: ProviderEvents, page: Losses): string | undefined {
  const notes = [
    page.restarted ? "That cursor is of an earlier log: this one was begun anew." : "",
    page.missed > 0 ? `${page.missed} older events are not kept any more.` : "",
    page.dropped > 0
      ? `${page.dropped} watched events never came: there were too many, or the link was down.`
      : "",
    watches.length === 0
      ? "Nothing is watched there now: call watch-events to have events sent."
      : "",
    linked ? "" : "The computer is not linked now; it is asked again when it is back.",
  ];
  const said = notes.filter((note) => note !== "");
  return said.length === 0 ? undefined : said.join(" ");
}

/** The events of a computer, linked or gone. Throws a LinkError that names who is linked. */
function findEvents({ registry }: ToolContext, computer: ComputerTarget): ProviderEvents {
  try {
    return registry.events.of(registry.computer(computer));
  } catch (error) {
    if (!(error instanceof LinkError) || error.code !== LinkErrorCode.notLinked) throw error;
    const { computerId, world } = computer;
    // The one that went last is the one that is meant.
    const gone = registry.events.list().findLast(({ identity }) => {
      const there = world === undefined || identity.world === world || identity.instance === world;
      return identity.computerId === computerId && there;
    });
    if (gone === undefined) throw error;
    return gone;
  }
}

export const waitForEvent = defineTool({
  name: "wait-for-event",
  title: "Wait for an event",
  description:
    "Waits until a computer has an event of a name, such as a redstone change, a message, a chat line or " +
    "one that a program queues, and returns it. It is put on the list of watch-events if it is not there " +
    "yet, and stays on it. Without a cursor only events from now on count; with the cursor of an earlier " +
    "answer those since then do, so that nothing falls between two calls. When the time is over, call " +
    "again with the new cursor.",
  input: z.object({
    ...target,
    name: eventName.describe("The event's name; * stands for anything, as in turtle_*."),
    filter,
    cursor: z
      .int()
      .nonnegative()
      .optional()
      .describe("Count events from this position on. Default: from now on."),
    waitMs: z
      .int()
      .min(0)
      .max(MAX_WAIT_MS)
      .default(DEFAULT_WAIT_MS)
      .describe("How long to wait, in milliseconds, at most 50000."),
  }),
  output: z.object({
    computerId: z.int(),
    label: z.string().nullable(),
    found: z.boolean().describe("Whether such an event came in time."),
    event: EventReportSchema.optional(),
    cursor: cursorOut,
    missed: z.int().describe("Events at the given cursor that are not kept any more."),
    dropped: z.int().describe("Watched events that never came: too many, or lost with a link."),
    note: z.string().optional(),
  }),
  annotations: {
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
  async handler({ computerId, world, name, filter, cursor, waitMs }, context) {
    const { registry, signal } = context;
    const provider = registry.events.of(registry.computer({ computerId, world }));
    const from = cursor ?? provider.log.end;
    const watch: EventWatch = filter === undefined ? { name } : { name, filter };
    const watched = provider.watches.some(
      (other) => sameWatch(other, watch) || sameWatch(other, { name }),
    );
    if (!watched) {
      const watches = changed(provider.watches, [watch], "add");
      await setWatches(context, { computerId, world }, watches);
    }
    const what = `${watchText(watch)} on ${computerName(provider.identity)}`;
    const progress = reportWaiting(`still waiting for ${what}`, context.progress);
    const page = await waitForLoggedEvent(provider.log, {
      cursor: from,
      matches: (event) => matchesWatch(watch, event),
      timeoutMs: waitMs,
      signal,
    });
    progress.end();
    const [event] = page.events;
    const report = event === undefined ? undefined : eventReport(event);
    const note = noteOf(provider, page);
    const rest = JSON.stringify({ computerId, world, name, filter, cursor: page.next });
    const lines = [
      report === undefined
        ? `No such event within ${waitMs} ms: ${what}.`
        : `Event of ${computerName(provider.identity)}:\n${eventLine(report)}`,
      watched ? undefined : "It was not watched before and is from now on.",
      note,
      report === undefined
        ? `To wait on: wait-for-event ${rest}.`
        : `For the next one: wait-for-event ${rest}.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: {
        computerId,
        label: provider.identity.label,
        found: report !== undefined,
        ...(report === undefined ? {} : { event: report }),
        cursor: page.next,
        missed: page.missed,
        dropped: page.dropped,
        ...(note === undefined ? {} : { note }),
      },
    };
  },
});
