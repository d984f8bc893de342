import type { EventWatch } from "@ccbridge/protocol";
import {
  type ComputerView,
  computerName,
  computerRef,
  findComputer,
  matchesGlob,
  sameWatch,
} from "@ccbridge/registry";
import { z } from "zod";
import type { AlertFilter } from "../../../core/alerts.js";
import { changes } from "../../../core/annotations.js";
import { eventWaitMs } from "../../../core/arguments.js";
import { reportWaiting } from "../../../core/call.js";
import { defineTool, type ToolContext } from "../../../core/define.js";
import { happeningFilter, isByPlace, meets } from "../../../core/happening.js";
import { toJson } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { changedInputs, changeLines, sideFacts, signalLines } from "../peripherals/redstone.js";
import { quickly, requireMethod, resultOf } from "../request.js";
import { askComputer } from "../undo/ask.js";
import { cursorOut, eventName, lossNote, refuseVainFilter } from "./events.js";
import { EventReportSchema, showEvent, watchText } from "./show-event.js";

async function signalsOf(
  context: ToolContext,
  computer: ComputerView,
  name: string,
): Promise<Sides | undefined> {
  if (!matchesGlob(name, "redstone") || name === "*") return undefined;
  try {
    return sideFacts(await askComputer(context, computer, "redstone", {}));
  } catch {
    // It left, or its player does not allow it.
    return undefined;
  }
}

type Sides = ReturnType<typeof sideFacts>;

function signalText(before: Sides | undefined, now: Sides | undefined, found: boolean): string[] {
  if (now === undefined) return [];
  const changed = before === undefined ? [] : changeLines(before, now);
  const pulse =
    found && before !== undefined && changed.length === 0
      ? ["No input differs from when the wait began: it was a short pulse, or an earlier event."]
      : [];
  return [
    ...(changed.length > 0 ? ["Changed since the wait began:", ...changed] : pulse),
    "The redstone signals now (the computer's own outputs raise no event):",
    ...signalLines(now),
  ];
}

type Events = ToolContext["providers"]["events"];

/** The next event whose fields fit. */
async function waitFor(
  events: Events,
  key: string,
  wait: Parameters<Events["wait"]>[1] & { readonly timeoutMs: number },
  fields: AlertFilter | undefined,
): ReturnType<Events["wait"]> {
  const until = performance.now() + wait.timeoutMs;
  let page = await events.wait(key, wait);
  for (;;) {
    const [event] = page.events;
    if (fields === undefined || event === undefined) return page;
    const facts = event.name === "redstone" ? changedInputs(event.args) : undefined;
    if (meets(fields, { ...event, facts })) return page;
    const timeoutMs = Math.max(0, until - performance.now());
    const next = await events.wait(key, { ...wait, cursor: page.next, timeoutMs });
    const [missed, dropped] = [page.missed + next.missed, page.dropped + next.dropped];
    page = { ...next, missed, dropped };
  }
}

export const waitForEvent = defineTool({
  name: "wait-for-event",
  title: "Wait for an event",
  description:
    "Waits for an event of a given name on a computer and returns it; it stays watched. Pass the " +
    "cursor of the last answer to miss nothing. For redstone it says which side changed, from and to " +
    "which strength; a computer's own outputs raise no event.",
  input: z.object({
    ...target,
    name: eventName.describe("The event's name; * matches anything, as in turtle_*."),
    filter: happeningFilter
      .optional()
      .describe(
        'Required arguments: {"2":7}; for redstone a side that went on: {"left":true}. In text, * matches anything.',
      ),
    cursor: z.int().nonnegative().optional().describe("Default: now."),
    waitMs: eventWaitMs,
  }),
  output: z.object({
    ...computerShape,
    found: z.boolean().describe("Whether such an event arrived in time."),
    event: EventReportSchema.optional(),
    cursor: cursorOut,
    missed: z.int().describe("Events at the given cursor that are no longer kept."),
    dropped: z
      .int()
      .describe("Watched events that were lost: there were too many, or a link dropped."),
    note: z.string().optional(),
  }),
  annotations: changes,
  async handler({ computerId, name, filter, cursor, waitMs }, context) {
    const { providers, signal, gone = signal } = context;
    const { events } = providers;
    const computer = await findComputer(providers, computerId);
    const before = await events.find(computerRef(computerId));
    const asked: EventWatch = filter === undefined ? { name } : { name, filter };
    refuseVainFilter(asked);
    // Only conditions on arguments by place are checked in the game.
    const fields = filter !== undefined && !isByPlace(filter) ? filter : undefined;
    const watch = fields === undefined ? asked : { name };
    const watched = before.watches.some(
      (other) => sameWatch(other, watch) || sameWatch(other, { name }),
    );
    // Read first, so that a change from now on is reported even if its event is late.
    const signalsBefore = await signalsOf(context, computer, name);
    if (!watched) {
      requireMethod(context, computer, "watch-events");
      const change = { mode: "add", watches: [watch] } as const;
      const response = await events.watch(computer.key, change, quickly(context));
      resultOf(context, computer, "watch-events", response);
    }
    const what = `${watchText(asked)} on ${computerName(computer.provider)}`;
    const progress = reportWaiting(`still waiting for ${what}`, context.progress);
    const from = cursor ?? before.end;
    const page = await waitFor(
      events,
      computer.key,
      { cursor: from, watch, timeoutMs: waitMs, signal: gone },
      fields,
    );
    progress.end();
    const [event] = page.events;
    const shown = event === undefined ? undefined : showEvent(event);
    const signals = signalText(
      signalsBefore,
      await signalsOf(context, computer, name),
      event !== undefined,
    );
    const note = lossNote((await events.get(computer.key)) ?? { ...before, linked: false }, page);
    const rest = toJson({ computerId, name, filter, cursor: page.next });
    const lines = [
      shown === undefined
        ? `No such event within ${waitMs} ms: ${what}.`
        : `Event of ${computerName(computer.provider)}:\n${shown.line}`,
      watched ? undefined : "It was not watched before; it is from now on.",
      ...signals,
      note,
      shown === undefined
        ? `To keep waiting: wait-for-event ${rest}.`
        : `For the next one: wait-for-event ${rest}.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: () => ({
        ...computerFacts(computer),
        found: shown !== undefined,
        ...(shown === undefined ? {} : { event: shown.report }),
        cursor: page.next,
        missed: page.missed,
        dropped: page.dropped,
        ...(note === undefined ? {} : { note }),
      }),
    };
  },
});
