import type { Tool } from "./define.js";

export interface ObjectSchema {
  [keyword: string]: unknown;
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
}

export interface ToolEntry {
  [key: string]: unknown;
  name: string;
  title?: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
}

/** The built-in tools that are switched on. All clients share it, so that the list is made once. */
export class ToolSource {
  readonly #toEntry: (tool: Tool) => ToolEntry;
  readonly #listeners = new Set<() => void>();
  #tools: readonly Tool[] = [];
  #byName: ReadonlyMap<string, Tool> = new Map();
  #aliases: ReadonlyMap<string, Tool> = new Map();
  #kinds: ReadonlySet<string> = new Set();
  #entries: readonly ToolEntry[] | undefined;

  constructor(tools: readonly Tool[], toEntry: (tool: Tool) => ToolEntry) {
    this.#toEntry = toEntry;
    this.replace(tools);
  }

  /** Other tools are switched on, or clients may use others of the same. */
  replace(tools: readonly Tool[]): void {
    this.#tools = tools;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.#kinds = new Set(tools.flatMap(({ listedWith }) => listedWith ?? []));
    this.#aliases = new Map(tools.map((tool) => [tool.name.replaceAll("_", "-"), tool]));
    this.#entries = undefined;
    for (const listener of [...this.#listeners]) listener();
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  get kinds(): ReadonlySet<string> {
    return this.#kinds;
  }

  get names(): Iterable<string> {
    return this.#byName.keys();
  }

  find(name: string): Tool | undefined {
    return this.#byName.get(name) ?? this.#aliases.get(name);
  }

  // Made when the first client asks, to save start-up time.
  list(): readonly ToolEntry[] {
    this.#entries ??= this.#tools.map(this.#toEntry);
    return this.#entries;
  }
}
