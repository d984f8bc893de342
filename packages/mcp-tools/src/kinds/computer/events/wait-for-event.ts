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
import { changes } from "../../../core/annotations.js";
import { eventWaitMs } from "../../../core/arguments.js";
import { reportWaiting } from "../../../core/call.js";
import { defineTool, type ToolContext } from "../../../core/define.js";
import { toJson } from "../../../format/set-apart.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { changeLines, sideFacts, signalLines } from "../peripherals/redstone.js";
import { quickly, requireMethod, resultOf } from "../request.js";
import { askComputer } from "../undo/ask.js";
import { cursorOut, eventName, filter, lossNote, refuseVainFilter } from "./events.js";
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
    filter,
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
    const watch: EventWatch = filter === undefined ? { name } : { name, filter };
    refuseVainFilter(watch);
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
    const what = `${watchText(watch)} on ${computerName(computer.provider)}`;
    const progress = reportWaiting(`still waiting for ${what}`, context.progress);
    const from = cursor ?? before.end;
    const page = await events.wait(computer.key, {
      cursor: from,
      watch,
      timeoutMs: waitMs,
      signal: gone,
    });
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
