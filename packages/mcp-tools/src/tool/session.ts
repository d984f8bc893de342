import { acts, annotationsOf } from "./annotations.js";
import { type CallFacts, contextOf, type SessionContext } from "./context.js";
import { type Tool, type ToolContext, WAITING } from "./define.js";
import type { GatedCall, ToolFacts, ToolGate } from "./gate.js";
import type { OfferedEntry, OfferedTools } from "./offered.js";
import { answer, type CallResult, runTool } from "./run.js";
import type { ToolEntry, ToolSource } from "./source.js";

export interface ToolSessionOptions {
  source: ToolSource;
  context: SessionContext;
  /** Decides which tools the client may use; without it, all of them. */
  gate?: ToolGate | undefined;
  /** Says that the list of tools changed. */
  listChanged(): void;
}

/** There is no tool with this name; `names` are those that exist. */
export class UnknownToolError extends Error {
  override readonly name = "UnknownToolError";
  readonly names: readonly string[];

  constructor(name: string, names: readonly string[]) {
    super(`There is no tool "${name.slice(0, 64)}".`);
    this.names = names;
  }
}

/** The tools as one client sees them: the built-in ones, then those that providers offer. */
export class ToolSession {
  readonly #options: ToolSessionOptions;
  readonly #context: SessionContext;
  readonly #stop: () => void;
  /** The parts of the list that may change, as the client last saw them; undefined until it asks. */
  #known: string | undefined;

  constructor(options: ToolSessionOptions) {
    this.#options = options;
    const { context, gate } = options;
    const offered = gate === undefined ? context.offered : gatedOffers(context.offered, gate);
    this.#context = { ...context, offered, allows: (name) => this.#allows(name) };
    const stops = [offered.subscribe(() => void this.#compare())];
    if (context.pairing) stops.push(context.pairing.subscribe(() => void this.#compare()));
    const { kinds } = options.source;
    if (kinds.size > 0) {
      const stop = context.providers.changes.subscribe(({ topic, identity }) => {
        const counts = topic === "linked" || topic === "unlinked";
        if (counts && kinds.has(identity.kind)) void this.#compare();
      });
      stops.push(stop);
    }
    this.#stop = () => {
      for (const stop of stops) stop();
    };
  }

  async list(): Promise<ToolEntry[]> {
    const [builtIn, offered] = await Promise.all([this.#builtIn(), this.#offered()]);
    this.#known = knownOf(builtIn, offered);
    return [...builtIn, ...offered];
  }

  /** Calls a tool. Rejects only with an {@link UnknownToolError} or a {@link RpcFailure}. */
  call(name: string, args: unknown, facts: CallFacts): Promise<CallResult> {
    const context = contextOf(this.#context, facts);
    const tool = this.#options.source.find(name);
    if (tool === undefined) return this.#callOffered(name, args, context);
    const call = { tool: factsOf(tool), args, context, watched: tool.watchedBy?.(args) };
    return this.#pass(call, (own) => runTool(tool, args, own));
  }

  async #callOffered(name: string, args: unknown, context: ToolContext): Promise<CallResult> {
    const offered = await context.offered.find(name, context.providers);
    if (offered === undefined) throw new UnknownToolError(name, this.#names());
    const { offeredBy } = offered;
    return this.#pass({ tool: offeredFacts(offered.name), args, context, offeredBy }, (own) =>
      answer(() => offered.call(args ?? {}, own), own.settings),
    );
  }

  close(): void {
    this.#stop();
  }

  #pass(call: GatedCall, run: (context: ToolContext) => Promise<CallResult>): Promise<CallResult> {
    const { gate } = this.#options;
    return gate === undefined ? run(call.context) : gate.pass(call, run);
  }

  #allows(name: string): boolean {
    const { source, gate } = this.#options;
    const tool = source.find(name);
    return tool !== undefined && (gate === undefined || isAllowed(gate, tool));
  }

  /** The built-in tools that the client may use. */
  #names(): string[] {
    return [...this.#options.source.names].filter((name) => this.#allows(name));
  }

  /** The built-in tools that are listed for the client now. */
  async #builtIn(): Promise<ToolEntry[]> {
    const { source, gate } = this.#options;
    const { providers, pairing } = this.#context;
    const missing = new Set<string>();
    for (const kind of source.kinds) {
      const listed = kind === WAITING ? pairing?.waiting() : await providers.list(kind);
      if (listed === undefined || listed.length === 0) missing.add(kind);
    }
    return source.list().filter(({ name }) => {
      const tool = source.find(name);
      const isHidden = tool?.listedWith !== undefined && missing.has(tool.listedWith);
      return !isHidden && (gate === undefined || isAllowed(gate, tool));
    });
  }

  async #offered(): Promise<ToolEntry[]> {
    const { offered, providers } = this.#context;
    const { tools } = await offered.list(providers);
    return tools.filter(({ isListed }) => isListed).map(offeredEntry);
  }

  /** Notifies a client only if it has seen a different list. */
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

function offeredEntry({ name, description, inputSchema }: OfferedEntry): ToolEntry {
  return { name, description, inputSchema: { ...inputSchema, type: "object" } };
}

function isAllowed(gate: ToolGate, tool: Tool | undefined): boolean {
  return tool !== undefined && gate.allows(factsOf(tool));
}

function factsOf(tool: Tool): ToolFacts {
  return { name: tool.name, annotations: annotationsOf(tool), isOffered: false };
}

/** Providers do not say what their tools do, so each may do anything. */
function offeredFacts(name: string): ToolFacts {
  return { name, annotations: acts, isOffered: true };
}

/** The offered tools that a gate lets a client see and use. */
function gatedOffers(offered: OfferedTools, gate: ToolGate): OfferedTools {
  const allows = ({ name }: { readonly name: string }) => gate.allows(offeredFacts(name));
  return {
    subscribe: (listener) => offered.subscribe(listener),
    async list(providers) {
      const { tools, broken } = await offered.list(providers);
      return { tools: tools.filter(allows), broken };
    },
    async find(name, providers) {
      const found = await offered.find(name, providers);
      return found !== undefined && allows(found) ? found : undefined;
    },
  };
}
