import type { Kinds } from "../core/kind.js";
import type { OfferedEntry } from "../core/offered.js";
import { utf8 } from "../format/bytes.js";
import { quoted } from "../format/set-apart.js";
import { withWhich } from "./address.js";
import { type FoundTool, isReadOnly } from "./found.js";

const LISTED_BYTES = 10_000;
const MAX_DESCRIPTION = 600;

export function listEntries(kinds: Kinds, found: readonly FoundTool[]): OfferedEntry[] {
  const entries = found.flatMap(withoutMissing).map((tool) => describeEntry(kinds, tool));
  const listed = fairShare(entries, LISTED_BYTES);
  return entries.map(({ owner: _, ...entry }) => ({ ...entry, isListed: listed.has(entry.name) }));
}

type OwnedEntry = Omit<OfferedEntry, "isListed"> & { readonly owner: string };

function withoutMissing(found: FoundTool): FoundTool[] {
  const offers = found.offers.filter(({ tool }) => tool.missing === undefined);
  return offers.length === 0 ? [] : [{ ...found, offers }];
}

function describeEntry(kinds: Kinds, found: FoundTool): OwnedEntry {
  const { shown, offers, schema, which } = found;
  const [first] = offers;
  const origin = kinds.get(first?.provider.kind)?.offers?.origin ?? "in the game";
  const text = first?.tool.description?.trim() ?? "";
  const names = offers.map(({ name }) => name);
  const by = names.slice(0, 5).join(", ") + (names.length > 5 ? ", ..." : "");
  return {
    name: shown,
    description: [
      `Offered ${origin} by ${by}, in its words: ${text === "" ? "(nothing)" : quoted(text, MAX_DESCRIPTION)}`,
      ...schema.words,
    ].join(" "),
    inputSchema:
      which === undefined ? schema.listed : withWhich(kinds, schema.listed, which, offers),
    fullSchema: schema.isWhole ? undefined : schema.full,
    isReadOnly: isReadOnly(found),
    providers: names,
    owner: first?.key ?? "",
  };
}

/** As many entries as fit, one from each provider in turn, so that no provider takes all the space. */
function fairShare(entries: readonly OwnedEntry[], maxBytes: number): Set<string> {
  const queues = new Map<string, OwnedEntry[]>();
  for (const entry of entries) {
    const queue = queues.get(entry.owner) ?? [];
    queues.set(entry.owner, queue);
    queue.push(entry);
  }
  const listed = new Set<string>();
  let room = maxBytes;
  while (queues.size > 0) {
    for (const [owner, queue] of queues) {
      const entry = queue.shift();
      if (entry === undefined) queues.delete(owner);
      else {
        const { name, description, inputSchema } = entry;
        if (description.length > room) continue;
        const bytes = utf8(JSON.stringify({ name, description, inputSchema })).length;
        if (bytes > room) continue;
        room -= bytes;
        listed.add(name);
      }
    }
  }
  return listed;
}
