import type { ProviderOffer, ProviderPort } from "@ccbridge/registry";
import type { Kinds } from "../core/kind.js";
import {
  type OfferedHandle,
  type OfferedListing,
  type OfferedToolList,
  offeredFacts,
} from "../core/offered.js";
import { tagOf, whichOf } from "./address.js";
import { readOffered } from "./call.js";
import { type FoundTool, isReadOnly } from "./found.js";
import { listEntries } from "./listing.js";
import { fold, type NamedTool, OfferedNames } from "./names.js";
import { OfferNews } from "./news.js";
import { brokenOf, readTools } from "./read-tool.js";

const REMEMBERED = { scopes: 512, names: 65_536 };

type NameIndex = ReadonlyMap<string, NamedTool>;

interface Scope {
  readonly names: OfferedNames;
  index?: Promise<NameIndex> | undefined;
}

/** What providers offer, under the names that clients see. All clients share it, since they share the names. */
export class OfferedCatalog implements OfferedToolList {
  readonly #all: ProviderPort;
  readonly #reserved: readonly string[];
  readonly #kinds: Kinds;
  readonly #scopes = new Map<string, Scope>();
  readonly #news: OfferNews;

  constructor(all: ProviderPort, reserved: Iterable<string>, kinds: Kinds) {
    this.#all = all;
    this.#news = new OfferNews(all);
    this.#reserved = [...reserved];
    this.#kinds = kinds;
    void all.changes.subscribe(
      () => {
        for (const scope of this.#scopes.values()) scope.index = undefined;
      },
      { topics: ["tools"] },
    );
  }

  subscribe(listener: () => void): () => void {
    return this.#news.subscribe(listener);
  }

  async list(providers: ProviderPort): Promise<OfferedListing> {
    const index = await this.#index(providers.scope);
    const offers = await providers.offered.list();
    const byKey = new Map(offers.map((offer) => [offer.key, offer]));
    const found = [...index.values()].flatMap(
      (named) =>
        this.#withOffers(
          named,
          named.providers.map((key) => byKey.get(key)),
        ) ?? [],
    );
    return {
      tools: listEntries(this.#kinds, found),
      broken: offers.flatMap(brokenOf),
    };
  }

  async find(name: string, providers: ProviderPort): Promise<OfferedHandle | undefined> {
    const named = (await this.#index(providers.scope)).get(fold(name));
    if (named === undefined) return undefined;
    const offers = await Promise.all(named.providers.map((key) => providers.offered.get(key)));
    const found = this.#withOffers(named, offers);
    if (found === undefined) return undefined;
    return {
      facts: offeredFacts(found.shown, found.offers[0]?.provider.kind, isReadOnly(found)),
      read: (args, times) => readOffered(this.#kinds, { found, args: args ?? {} }, times),
    };
  }

  #index(scope = ""): Promise<NameIndex> {
    const entry = this.#scopes.get(scope) ?? { names: new OfferedNames(this.#reserved) };
    // The one that was used last goes last.
    this.#scopes.delete(scope);
    this.#scopes.set(scope, entry);
    entry.index ??= this.#assign(entry, scope);
    return entry.index;
  }

  /** Names what all providers of a scope offer: names do not depend on who looks. */
  async #assign(entry: Scope, scope: string): Promise<NameIndex> {
    try {
      const all = await this.#all.offered.list();
      const offers = all.filter(({ provider }) => (provider.scope ?? scope) === scope);
      const named = entry.names.assign(
        offers.map((offer) => ({
          key: offer.key,
          tag: tagOf(this.#kinds, offer),
          // Kinds never share a name: the argument that chooses the provider differs.
          tools: [...readTools(offer)].map(([name, { signature }]) => ({
            name,
            signature: `${offer.provider.kind} ${signature}`,
          })),
        })),
      );
      this.#forget();
      return new Map(named.map((tool) => [fold(tool.shown), tool]));
    } catch (error) {
      entry.index = undefined;
      throw error;
    }
  }

  #forget(): void {
    let count = 0;
    for (const { names } of this.#scopes.values()) count += names.size;
    for (const [scope, { names }] of this.#scopes) {
      const isFull = count > REMEMBERED.names || this.#scopes.size > REMEMBERED.scopes;
      if (!isFull || this.#scopes.size === 1) return;
      this.#scopes.delete(scope);
      count -= names.size;
    }
  }

  #withOffers(
    named: NamedTool,
    visible: readonly (ProviderOffer | undefined)[],
  ): FoundTool | undefined {
    const read = visible.flatMap((offer) => {
      if (offer === undefined) return [];
      const { tool, schema } = readTools(offer).get(named.offered) ?? {};
      return tool === undefined ? [] : [{ offer: { ...offer, tool }, schema }];
    });
    const schema = read[0]?.schema;
    if (schema === undefined) return undefined;
    const offers = read.map(({ offer }) => offer);
    const which = named.isShared ? whichOf(this.#kinds, offers, schema) : undefined;
    return { ...named, offers, schema, which };
  }
}
