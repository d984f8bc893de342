import type { ProviderOffer, ProviderPort } from "@ccbridge/registry";
import {
  type OfferedCaller,
  type OfferedHandle,
  type OfferedListing,
  type OfferedTools,
  offeredFacts,
} from "../tool/offered.js";
import { tagOf, whichOf } from "./address.js";
import { readOffered } from "./call.js";
import type { Found } from "./found.js";
import { listEntries } from "./listing.js";
import { fold, type NamedTool, OfferedNames } from "./names.js";
import { OfferNews } from "./news.js";
import { brokenOf, readTool } from "./read-tool.js";

/** How many scopes have their names remembered, and how many names they have together. */
const REMEMBERED = { scopes: 512, names: 65_536 };

/** What providers offer, under the names that clients see. All clients share it, since they share the names. */
export class OfferedCatalog implements OfferedTools {
  readonly #all: ProviderPort;
  readonly #reserved: readonly string[];
  readonly #callers: ReadonlyMap<string, OfferedCaller>;
  /** Names by scope: tools of providers that are never seen together may share a name. */
  readonly #names = new Map<string, OfferedNames>();
  readonly #news: OfferNews;

  /**
   * `reserved` contains the names of all built-in tools, even those that are switched off. Kinds of providers
   * without their own caller run their tools as jobs.
   */
  constructor(
    all: ProviderPort,
    reserved: Iterable<string>,
    callers: ReadonlyMap<string, OfferedCaller> = new Map(),
  ) {
    this.#all = all;
    this.#news = new OfferNews(all);
    this.#reserved = [...reserved];
    this.#callers = callers;
  }

  subscribe(listener: () => void): () => void {
    return this.#news.subscribe(listener);
  }

  async list(providers: ProviderPort): Promise<OfferedListing> {
    const offers = await providers.offered.list();
    const found = await this.#find(offers, providers.scope);
    return {
      tools: listEntries(found, (tool) => this.#callerOf(tool)?.origin ?? "in the game"),
      broken: offers.flatMap(brokenOf),
    };
  }

  async find(name: string, providers: ProviderPort): Promise<OfferedHandle | undefined> {
    const all = await this.#find(await providers.offered.list(), providers.scope);
    const found = all.find(({ shown }) => fold(shown) === fold(name));
    if (found === undefined) return undefined;
    const caller = this.#callerOf(found);
    return {
      facts: offeredFacts(found.shown),
      read: (args, times) => readOffered({ found, args: args ?? {}, caller }, times),
    };
  }

  /** The tools of some offers. All offers are named first: names do not depend on who looks. */
  async #find(visible: readonly ProviderOffer[], scope: string | undefined): Promise<Found[]> {
    const all = await this.#all.offered.list();
    const named = this.#namesOf(scope ?? "").assign(
      all
        .filter(({ identity }) => identity.scope === undefined || identity.scope === scope)
        .map((offer) => ({
          key: offer.key,
          tag: tagOf(offer),
          tools: offer.tools.flatMap((tool) => {
            const read = readTool(tool);
            // Kinds never share a name: the argument that chooses the provider differs.
            const signature =
              typeof read === "string" ? "" : `${offer.identity.kind} ${read.signature}`;
            return typeof read === "string" ? [] : [{ name: tool.name, signature }];
          }),
        })),
    );
    this.#forget();
    const byKey = new Map(visible.map((offer) => [offer.key, offer]));
    return named.flatMap((tool) => withOffers(tool, byKey));
  }

  #namesOf(scope: string): OfferedNames {
    const names = this.#names.get(scope) ?? new OfferedNames(this.#reserved);
    // The one that was used last goes last.
    this.#names.delete(scope);
    this.#names.set(scope, names);
    return names;
  }

  /** Drops the names of the scopes that were not used for longest. */
  #forget(): void {
    let count = 0;
    for (const { size } of this.#names.values()) count += size;
    for (const [scope, { size }] of this.#names) {
      const { scopes, names } = REMEMBERED;
      if (this.#names.size <= Math.max(1, count > names ? 1 : scopes)) return;
      this.#names.delete(scope);
      count -= size;
    }
  }

  #callerOf({ offers }: Found): OfferedCaller | undefined {
    return this.#callers.get(offers[0]?.identity.kind ?? "");
  }
}

/** A named tool with those of its offers that are visible; empty when none is. */
function withOffers(tool: NamedTool, visible: ReadonlyMap<string, ProviderOffer>): Found[] {
  const offers = tool.providers.flatMap((key) => visible.get(key) ?? []);
  const first = offers[0]?.tools.find(({ name }) => name === tool.offered);
  const read = first === undefined ? undefined : readTool(first);
  if (read === undefined || typeof read === "string") return [];
  const { schema } = read;
  return [{ ...tool, offers, schema, which: tool.isShared ? whichOf(offers, schema) : undefined }];
}
