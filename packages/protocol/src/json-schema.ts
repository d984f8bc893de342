/** A JSON schema. Lua writes an empty table as an empty list, so that stands for an empty schema too. */
export type JsonSchema = boolean | Readonly<Record<string, unknown>>;

const single = [
  "items",
  "contains",
  "additionalProperties",
  "additionalItems",
  "propertyNames",
  "unevaluatedItems",
  "unevaluatedProperties",
  "not",
  "if",
  "then",
  "else",
];
const lists = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];
const maps = [
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependencies",
];

export function partsOf(
  schema: Readonly<Record<string, unknown>>,
): [path: readonly string[], part: unknown][] {
  const parts: [readonly string[], unknown][] = [];
  for (const keyword of single) {
    const part = schema[keyword];
    if (part !== undefined && !isFullList(part)) parts.push([[keyword], part]);
  }
  for (const keyword of lists) {
    const list = schema[keyword];
    if (!isFullList(list)) continue;
    for (const [index, part] of list.entries()) parts.push([[keyword, String(index)], part]);
  }
  for (const keyword of maps) {
    const map = schema[keyword];
    if (!isRecord(map)) continue;
    for (const [name, part] of Object.entries(map)) {
      // A dependency may be a list of names.
      if (!isFullList(part)) parts.push([[keyword, name], part]);
    }
  }
  return parts;
}

function isFullList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.length > 0;
}

/** The schema in a place for one; undefined where there is none. Null, which means nothing, allows everything. */
export function schemaAt(value: unknown): JsonSchema | undefined {
  if (value === null) return {};
  if (Array.isArray(value)) return value.length === 0 ? {} : undefined;
  return typeof value === "boolean" || isRecord(value) ? value : undefined;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
