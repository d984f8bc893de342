import { outlineOf } from "./json-scan.js";
import { partsOf, schemaAt } from "./json-schema.js";

/** What the input schema of one offered tool may take: it is kept, checked against, and shown in full. */
const MAX_LENGTH = 32_768;
const MAX_DEPTH = 32;
const MAX_VALUES = 4_000;
const MAX_PATH_LENGTH = 100;

/**
 * Why a tool with this input schema is not offered; undefined when it is. Lua cannot tell an empty list from an empty
 * object, so either is accepted.
 */
export function inputSchemaProblem(schema: unknown): string | undefined {
  if (schema === undefined || schema === null || schema === true || isEmptyList(schema)) {
    return undefined;
  }
  if (typeof schema !== "object" || Array.isArray(schema)) {
    return "its input is not a JSON schema";
  }
  const { type } = schema as { type?: unknown };
  const isObject = type === undefined || type === "object" || isListWith(type, "object");
  if (!isObject) return 'its input must be an object: {"type": "object", "properties": ...}';
  const text = JSON.stringify(schema);
  if (text.length > MAX_LENGTH) {
    return `its input schema has ${text.length} characters, where ${MAX_LENGTH} is the limit`;
  }
  const { depth, values } = outlineOf(text);
  if (depth > MAX_DEPTH) {
    return `its input schema is nested ${depth} deep, where ${MAX_DEPTH} is the limit`;
  }
  if (values > MAX_VALUES) {
    return `its input schema has ${values} values, where ${MAX_VALUES} is the limit`;
  }
  return partProblem(schema);
}

/** The depth is bounded by now. */
function partProblem(schema: unknown, path: readonly string[] = []): string | undefined {
  const known = schemaAt(schema);
  if (known === undefined) {
    const place = JSON.stringify(path.join("/").slice(0, MAX_PATH_LENGTH));
    return `its input has something that is not a JSON schema at ${place}`;
  }
  if (typeof known === "boolean") return undefined;
  for (const [names, part] of partsOf(known)) {
    const problem = partProblem(part, [...path, ...names]);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isListWith(value: unknown, item: unknown): boolean {
  return Array.isArray(value) && value.includes(item);
}
