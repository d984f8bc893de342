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
import { EventReportSchema, eventLine, eventReport, watchText } from "../../format/event.js";
import { changes } from "../../tool/annotations.js";
import { defineTool, type ToolContext } from "../../tool/define.js";
import { reportWaiting } from "../../tool/progress.js";
import { MAX_WAIT_MS } from "../../tool/times.js";
import { askComputer, quickly, requireMethod, resultOf } from "../ask.js";
import { computerFacts, computerShape, target } from "../computer.js";
import { sideFacts, signalLines } from "../redstone-sides.js";
import { cursorOut, eventName, filter, lossNote } from "./common.js";

const DEFAULT_WAIT_MS = 30_000;

/** The current signals, for whoever waits for redstone: a signal that is already on raises no event. */
async function redstoneNow(
  context: ToolContext,
  computer: ComputerView,
  name: string,
): Promise<string[]> {
  if (!matchesGlob(name, "redstone") || name === "*") return [];
  try {
    const sides = sideFacts(await askComputer(context, computer, "redstone", {}));
    return [
      "The redstone signals now (the computer's own outputs raise no event):",
      ...signalLines(sides),
    ];
  } catch {
    // It has gone away, or its player does not allow it.
    return [];
  }
}

export const waitForEvent = defineTool({
  name: "wait-for-event",
  title: "Wait for an event",
  description:
    "Waits for an event of a given name on a computer and returns it; it stays watched. Pass the " +
    "cursor of the last answer to miss nothing. A computer's own redstone outputs raise no event.",
  input: z.object({
    ...target,
    name: eventName.describe("The event's name; * matches anything, as in turtle_*."),
    filter,
    cursor: z.int().nonnegative().optional().describe("Start from this cursor. Default: now."),
    waitMs: z.int().min(0).max(MAX_WAIT_MS).default(DEFAULT_WAIT_MS).describe("At most 50000."),
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
    const watched = before.watches.some(
      (other) => sameWatch(other, watch) || sameWatch(other, { name }),
    );
    if (!watched) {
      requireMethod(context, computer, "watch-events");
      const change = { mode: "add", watches: [watch] } as const;
      const response = await events.watch(computer.key, change, quickly(context));
      resultOf(context, computer, "watch-events", response);
    }
    const what = `${watchText(watch)} on ${computerName(computer.identity)}`;
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
    const report = event === undefined ? undefined : eventReport(event);
    const signals = await redstoneNow(context, computer, name);
    const note = lossNote((await events.get(computer.key)) ?? { ...before, linked: false }, page);
    const rest = JSON.stringify({ computerId, name, filter, cursor: page.next });
    const lines = [
      report === undefined
        ? `No such event within ${waitMs} ms: ${what}.`
        : `Event of ${computerName(computer.identity)}:\n${eventLine(report)}`,
      watched ? undefined : "It was not watched before; it is from now on.",
      ...signals,
      note,
      report === undefined
        ? `To keep waiting: wait-for-event ${rest}.`
        : `For the next one: wait-for-event ${rest}.`,
    ];
    return {
      text: lines.filter((line) => line !== undefined).join("\n"),
      structured: {
        ...computerFacts(computer),
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
