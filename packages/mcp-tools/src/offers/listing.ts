import type { Kinds } from "../core/kind.js";
import type { OfferedEntry } from "../core/offered.js";
import { utf8 } from "../format/bytes.js";
import { inline, quoted } from "../format/set-apart.js";
import { capital } from "../format/text.js";
import { isOnlyChoice, withWhich } from "./address.js";
import { type FoundTool, isReadOnly } from "./call.js";

/** The bytes for offered tools in the list of tools; list-offered-tools shows the rest. */
export interface ListedBytes {
  readonly total: number;
  readonly perProvider: number;
}

const listedBytes: ListedBytes = { total: 40_000, perProvider: 40_000 };
const MAX_DESCRIPTION = 600;
const MAX_TITLE = 80;

export function listEntries(
  kinds: Kinds,
  found: readonly FoundTool[],
  budget: ListedBytes = listedBytes,
): { tools: OfferedEntry[]; unlisted: ReadonlyMap<string, string[]> } {
  const entries = found.flatMap(withoutMissing).map((tool) => describeEntry(kinds, tool));
  const listed = fairShare(entries, budget);
  const unlisted = new Map<string, string[]>();
  for (const { name, owner } of entries) {
    if (!listed.has(name)) unlisted.set(owner, [...(unlisted.get(owner) ?? []), name]);
  }
  const tools = entries.map(({ owner: _, ...entry }) => ({
    ...entry,
    isListed: listed.has(entry.name),
  }));
  return { tools, unlisted };
}

type OwnedEntry = Omit<OfferedEntry, "isListed"> & { readonly owner: string };

function withoutMissing(found: FoundTool): FoundTool[] {
  const offers = found.offers.filter(({ tool }) => tool.missing === undefined);
  return offers.length === 0 ? [] : [{ ...found, offers }];
}

function describeEntry(kinds: Kinds, found: FoundTool): OwnedEntry {
  const { shown, offers, schema, which } = found;
  const [first] = offers;
  const origin = kinds.get(first?.provider.kind)?.offersFrom;
  const text = first?.tool.description?.trim() ?? "";
  const names = offers.map(({ name }) => name);
  const title = first?.tool.title;
  const by = names.slice(0, 5).join(", ") + (names.length > 5 ? ", ..." : "");
  return {
    name: shown,
    kind: first?.provider.kind ?? "",
    title: title === undefined ? titleOf(shown) : inline(title, MAX_TITLE),
    annotations: hintsOf(found),
    description: [
      `Offered${origin === undefined ? "" : ` ${origin}`} by ${by}, in its words: ${text === "" ? "(nothing)" : quoted(text, MAX_DESCRIPTION)}`,
      ...schema.words,
    ].join(" "),
    inputSchema:
      which === undefined || isOnlyChoice(kinds, offers)
        ? schema.listed
        : withWhich(kinds, schema.listed, which, offers),
    fullSchema: schema.isWhole ? undefined : schema.full,
    isReadOnly: isReadOnly(found),
    providers: names,
    owner: first?.key ?? "",
  };
}

/** The title of a tool that has none: `getPage` and `get_page` are "Get page". */
function titleOf(name: string): string {
  const words = name.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2").replaceAll(/[_-]+/g, " ");
  return capital(words.toLowerCase());
}

/** What the providers state, and the cautious answer to what one of them leaves open. */
function hintsOf({ offers }: FoundTool): Record<string, boolean> {
  const readOnlyHint = offers.every(
    ({ tool: { annotations, readOnly = false } }) => annotations?.readOnlyHint ?? readOnly,
  );
  const somewhere = (hint: string, otherwise: boolean) =>
    offers.some(({ tool: { annotations } }) => annotations?.[hint] ?? otherwise);
  return {
    ...offers[0]?.tool.annotations,
    readOnlyHint,
    destructiveHint: somewhere("destructiveHint", !readOnlyHint),
    openWorldHint: somewhere("openWorldHint", true),
  };
}

/** As many entries as fit, one from each provider in turn, so that no provider takes all the space. */
function fairShare(
  entries: readonly OwnedEntry[],
  { total, perProvider }: ListedBytes,
): Set<string> {
  const queues = new Map<string, OwnedEntry[]>();
  for (const entry of entries) {
    const queue = queues.get(entry.owner) ?? [];
    queues.set(entry.owner, queue);
    queue.push(entry);
  }
  const listed = new Set<string>();
  const taken = new Map<string, number>();
  let room = total;
  while (queues.size > 0) {
    for (const [owner, queue] of queues) {
      const entry = queue.shift();
      if (entry === undefined) queues.delete(owner);
      else {
        const { name, description, inputSchema } = entry;
        if (description.length > room) continue;
        const bytes = utf8(JSON.stringify({ name, description, inputSchema })).length;
        const ofOwner = (taken.get(owner) ?? 0) + bytes;
        if (bytes > room || ofOwner > perProvider) continue;
        room -= bytes;
        taken.set(owner, ofOwner);
        listed.add(name);
      }
    }
  }
  return listed;
}
