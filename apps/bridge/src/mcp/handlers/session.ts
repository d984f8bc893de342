import { randomUUID } from "node:crypto";
import {
  builtInNames,
  type CatalogOptions,
  ClientTools,
  createSubscriptionBudget,
  findResource,
  followableResource,
  type LogLevel,
  OfferedCatalog,
  type Prompt,
  type ReadNews,
  type Resource,
  resourceFacts,
  type SubscriptionBudget,
  Subscriptions,
  type Tool,
  type ToolContext,
  ToolSource,
} from "@ccbridge/mcp-tools";
import { filteredPort, type ProviderPort, scopeOf, stopOnceStarted } from "@ccbridge/registry";
import type { Client } from "../../auth/rights/client.js";
import { type Caller, sessionName, visibleTo } from "../../calls/caller.js";
import type { Pipeline } from "../../calls/pipeline.js";
import { toolEntry } from "./tool-entry.js";

/** Providers whose return one client is notified of. */
const MAX_GONE = 256;

/** What depends on which groups of tools are switched on. */
export interface Catalogue {
  tools: readonly Tool[];
  resources: readonly Resource[];
  prompts: readonly Prompt[];
  instructions: string;
  hasApps: boolean;
}

export interface McpServices extends Catalogue {
  version: string;
  source: ToolSource;
  offered: OfferedCatalog;
  subscriptions: SubscriptionBudget;
  pipeline: Pipeline;
  providers: ProviderPort;
  /** The part of the tool context that does not depend on the session. */
  context: Pick<ToolContext, "settings" | "hostFolders">;
  contextOf(
    client: ClientFacts,
  ): Pick<
    ToolContext,
    "servers" | "capabilities" | "pairing" | "permissions" | "alerts" | "history" | "results"
  >;
}

export interface ClientFacts {
  client: Client;
  /** The named session of web pages that it uses instead of the default one. */
  pageSession?: string | undefined;
  /** Set for a client that has only the tools of this kind of provider. */
  kind?: string | undefined;
  /** Whether it gets structured results whatever the settings say, because it is a program. */
  wantsFacts?: boolean | undefined;
  software?: string | undefined;
}

export interface SessionNews {
  toolsChanged(): void;
  resourcesChanged(): void;
  /** With what is new there, for clients whose protocol can carry it. */
  resourceUpdated(uri: string, meta?: Readonly<Record<string, unknown>>): void;
  message(level: LogLevel, data: string): void;
}

export class McpSession {
  readonly services: McpServices;
  readonly caller: Caller;
  readonly context: Omit<ToolContext, "signal">;
  readonly tools: ClientTools;
  readonly subscriptions: Subscriptions;
  readonly wantsFacts: boolean;
  /** Minimum log level; undefined: no log messages. */
  logLevel: LogLevel | undefined;
  readonly #stopLinkNews: () => void;

  constructor(
    services: McpServices,
    opened: ClientFacts & {
      sessionId: string;
      /** Whose watches of events these are; for a client that is known again after a restart. */
      watcher?: string;
      programOf(): string | undefined;
    },
    news: SessionNews,
  ) {
    this.services = services;
    const { pipeline, source, offered } = services;
    const { client, pageSession, kind, sessionId, programOf } = opened;
    this.wantsFacts = opened.wantsFacts ?? services.context.settings.structured;
    this.caller = { client, session: sessionName(sessionId), software: programOf };
    const allows = (tool: Parameters<Pipeline["allows"]>[0]) => pipeline.allows(tool, this.caller);
    const providers = filteredPort(services.providers, {
      scope: scopeOf(pageSession),
      client: opened.watcher ?? randomUUID(),
      sees: visibleTo(client),
    });
    const own = services.contextOf(opened);
    const { pairing, permissions } = own;
    this.tools = new ClientTools({
      ...{ source, offered, providers, allows, pairing, permissions, kind },
      listChanged: () => news.toolsChanged(),
    });
    this.context = {
      ...services.context,
      ...own,
      providers,
      offered: this.tools.offered,
      allows: (name) => this.tools.allows(name),
    };
    this.subscriptions = new Subscriptions({
      context: this.context,
      budget: services.subscriptions,
      client,
      find: (uri) => findResource(uri, services.resources),
      updated: (uri, readNews) =>
        void this.#follow(uri, () => announce(uri, readNews, news)).catch(() => {}),
      listChanged: () => news.resourcesChanged(),
    });
    this.#stopLinkNews = this.#followLinks(news);
  }

  get resources(): readonly Resource[] {
    const { resources, pipeline } = this.services;
    return resources.filter((resource) => pipeline.allows(resourceFacts(resource), this.caller));
  }

  /** Reports the providers of kinds whose leaving and coming back clients hear about. */
  #followLinks(news: SessionNews): () => void {
    const { kinds } = this.services.context.settings;
    const gone = new Set<string>();
    return stopOnceStarted(
      this.context.providers.changes.subscribe(
        ({ topic, provider }) => {
          const { key } = provider;
          const kind = kinds.get(provider.kind);
          if (kind?.linkMessage === undefined || !this.tools.allows(kind.listedBy)) return;
          if (topic === "unlinked" && gone.size < MAX_GONE) {
            gone.add(key);
            news.message("warning", kind.linkMessage(provider, "left"));
          } else if (topic === "linked" && gone.delete(key)) {
            news.message("notice", kind.linkMessage(provider, "back"));
          }
        },
        { topics: ["linked", "unlinked"] },
      ),
    );
  }

  /** Follows a resource. Rejects when the client may not, or there is no such resource. */
  subscribe(uri: string): Promise<void> {
    return this.#follow(uri, () => this.subscriptions.subscribe(uri));
  }

  /** A subscription is a call that repeats: what its client may not see now is not announced. */
  async #follow(uri: string, run: () => Promise<void>): Promise<void> {
    const { signal } = new AbortController();
    await this.services.pipeline.run({
      caller: this.caller,
      find: () => followableResource(uri, this.services.resources, run),
      args: { uri },
      context: { ...this.context, signal },
    });
  }

  close(): void {
    this.#stopLinkNews();
    this.tools.close();
    this.subscriptions.close();
    this.context.providers.events.release();
  }
}

async function announce(
  uri: string,
  readNews: ReadNews | undefined,
  news: SessionNews,
): Promise<void> {
  for (let hasMore = true; hasMore; ) {
    const found = await readNews?.();
    news.resourceUpdated(uri, found?.meta);
    hasMore = found?.hasMore === true;
  }
}

/** An owner switched groups of tools, or what clients may do: those whose list is another now are notified. */
export function replaceCatalogue(services: McpServices, catalogue: Catalogue): void {
  Object.assign(services, catalogue);
  services.source.replace(catalogue.tools);
}

export interface ServicesOptions extends Omit<McpServices, "source" | "offered" | "subscriptions"> {
  toEntry?: typeof toolEntry;
  catalog?: CatalogOptions;
}

export function createServices({
  toEntry = toolEntry,
  catalog,
  ...options
}: ServicesOptions): McpServices {
  const { tools, context, providers } = options;
  return {
    subscriptions: createSubscriptionBudget(),
    source: new ToolSource(tools, (tool) => toEntry(tool, context.settings)),
    offered: new OfferedCatalog(
      providers,
      // Tools that are switched off keep their names: a client may know them from another bridge.
      [...builtInNames, ...tools.map(({ name }) => name)],
      context.settings.kinds,
      catalog,
    ),
    ...options,
  };
}
