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
  readonly #tools: readonly Tool[];
  readonly #toEntry: (tool: Tool) => ToolEntry;
  readonly #byName: ReadonlyMap<string, Tool>;
  readonly #aliases: ReadonlyMap<string, Tool>;
  readonly kinds: ReadonlySet<string>;
  #entries: readonly ToolEntry[] | undefined;

  constructor(tools: readonly Tool[], toEntry: (tool: Tool) => ToolEntry) {
    this.#tools = tools;
    this.#toEntry = toEntry;
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.kinds = new Set(tools.flatMap(({ listedWith }) => listedWith ?? []));
    this.#aliases = new Map(tools.map((tool) => [tool.name.replaceAll("_", "-"), tool]));
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
