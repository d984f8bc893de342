import { isRecord, type JsonSchema, partsOf, schemaAt } from "@ccbridge/protocol";

const ROOT = "https://schema.invalid/";

/**
 * Finds what the references of one schema mean. Only the schema itself is searched: a bridge must not fetch an address
 * because a page names it.
 */
export class References {
  readonly #named = new Map<string, JsonSchema>();
  readonly #bases = new Map<JsonSchema, string>();
  hasParts = false;

  constructor(root: JsonSchema) {
    this.#index(root, ROOT, true);
    this.#named.set(ROOT, root);
  }

  find(from: JsonSchema, reference: string): JsonSchema | undefined {
    const base = this.#bases.get(from) ?? ROOT;
    if (!URL.canParse(reference, base)) return undefined;
    const url = new URL(reference, base);
    const named = this.#named.get(url.href) ?? this.#named.get(url.href.replace(/#$/, ""));
    if (named !== undefined) return named;
    const pointer = decoded(url.hash.slice(1));
    url.hash = "";
    const resource = this.#named.get(url.href);
    if (resource === undefined || !pointer?.startsWith("/")) return undefined;
    let at: unknown = resource;
    for (const part of pointer.slice(1).split("/")) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
      at = (at as Record<string, unknown>)[key];
    }
    return schemaAt(at);
  }

  #index(schema: unknown, outer: string, isRoot: boolean): void {
    if (!isRecord(schema)) return;
    const { $id, $anchor, $dynamicAnchor } = schema;
    let base = outer;
    if (typeof $id === "string" && URL.canParse($id, outer)) {
      const url = new URL($id, outer);
      url.hash = "";
      base = url.href;
      this.#named.set(base, schema);
      if (!isRoot) this.hasParts = true;
    }
    this.#bases.set(schema, base);
    for (const anchor of [$anchor, $dynamicAnchor]) {
      if (typeof anchor === "string") this.#named.set(`${base}#${anchor}`, schema);
    }
    for (const [, part] of partsOf(schema)) this.#index(part, base, false);
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
