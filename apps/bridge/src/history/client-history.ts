import { tools as builtIn, factsOf, type Kinds, type Tool } from "@ccbridge/mcp-tools";
import type { History, LastPlace, Provider } from "@ccbridge/registry";
import type { Sight, Store } from "@ccbridge/store";
import { type Client, isOwner } from "../auth/rights/client.js";
import { allowsTool } from "../auth/rights/rules.js";
import { visibleTo } from "../calls/caller.js";

/** Where the past is read: the history file, or what memory has of it. */
export type HistorySource = Pick<Store, "timeline" | "summary" | "providers">;

export interface HistoryOptions {
  readonly source: HistorySource;
  readonly isKept: boolean;
  readonly kinds: Kinds;
  /** Removes secrets: one may be newer than what was written. */
  clean<T>(value: T): T;
  readonly tracks: { places(): readonly LastPlace[] };
  /** Why what happened on other bridges may be missing. */
  unseen(): string | undefined;
}

/** A search that finds nothing goes on by itself, this often. */
const MAX_SEARCHES = 10;

const everything: Sight = { hidden: [], hiddenEvents: [], withoutTools: [] };

/** What a client may know of the past: owners all of it, others their own calls and what they may see now. */
export function historyOf(client: Client, options: HistoryOptions): History {
  const { source, isKept, clean } = options;
  const sees = visibleTo(client);
  const sight = async () =>
    isOwner(client) ? everything : limitedSight(client, await source.providers(), options);
  return {
    isKept,
    get unseen() {
      return options.unseen();
    },
    async timeline(filter) {
      const limits = await sight();
      let page = await source.timeline(filter, limits);
      for (let searched = 1; searched < MAX_SEARCHES; searched++) {
        if (page.entries.length > 0 || page.next === undefined) break;
        page = await source.timeline({ ...filter, before: page.next }, limits);
      }
      return clean(page);
    },
    summary: async (filter) => clean(await source.summary(filter, await sight())),
    async providers() {
      const hidden = new Set((await sight()).hidden);
      return clean(await source.providers()).filter(({ key }) => !hidden.has(key));
    },
    async places() {
      const seen = new Set((await this.providers()).map(({ key }) => key));
      return options.tracks.places().filter(({ key }) => sees === undefined || seen.has(key));
    },
  };
}

function limitedSight(
  client: Client,
  providers: readonly Provider[],
  { kinds }: HistoryOptions,
): Sight {
  const sees = visibleTo(client);
  const isDenied = (tool: Tool) => !allowsTool(client.rights.tools, factsOf(tool));
  const added = kinds.all.flatMap((kind) => Object.values(kind.tools).flat());
  const denied = new Set([...builtIn, ...added].filter(isDenied).map(({ name }) => name));
  const isHidden = (provider: Provider) =>
    sees?.(provider) === false || denied.has(kinds.get(provider.kind)?.listedBy ?? "");
  const hasHiddenEvents = (provider: Provider) =>
    isHidden(provider) || denied.has(kinds.get(provider.kind)?.eventsReadBy ?? "");
  const keysOf = (filter: (provider: Provider) => boolean) =>
    providers.filter(filter).map(({ key }) => key);
  return {
    client: client.name,
    hidden: keysOf(isHidden),
    hiddenEvents: keysOf(hasHiddenEvents),
    withoutTools: [...denied],
  };
}
