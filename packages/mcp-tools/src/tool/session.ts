import type { ToolContext } from "./define.js";
import type { OfferedEntry } from "./offered.js";
import { answer, type CallResult, runTool } from "./run.js";
import type { ToolEntry, ToolSource } from "./source.js";

/** What belongs to one call. */
export type CallFacts = Pick<ToolContext, "signal" | "gone" | "progress" | "confirm">;

/** What all calls of one client have in common. */
export type SessionContext = Omit<ToolContext, keyof CallFacts>;

export interface ToolSessionOptions {
  source: ToolSource;
  context: SessionContext;
  /** Says that the list of tools is another one now. */
  listChanged(): void;
}

/** There is no tool of this name; these there are. */
export class UnknownToolError extends Error {
  override readonly name = "UnknownToolError";
  readonly names: readonly string[];

  constructor(name: string, names: readonly string[]) {
    super(`There is no tool "${name.slice(0, 64)}".`);
    this.names = names;
  }
}

/** The tools as one client sees them: those that are built in, then those that the game offers to it. */
export class ToolSession {
  readonly #options: ToolSessionOptions;
  readonly #stop: () => void;
  /** The offered part of the list as the client knows it; undefined until it asks. */
  #known: string | undefined;

  constructor(options: ToolSessionOptions) {
    this.#options = options;
    this.#stop = options.context.offered.subscribe(() => void this.#compare());
  }

  async list(): Promise<ToolEntry[]> {
    const offered = await this.#offered();
    this.#known = JSON.stringify(offered);
    return [...this.#options.source.list(), ...offered];
  }

  /** Calls a tool. Rejects with an {@link UnknownToolError} or a {@link RpcFailure} alone. */
  async call(name: string, args: unknown, facts: CallFacts): Promise<CallResult> {
    const { source, context } = this.#options;
    const tool = source.find(name);
    const callContext: ToolContext = { ...context, ...facts };
    if (tool !== undefined) return runTool(tool, args, callContext);
    let isUnknown = false;
    const result = await answer(async () => {
      const outcome = await context.offered.call(name, args ?? {}, callContext);
      isUnknown = outcome === undefined;
      return outcome ?? { text: "" };
    }, context.settings);
    if (isUnknown) throw new UnknownToolError(name, [...source.names]);
    return result;
  }

  close(): void {
    this.#stop();
  }

  async #offered(): Promise<ToolEntry[]> {
    const { context } = this.#options;
    const { tools } = await context.offered.list(context.providers);
    return tools.filter(({ isListed }) => isListed).map(offeredEntry);
  }

  /** Tells only a client that has seen another list, and sees the change. */
  async #compare(): Promise<void> {
    if (this.#known === undefined) return;
    const now = JSON.stringify(await this.#offered());
    if (now === this.#known) return;
    this.#known = now;
    this.#options.listChanged();
  }
}

function offeredEntry({ name, description, inputSchema }: OfferedEntry): ToolEntry {
  return { name, description, inputSchema: { ...inputSchema, type: "object" } };
}
