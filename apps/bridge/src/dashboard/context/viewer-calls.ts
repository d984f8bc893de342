import { randomUUID } from "node:crypto";
import { type CallableTool, factsOf, type ToolContext } from "@ccbridge/mcp-tools";
import { filteredPort, type ProviderPort, scopeOf } from "@ccbridge/registry";
import { type Client, isOwner } from "../../auth/rights/client.js";
import { type Caller, sessionName, visibleTo } from "../../calls/caller.js";
import type { McpServices } from "../../mcp/handlers/session.js";

export interface ViewerCallsOptions {
  readonly services: McpServices;
  readonly client: Client;
  readonly name: string;
  readonly gone: AbortSignal;
  /** @default "dashboard" */
  readonly software?: string;
}

export class ViewerCalls {
  readonly caller: Caller;
  readonly providers: ProviderPort;
  readonly #options: ViewerCallsOptions;
  readonly #watcher: string;
  readonly #context: Omit<ToolContext, "providers">;

  constructor(options: ViewerCallsOptions, id: string = randomUUID()) {
    const { services, client, name, gone, software = "dashboard" } = options;
    const { context, contextOf, offered } = services;
    this.#options = options;
    this.#watcher = id;
    const caller = { client, session: sessionName(id), software: () => software };
    this.caller = caller;
    this.providers = this.#seen(visibleTo(client));
    this.#context = {
      ...context,
      ...contextOf({ client }),
      offered,
      client: name,
      // A page that is closed does not cancel what it started.
      signal: new AbortController().signal,
      gone,
      allows: (tool) => this.allows(tool),
    };
  }

  allows(tool: string): boolean {
    const { source, pipeline } = this.#options.services;
    const found = source.find(tool);
    return found !== undefined && pipeline.allows(factsOf(found), this.caller);
  }

  get isOwner(): boolean {
    return isOwner(this.caller.client);
  }

  /** Makes a call. Rejects when it is refused or fails. */
  run<Outcome extends object>(
    tool: CallableTool<Outcome>,
    args: object,
    providers: ProviderPort = this.providers,
  ): Promise<Outcome> {
    const { caller } = this;
    const context = { ...this.#context, providers };
    return this.#options.services.pipeline.run({ caller, find: () => tool, args, context });
  }

  /** A port with one provider only, so that a selector cannot match another. */
  only(key: string): ProviderPort {
    const sees = visibleTo(this.caller.client);
    return this.#seen((provider) => provider.key === key && (sees?.(provider) ?? true));
  }

  /** The same page with its own poll groups: many polls would evict each other. */
  apart(): ViewerCalls {
    return new ViewerCalls(this.#options, this.#watcher);
  }

  close(): void {
    this.providers.events.release();
  }

  #seen(sees: ReturnType<typeof visibleTo>): ProviderPort {
    // The default page session: named ones are private.
    const scope = scopeOf(undefined);
    const { providers } = this.#options.services;
    return filteredPort(providers, { scope, sees, client: this.#watcher });
  }
}
