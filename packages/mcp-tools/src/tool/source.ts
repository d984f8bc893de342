import type { Tool } from "./define.js";

/** The JSON schema of an object. */
export interface ObjectSchema {
  [keyword: string]: unknown;
  type: "object";
  properties?: Record<string, object>;
  required?: string[];
}

/** A tool as MCP lists it. */
export interface ToolEntry {
  [key: string]: unknown;
  name: string;
  title?: string;
  description: string;
  inputSchema: ObjectSchema;
  outputSchema?: ObjectSchema;
}

/** The tools that are built in and switched on. One for all clients: what is listed is made once. */
export class ToolSource {
  readonly #tools: readonly Tool[];
  readonly #toEntry: (tool: Tool) => ToolEntry;
  readonly #byName: ReadonlyMap<string, Tool>;
  /** Tools with underscores may be called with hyphens too, like the others. It is not listed. */
  readonly #aliases: ReadonlyMap<string, Tool>;
  /** The kinds of providers without which some tools are not listed. */
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

  // Made for the first client that asks: it costs start-up time.
  list(): readonly ToolEntry[] {
    this.#entries ??= this.#tools.map(this.#toEntry);
    return this.#entries;
  }
}
