import { type ComputerView, computerName, type HistoricLink, isComputer } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";

/** How long after a start computers are still expected back. */
const RETURNING_MS = 120_000;
const PAGE = 1_000;
const MAX_LINKS = 20_000;
const MAX_NAMED = 12;
const STOPPED = "the bridge is shutting down";

/** What a list means shortly after a start: computers that were linked before have not all come back. */
export async function expectedText(
  { history, settings: { startedAt } }: ToolContext,
  linked: readonly ComputerView[],
): Promise<{ readonly text: string; readonly isNamed: boolean } | undefined> {
  const now = Date.now();
  if (startedAt === undefined || now - startedAt > RETURNING_MS) return undefined;
  const started = `This bridge started ${Math.round((now - startedAt) / 1_000)} s ago`;
  const missing = history?.isKept === true ? await missingNames(history, linked, startedAt) : [];
  if (missing.length > 0) {
    const more = missing.length > MAX_NAMED ? ` and ${missing.length - MAX_NAMED} more` : "";
    const names = missing.slice(0, MAX_NAMED).join(", ");
    const text = `${started}. Linked before and expected back within a minute: ${names}${more}. Call list-computers again then.`;
    return { text, isNamed: true };
  }
  if (linked.length > 0) return undefined;
  const text = `${started}: computers that were linked before usually come back within a minute.`;
  return { text, isNamed: false };
}

async function missingNames(
  history: NonNullable<ToolContext["history"]>,
  linked: readonly ComputerView[],
  startedAt: number,
): Promise<string[]> {
  const [links, providers] = await Promise.all([
    lastLinks(history, startedAt),
    history.providers(),
  ]);
  const wereLinked = linkedAtTheEnd(links, startedAt);
  const isBack = new Set(linked.map(({ key }) => key));
  return providers
    .filter(isComputer)
    .filter(({ key }) => wereLinked.has(key) && !isBack.has(key))
    .map(computerName);
}

async function lastLinks(
  history: NonNullable<ToolContext["history"]>,
  until: number,
): Promise<HistoricLink[]> {
  const links: HistoricLink[] = [];
  let before: string | undefined;
  do {
    const filter = { what: ["link"], until, before, limit: PAGE } as const;
    const { entries, next } = await history.timeline(filter);
    links.push(...entries.filter((entry) => entry.what === "link"));
    before = next;
  } while (before !== undefined && links.length < MAX_LINKS);
  return links;
}

/**
 * The keys of those that were linked when the bridge last ended. One that stops says goodbye to each; one that was
 * killed leaves them linked.
 */
export function linkedAtTheEnd(
  newestFirst: readonly Pick<HistoricLink, "key" | "time" | "change" | "reason">[],
  startedAt: number,
): ReadonlySet<string> {
  const stopped = newestFirst.find(({ reason }) => reason === STOPPED)?.time ?? 0;
  // A later bridge that ran long enough would have seen those again that the stopped one left.
  const seen = newestFirst.findLast(({ change, time }) => change === "linked" && time > stopped);
  const wasKilled = seen !== undefined && startedAt - seen.time > RETURNING_MS;
  const since = wasKilled ? stopped + 1 : stopped - RETURNING_MS;
  const last = new Map<string, boolean>();
  for (const { key, time, change, reason } of newestFirst) {
    if (!last.has(key)) last.set(key, time >= since && (change === "linked" || reason === STOPPED));
  }
  return new Set([...last].flatMap(([key, wasLinked]) => (wasLinked ? [key] : [])));
}
