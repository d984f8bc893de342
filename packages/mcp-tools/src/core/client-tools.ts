import { type ProviderPort, stopOnceStarted } from "@ccbridge/registry";
import { type CallableTool, callable, factsOf, type ToolFacts } from "./call.js";
import { type PermissionsAccess, type Tool, WAITING } from "./define.js";
import { ProtocolError } from "./errors.js";
import { type OfferedEntry, type OfferedToolList, offeredFacts } from "./offered.js";
import type { ToolEntry, ToolSource } from "./source.js";

interface WaitingList {
  waiting(): readonly unknown[];
  subscribe(listener: () => void): () => void;
}

export interface ClientToolsOptions {
  source: ToolSource;
  offered: OfferedToolList;
  providers: ProviderPort;
  allows(tool: ToolFacts): boolean;
  pairing?: WaitingList | undefined;
  permissions?: PermissionsAccess | undefined;
  /** For a client that has only the tools of one kind of provider, and all of those in its list. */
  kind?: string | undefined;
  listChanged(): void;
}

const FINDER = "list-offered-tools";

export class UnknownToolError extends ProtocolError {
  override readonly name = "UnknownToolError";
  readonly names: readonly string[];

  constructor(name: string, names: readonly string[]) {
    super(`There is no tool "${name.slice(0, 64)}".`);
    this.names = names;
  }
}

export class ClientTools {
  readonly offered: OfferedToolList;
  readonly #options: ClientToolsOptions;
  readonly #stops: (() => void)[];
  #known: string | undefined;
  #unlisted = 0;

  constructor(options: ClientToolsOptions) {
    this.#options = options;
    const { source, providers, allows, pairing } = options;
    this.offered = allowedOffers(options.offered, allows);
    const compare = () => void this.#compare();
    this.#stops = [this.offered.subscribe(compare), source.subscribe(compare)];
    if (pairing) this.#stops.push(pairing.subscribe(() => void this.#compare()));
    const granted = options.permissions?.subscribe(() => void this.#compare());
    if (granted !== undefined) this.#stops.push(granted);
    this.#stops.push(
      stopOnceStarted(
        providers.changes.subscribe(
          ({ provider }) => {
            if (source.kinds.has(provider.kind)) void this.#compare();
          },
          { topics: ["linked", "unlinked"] },
        ),
      ),
    );
  }

  async list(): Promise<ToolEntry[]> {
    const [builtIn, offered] = await Promise.all([this.#builtIn(), this.#offered()]);
    this.#known = knownOf(builtIn, offered);
    return [...builtIn.map((entry) => this.#withUnlisted(entry)), ...offered];
  }

  /** The tool that finds offered tools says how many of them the list has no room for. */
  #withUnlisted(entry: ToolEntry): ToolEntry {
    if (this.#unlisted === 0 || entry.name !== FINDER) return entry;
    const more = `${this.#unlisted} offered tools are not in your list: this shows them.`;
    return { ...entry, description: `${entry.description} ${more}` };
  }

  /** The tool with a name. Throws or rejects with an {@link UnknownToolError}. */
  find(name: string): CallableTool | Promise<CallableTool> {
    const tool = this.#options.source.find(name);
    if (tool === undefined) return this.#findOffered(name);
    if (!this.#isOfKind(tool.kind)) throw this.#unknown(name);
    return callable(tool);
  }

  async #findOffered(name: string): Promise<CallableTool> {
    const offered = await this.offered.find(name, this.#options.providers);
    if (offered === undefined || !this.#isOfKind(offered.facts.kind)) throw this.#unknown(name);
    return { facts: offered.facts, read: (args) => offered.read(args) };
  }

  /** A client that could have called the tool learns that it is gone; others do not learn that it was there. */
  #unknown(name: string): Error {
    const gone = this.offered.gone(name, this.#options.providers);
    if (gone !== undefined && this.#isOfKind(gone.facts.kind)) return gone.error;
    return new UnknownToolError(name, this.#names());
  }

  allows(name: string): boolean {
    const tool = this.#options.source.find(name);
    return tool !== undefined && this.#isAllowed(tool);
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #isAllowed(tool: Tool): boolean {
    return this.#isOfKind(tool.kind) && this.#options.allows(factsOf(tool));
  }

  #isOfKind(kind: string | undefined): boolean {
    return this.#options.kind === undefined || this.#options.kind === kind;
  }

  #names(): string[] {
    return [...this.#options.source.names].filter((name) => this.allows(name));
  }

  async #builtIn(): Promise<ToolEntry[]> {
    const { source, providers, pairing } = this.#options;
    const missing = new Set<string>();
    for (const kind of source.kinds) {
      const listed = kind === WAITING ? pairing?.waiting() : await providers.list(kind);
      if (listed === undefined || listed.length === 0) missing.add(kind);
    }
    const hasPermissions = (this.#options.permissions?.list().length ?? 0) > 0;
    return source.list().filter(({ name }) => {
      const tool = source.find(name);
      const isHidden = tool?.listedWith !== undefined && missing.has(tool.listedWith);
      const isIdle = tool?.listedWhile === "permissions" && !hasPermissions;
      return tool !== undefined && !isHidden && !isIdle && this.#isAllowed(tool);
    });
  }

  async #offered(): Promise<ToolEntry[]> {
    const { kind, providers } = this.#options;
    const { tools } = await this.offered.list(providers);
    if (kind !== undefined) return tools.filter((tool) => tool.kind === kind).map(offeredEntry);
    this.#unlisted = tools.filter(({ isListed }) => !isListed).length;
    return tools.filter(({ isListed }) => isListed).map(offeredEntry);
  }

  async #compare(): Promise<void> {
    if (this.#known === undefined) return;
    const [builtIn, offered] = await Promise.all([this.#builtIn(), this.#offered()]);
    const now = knownOf(builtIn, offered);
    if (now === this.#known) return;
    this.#known = now;
    this.#options.listChanged();
  }
}

function knownOf(builtIn: readonly ToolEntry[], offered: readonly ToolEntry[]): string {
  return JSON.stringify([builtIn.map(({ name }) => name), offered]);
}

function offeredEntry(entry: OfferedEntry): ToolEntry {
  const { name, title, description, inputSchema, annotations } = entry;
  return {
    ...{ name, title, description, annotations },
    inputSchema: { ...inputSchema, type: "object" },
  };
}

function allowedOffers(
  offered: OfferedToolList,
  allows: ClientToolsOptions["allows"],
): OfferedToolList {
  return {
    subscribe: (listener) => offered.subscribe(listener),
    async list(providers) {
      const { tools, broken } = await offered.list(providers);
      return {
        tools: tools.filter(({ name, kind, isReadOnly }) =>
          allows(offeredFacts(name, kind, isReadOnly)),
        ),
        broken,
      };
    },
    async find(name, providers) {
      const found = await offered.find(name, providers);
      return found !== undefined && allows(found.facts) ? found : undefined;
    },
    gone(name, providers) {
      const gone = offered.gone(name, providers);
      return gone !== undefined && allows(gone.facts) ? gone : undefined;
    },
  };
}
