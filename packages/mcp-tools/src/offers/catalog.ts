import {
  BoundedMap,
  type Provider,
  type ProviderOffer,
  type ProviderPort,
} from "@ccbridge/registry";
import type { Kinds } from "../core/kind.js";
import {
  type GoneOffer,
  type OfferedHandle,
  type OfferedListing,
  type OfferedToolList,
  offeredFacts,
} from "../core/offered.js";
import { tagOf, whichOf } from "./address.js";
import { type FoundTool, isReadOnly, readOffered } from "./call.js";
import { type ListedBytes, listEntries } from "./listing.js";
import { fold, type NamedTool, OfferedNames } from "./names.js";
import { OfferNews } from "./news.js";
import { brokenOf, readTools } from "./read-tool.js";

const REMEMBERED = { scopes: 512, names: 65_536 };

type NameIndex = ReadonlyMap<string, NamedTool>;

interface Scope {
  readonly names: OfferedNames;
  index?: Promise<NameIndex> | undefined;
  /** What is offered now, and what was: a client may still call it. */
  readonly present: Map<string, PresentTool>;
  readonly gone: BoundedMap<string, GoneTool>;
  /** When the tools of providers changed last, by key. */
  readonly changed: BoundedMap<string, number>;
}

/** Tools that are remembered after they went, for each scope. */
const MAX_GONE = 256;

interface MadeListing {
  readonly index: NameIndex;
  readonly offers: readonly ProviderOffer[];
  readonly listing: OfferedListing;
}

/** Sets of visible providers for which the listing is kept. */
const MAX_LISTINGS = 16;

export interface CatalogOptions {
  /** What the list of tools has room for. */
  listedBytes?: ListedBytes | undefined;
  /** Called when other tools of a provider have no room in the list than before. */
  onUnlisted?: ((provider: string, tools: readonly string[]) => void) | undefined;
}

/** What providers offer, under the names that clients see. All clients share it, since they share the names. */
export class OfferedCatalog implements OfferedToolList {
  readonly #all: ProviderPort;
  readonly #reserved: readonly string[];
  readonly #kinds: Kinds;
  readonly #scopes = new Map<string, Scope>();
  readonly #news: OfferNews;
  readonly #options: CatalogOptions;
  readonly #reportedByProvider = new BoundedMap<string, string>(MAX_GONE);
  readonly #listings = new BoundedMap<string, MadeListing>(MAX_LISTINGS);

  constructor(
    all: ProviderPort,
    reserved: Iterable<string>,
    kinds: Kinds,
    options: CatalogOptions = {},
  ) {
    this.#options = options;
    this.#all = all;
    this.#news = new OfferNews(all);
    this.#reserved = [...reserved];
    this.#kinds = kinds;
    void all.changes.subscribe(
      ({ provider }) => {
        for (const [scope, entry] of this.#scopes) {
          entry.index = undefined;
          if ((provider.scope ?? scope) === scope) entry.changed.set(provider.key, Date.now());
        }
      },
      { topics: ["tools"] },
    );
  }

  subscribe(listener: () => void): () => void {
    return this.#news.subscribe(listener);
  }

  /** Made once for each change and for each set of providers that clients see, since it may be long. */
  async list(providers: ProviderPort): Promise<OfferedListing> {
    const index = await this.#index(providers.scope);
    const offers = await providers.offered.list();
    const seen = `${providers.scope ?? ""} ${offers.map(({ key }) => key).join(" ")}`;
    let made = this.#listings.get(seen);
    if (made?.index !== index || !made.offers.every((offer, at) => isSame(offer, offers[at]))) {
      made = { index, offers, listing: this.#makeListing(index, offers) };
      this.#listings.set(seen, made);
    }
    return made.listing;
  }

  #makeListing(index: NameIndex, offers: readonly ProviderOffer[]): OfferedListing {
    const byKey = new Map(offers.map((offer) => [offer.key, offer]));
    const found = [...index.values()].flatMap(
      (named) =>
        this.#withOffers(
          named,
          named.providers.map((key) => byKey.get(key)),
        ) ?? [],
    );
    const { tools, unlisted } = listEntries(this.#kinds, found, this.#options.listedBytes);
    this.#report(unlisted);
    return {
      tools,
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

  gone(name: string, { scope = "", sees }: ProviderPort): GoneOffer | undefined {
    const tool = this.#scopes.get(scope)?.gone.get(fold(name));
    if (tool === undefined || sees?.(tool.provider) === false) return undefined;
    const { kind } = tool.provider;
    const at = new Date(tool.at).toTimeString().slice(0, 5);
    const what = tool.isLinked ? "took it back" : "closed";
    const message = `There is no tool ${name} any more: ${tool.name} ${what} at ${at}. Call list-offered-tools to see what is offered now.`;
    const error = this.#kinds.get(kind)?.offers?.gone?.(message);
    return error && { facts: offeredFacts(name, kind, tool.isReadOnly), error };
  }

  /** Once for each change, however many clients list the tools. */
  #report(unlisted: ReadonlyMap<string, string[]>): void {
    for (const [provider, names] of unlisted) {
      const text = names.join();
      if (this.#reportedByProvider.get(provider) === text) continue;
      this.#reportedByProvider.set(provider, text);
      this.#options.onUnlisted?.(provider, names);
    }
  }

  #index(scope = ""): Promise<NameIndex> {
    const entry: Scope = this.#scopes.get(scope) ?? {
      names: new OfferedNames(this.#reserved),
      present: new Map(),
      gone: new BoundedMap(MAX_GONE),
      changed: new BoundedMap(MAX_GONE),
    };
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
      noteGone(entry, named, offers);
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

/** Tools are replaced as a whole, and so is the provider when it links again. */
function isSame(made: ProviderOffer, offer: ProviderOffer | undefined): boolean {
  return (
    made.tools === offer?.tools &&
    made.broken === offer.broken &&
    made.provider === offer.provider &&
    made.name === offer.name
  );
}

interface PresentTool {
  readonly provider: Provider;
  readonly name: string;
  readonly isReadOnly: boolean;
}

interface GoneTool extends PresentTool {
  readonly at: number;
  /** Whether its provider is still there, and offers other tools. */
  readonly isLinked: boolean;
}

function noteGone(
  { present, gone, changed }: Scope,
  named: readonly NamedTool[],
  offers: readonly ProviderOffer[],
): void {
  const byKey = new Map(offers.map((offer) => [offer.key, offer]));
  const before = new Map(present);
  present.clear();
  for (const { shown, offered, providers } of named) {
    const [first, ...others] = providers.flatMap((key) => byKey.get(key) ?? []);
    if (first === undefined) continue;
    const isReadOnly = [first, ...others].every(
      (offer) => readTools(offer).get(offered)?.tool.readOnly === true,
    );
    const { provider, name } = first;
    present.set(fold(shown), { provider, name, isReadOnly });
    gone.delete(fold(shown));
  }
  for (const [shown, tool] of before) {
    const { key } = tool.provider;
    if (present.has(shown)) continue;
    gone.set(shown, { ...tool, at: changed.get(key) ?? Date.now(), isLinked: byKey.has(key) });
  }
}
