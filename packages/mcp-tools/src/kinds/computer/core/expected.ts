import { type ComputerView, computerName, isComputer } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";

/** How long after a start computers are still expected back. */
const RETURNING_MS = 120_000;
const MAX_LINKS = 1_000;
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
  const [{ entries }, providers] = await Promise.all([
    history.timeline({ what: ["link"], until: startedAt, limit: MAX_LINKS }),
    history.providers(),
  ]);
  // Newest first: the first entry of each says whether it was there at the end.
  const wasLinked = new Map<string, boolean>();
  for (const entry of entries) {
    if (entry.what !== "link" || wasLinked.has(entry.key)) continue;
    wasLinked.set(entry.key, entry.change === "linked" || entry.reason === STOPPED);
  }
  const isBack = new Set(linked.map(({ key }) => key));
  return providers
    .filter(isComputer)
    .filter(({ key }) => wasLinked.get(key) === true && !isBack.has(key))
    .map(computerName);
}
