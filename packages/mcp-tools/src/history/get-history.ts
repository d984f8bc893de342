import { utf8Length } from "@ccbridge/protocol";
import type { History, HistoryEntry, HistoryFilter } from "@ccbridge/registry";
import { z } from "zod";
import { readOnly } from "../core/annotations.js";
import { limitOf } from "../core/arguments.js";
import { readTime, timeText, zoneText } from "../core/clock.js";
import { defineTool, type ToolContext, type ToolOutcome } from "../core/define.js";
import { ToolError } from "../core/errors.js";
import { toJson } from "../format/set-apart.js";
import { changesByProvider } from "./changes.js";
import { findProviders, namesOf } from "./find-providers.js";
import { entryLine, wholeCall } from "./lines.js";

const NAME = "get-history";
const DAY_MS = 86_400_000;
const AROUND_MS = 15 * 60_000;
const PAGE_BYTES = 8_000;

const text = (description: string) => z.string().min(1).max(256).optional().describe(description);
const plain = z.string().min(1).max(256).optional();

const input = z.object({
  view: z
    .enum(["timeline", "summary"])
    .default("timeline")
    .describe("summary: what changed, by provider."),
  since: text('"today", "22:00", "2h" (ago), "2026-01-31T22:00". Default: 24h.'),
  until: plain.meta({ description: "The end of the time, as since.", obvious: true }),
  around: text("Instead: 15 minutes before and after."),
  provider: z
    .union([z.int(), z.string().min(1).max(200)])
    .optional()
    .describe("An id, or a part of a label or name."),
  client: plain.meta({ description: "The name of a client's token.", obvious: true }),
  tool: plain.meta({ description: "The name of a tool.", obvious: true }),
  file: text("A part of a path."),
  outcome: z
    .enum(["ok", "error", "refused"])
    .optional()
    .meta({ description: "How calls ended.", obvious: true }),
  text: text("Words that all occur; or a trace id, to see that call whole."),
  changes: z.boolean().default(false).describe("Only calls that may have changed something."),
  cursor: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "Show what was before: the cursor of the last answer.", obvious: true }),
  limit: limitOf(200, 50, "Show at most this many."),
});

type Asked = z.output<typeof input>;

export const getHistory = defineTool({
  name: NAME,
  title: "Read the history",
  description:
    "What happened: calls, events and links on one time line, or a summary of what changed (files, programs, " +
    'items, power). For questions like "what changed today?" and "what happened at the gate around 22:00?".',
  input,
  output: z.object({
    since: z.string(),
    until: z.string(),
    entries: z.array(z.record(z.string(), z.unknown())).optional(),
    providers: z
      .array(z.object({ provider: z.string(), last: z.string(), changes: z.array(z.string()) }))
      .optional(),
    cursor: z.string().optional(),
  }),
  annotations: readOnly,
  async handler(asked, context) {
    const { history } = context;
    if (history === undefined) {
      throw new ToolError(
        "This bridge keeps no history.",
        "Its owner can switch it on: CC_HISTORY.",
      );
    }
    const found = await filterOf(asked, history, context);
    return asked.view === "summary"
      ? summary(found, history, context)
      : timeline(asked, found, history);
  },
});

interface Found {
  readonly filter: Omit<HistoryFilter, "limit"> & { since: number; until: number };
  readonly heading: string;
}

async function filterOf(asked: Asked, history: History, context: ToolContext): Promise<Found> {
  const { around, client, tool, file: path, outcome, text, cursor: before, changes } = asked;
  const now = Date.now();
  const middle = around === undefined ? undefined : readTime(around, "start", now);
  const until =
    asked.until === undefined
      ? (middle ?? now) + (middle === undefined ? 0 : AROUND_MS)
      : readTime(asked.until, "end", now);
  const since =
    asked.since === undefined
      ? middle === undefined
        ? Math.min(now, until) - DAY_MS
        : middle - AROUND_MS
      : readTime(asked.since, "start", now);
  if (since > until) {
    throw new ToolError("since is later than until.", "Exchange them, or leave one of them out.");
  }
  const providers = await findProviders(asked.provider, history, context);
  const of = providers === undefined ? "" : ` on ${namesOf(providers)}`;
  return {
    filter: {
      ...{ since, until, client, tool, path, outcome, text, before },
      // Questions like this one are of no interest to the next.
      withoutTool: tool === undefined ? NAME : undefined,
      keys: providers?.map(({ key }) => key),
      ...(changes ? { acts: true } : {}),
    },
    heading: `${of} from ${timeText(since)} to ${timeText(until)} (${zoneText(until)})`,
  };
}

async function timeline(
  { view: _, cursor: __, since: ___, until: ____, around: _____, limit, ...asked }: Asked,
  { filter, heading }: Found,
  history: History,
): Promise<ToolOutcome> {
  const page = await history.timeline({ ...filter, limit });
  const [only] = page.entries;
  const isWhole = only?.what === "call" && only.trace === asked.text;
  const shown = isWhole ? page.entries : fitting(page.entries);
  const next = shown.length < page.entries.length ? shown.at(-1)?.cursor : page.next;
  const lines = [
    shown.length === 0 ? `Nothing is known${heading}.` : `What happened${heading}:`,
    ...(isWhole ? wholeCall(only) : shown.map(entryLine).reverse()),
    notKept(history),
    history.unseen,
    next === undefined
      ? undefined
      : `${shown.length === 0 ? "There may be more before that" : "There is more before"}: ${NAME} ${toJson({ since: timeText(filter.since), ...given(asked), cursor: next })}.`,
  ];
  return {
    text: lines.filter((line) => line !== undefined).join("\n"),
    structured: () => ({
      ...span(filter),
      entries: shown.map(factsOf).reverse(),
      ...(next === undefined ? {} : { cursor: next }),
    }),
  };
}

/** The newest that fit into an answer; at least one. */
function fitting(entries: readonly HistoryEntry[]): readonly HistoryEntry[] {
  let room = PAGE_BYTES;
  const end = entries.findIndex((entry) => {
    room -= utf8Length(entryLine(entry)) + 1;
    return room < 0;
  });
  return end === -1 ? entries : entries.slice(0, Math.max(1, end));
}

/** What a caller said itself, to be repeated. */
function given(asked: Partial<Asked>): object {
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== false));
}

function factsOf(entry: HistoryEntry): Record<string, unknown> {
  const { what } = entry;
  const time = new Date(entry.time).toISOString();
  if (entry.what === "link") {
    const { provider, change, reason } = entry;
    return { time, what, provider, change, ...(reason === null ? {} : { reason }) };
  }
  if (entry.what === "event") {
    const { provider, name, args } = entry;
    return { time, what, provider, name, args };
  }
  const { tool, client, trace, job, outcome, durationMs, args, answer, targets } = entry;
  const providers = targets.map(({ name }) => name);
  return { time, what, tool, client, providers, outcome, trace, job, durationMs, args, answer };
}

function span({ since, until }: Found["filter"]) {
  return { since: new Date(since).toISOString(), until: new Date(until).toISOString() };
}

async function summary(
  { filter, heading }: Found,
  history: History,
  { providers, settings: { kinds } }: ToolContext,
): Promise<ToolOutcome> {
  const { since, until, keys } = filter;
  const isAsked = ({ key }: { readonly key: string }) => keys?.includes(key) !== false;
  const [{ changes, since: counted }, jobs, places] = await Promise.all([
    history.summary(filter),
    providers.jobs.list(),
    history.places(),
  ]);
  const running = jobs.filter((job) => !job.ended && job.createdAt <= until && isAsked(job));
  const moved = places.filter(
    (place) => place.movedAt >= since && place.movedAt <= until && isAsked(place),
  );
  const all = changesByProvider({ changes, running, moved, kinds });
  const shown = fittingChanges(all);
  const lines = [
    all.length === 0 ? `Nothing changed${heading}.` : `What changed${heading}:`,
    ...shown.flatMap(({ name, last, lines: own }) => [
      `${name}, last at ${timeText(last)}:`,
      ...own.map((line) => `- ${line}`),
    ]),
    all.length > shown.length
      ? `${all.length - shown.length} more providers: name one with provider, or a shorter time.`
      : undefined,
    counted === undefined ? undefined : `Calls before ${timeText(counted)} are not counted.`,
    notKept(history),
    history.unseen,
  ];
  return {
    text: lines.filter((line) => line !== undefined).join("\n"),
    structured: () => ({
      ...span(filter),
      providers: shown.map(({ name, last, lines: own }) => ({
        provider: name,
        last: new Date(last).toISOString(),
        changes: [...own],
      })),
    }),
  };
}

function fittingChanges<T extends { readonly lines: readonly string[] }>(
  all: readonly T[],
): readonly T[] {
  let room = PAGE_BYTES;
  const end = all.findIndex(({ lines }) => {
    room -= 100 + lines.reduce((sum, line) => sum + utf8Length(line) + 3, 0);
    return room < 0;
  });
  return end === -1 ? all : all.slice(0, Math.max(1, end));
}

function notKept({ isKept }: History): string | undefined {
  return isKept
    ? undefined
    : "Only the last calls since the bridge started are known: it has no history file.";
}
