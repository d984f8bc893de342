import { utf8Length } from "@ccbridge/protocol";
import type { KeptChange } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../core/annotations.js";
import { timeText } from "../core/clock.js";
import { defineTool, type ToolContext } from "../core/define.js";
import { inline, toJson } from "../format/set-apart.js";
import { changesOf, choice, filterOf, undoerOf } from "./chosen-changes.js";

const PAGE_BYTES = 8_000;
const PAGE = 50;

export const listChanges = defineTool({
  name: "list-changes",
  title: "List changes",
  description: "What calls changed, newest first, and whether undo-change can take it back.",
  input: z.object({
    ...choice,
    cursor: z
      .string()
      .max(999)
      .optional()
      .meta({ description: "Show what was before: the cursor of the last answer.", obvious: true }),
  }),
  output: z.object({
    changes: z.array(z.record(z.string(), z.unknown())),
    cursor: z.string().optional(),
  }),
  annotations: readOnly,
  async handler({ cursor, ...asked }, context) {
    const filter = await filterOf(asked, context);
    const log = changesOf(context);
    let page = await log.find({ ...filter, before: cursor, limit: PAGE });
    const count = fittingCount(page.changes.map((change) => changeLine(change, context)));
    if (count < page.changes.length) {
      page = await log.find({ ...filter, before: cursor, limit: count });
    }
    const { changes, next } = page;
    const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value));
    const more = `There is more before: list-changes ${toJson({ ...given, cursor: next })}.`;
    return {
      text: [
        changes.length === 0 ? "No such change is known." : "Changes, newest first:",
        ...changes.map((change) => changeLine(change, context)),
        ...(next === undefined ? [] : [more]),
        ...(context.history?.unseen === undefined ? [] : [context.history.unseen]),
      ].join("\n"),
      structured: () => ({
        changes: changes.map((change) => factsOf(change, context)),
        ...(next === undefined ? {} : { cursor: next }),
      }),
    };
  },
});

function fittingCount(lines: readonly string[]): number {
  let room = PAGE_BYTES;
  const end = lines.findIndex((line) => {
    room -= utf8Length(line) + 1;
    return room < 0;
  });
  return end === -1 ? lines.length : Math.max(1, end);
}

function changeLine(change: KeptChange, context: ToolContext): string {
  const { id, time, tool, client, provider, trace, job } = change;
  const by = job === null ? `trace ${trace}` : `job ${job}`;
  const undoes = change.undoes.length === 0 ? "" : `, takes back ${change.undoes.join(", ")}`;
  return `${id} ${timeText(time)} ${inline(tool)} by ${inline(client)} on ${provider}: ${whatChanged(change, context)}, ${by}${undoes}; ${canText(change, context)}`;
}

/** What a change was, as `/startup.lua: 120 bytes -> 340 bytes`. */
export function whatChanged(change: KeptChange, context: Pick<ToolContext, "settings">): string {
  const { subject, before, after } = change;
  const undoer = undoerOf(change, context);
  const text = (state: KeptChange["before"]) =>
    state === null ? "unknown" : (undoer?.stateText(state) ?? toJson(state));
  return `${inline(subject, 4_096)}: ${text(before)} -> ${text(after)}`;
}

function canText(change: KeptChange, context: ToolContext): string {
  const why = whyNotUndone(change, context);
  if (why !== undefined) return `cannot be undone: ${why}`;
  const { undoing = null } = change;
  if (undoing !== null) return `can be undone; ${undoing} began to, and may have done it`;
  return change.isDone ? "can be undone" : "can be undone; the bridge stopped in the middle of it";
}

/** Why a change cannot be undone, whatever is there now. */
export function whyNotUndone(
  change: KeptChange,
  context: Pick<ToolContext, "settings">,
): string | undefined {
  if (change.undoneBy !== null) return `it was undone by ${change.undoneBy}`;
  return whyNever(change, context);
}

/** The same, even if it was undone meanwhile. */
export function whyNever(
  change: KeptChange,
  context: Pick<ToolContext, "settings">,
): string | undefined {
  if (change.cannot !== null) return inline(change.cannot, 300);
  return undoerOf(change, context) === undefined ? "it is not known how" : undefined;
}

function factsOf(change: KeptChange, context: ToolContext): Record<string, unknown> {
  const { id, time, tool, client, provider, trace, job, subject, before, after } = change;
  const cannot = whyNotUndone(change, context);
  return {
    ...{ id, time: new Date(time).toISOString(), tool, client, provider, trace, subject },
    ...{ before, after, canBeUndone: cannot === undefined },
    ...(job === null ? {} : { job }),
    ...(cannot === undefined ? {} : { cannot }),
    ...(change.undoes.length === 0 ? {} : { undoes: [...change.undoes] }),
    ...(typeof change.undoing === "string" ? { undoing: change.undoing } : {}),
  };
}
