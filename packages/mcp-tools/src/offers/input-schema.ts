import { printable } from "@ccbridge/registry";
import { quoted } from "../format/set-apart.js";
import { cutEnd } from "../format/text.js";

export type JsonSchema = Readonly<Record<string, unknown>>;

/** The part of an offered input schema that is kept: safe to list, and used to check arguments. */
export interface InputSchema extends JsonSchema {
  readonly type: "object";
  readonly properties: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

const MAX_DEPTH = 6;
const MAX_NODES = 200;
const MAX_CHOICES = 64;
const MAX_TEXT = 300;
const PROPERTY_NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;
const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];
const numberKeywords = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
];

/** An input that cannot be offered to a client, and why. */
export class InputSchemaError extends Error {
  override readonly name = "InputSchemaError";
}

/**
 * Reads the input schema of an offered tool: keeps the keywords that are understood, cleans all text, and
 * drops the rest, including patterns (a hostile one could hold up the bridge). Lua cannot tell an empty list
 * from an empty object, so either is accepted for both. Throws an {@link InputSchemaError}.
 */
export function readInputSchema(offered: unknown): InputSchema {
  const schema = asObject(offered ?? {});
  if (schema.type !== undefined && schema.type !== "object") {
    throw new InputSchemaError(
      'its input must be an object: { type = "object", properties = ... }',
    );
  }
  const reader = new Reader();
  const read = reader.object({ ...schema, type: "object" }, 0);
  return { properties: {}, ...read, type: "object" };
}

/** Equal for two schemas that differ only in the texts that explain them. */
export function signatureOf(schema: JsonSchema): string {
  return JSON.stringify(schema, (key, value) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).filter(
      // A property may be called "description"; only a schema's own description is text.
      ([name, each]) => !(key !== "properties" && isExplanation(name) && typeof each === "string"),
    );
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

const isExplanation = (name: string) => name === "description" || name === "title";

class Reader {
  #nodes = 0;

  object(schema: Record<string, unknown>, depth: number): Record<string, unknown> {
    this.#nodes += 1;
    if (depth > MAX_DEPTH) throw new InputSchemaError("its input is nested too deeply");
    if (this.#nodes > MAX_NODES) throw new InputSchemaError("its input is too large");
    const read: Record<string, unknown> = {};
    const type = readType(schema.type);
    if (type !== undefined) read.type = type;
    for (const name of ["title", "description"]) {
      const text = schema[name];
      if (typeof text === "string") read[name] = cutEnd(printable(text), MAX_TEXT);
    }
    for (const keyword of numberKeywords) {
      if (Number.isFinite(schema[keyword])) read[keyword] = schema[keyword];
    }
    if (isList(schema.enum))
      read.enum = schema.enum.slice(0, MAX_CHOICES).filter(isScalar).map(shown);
    for (const keyword of ["const", "default"]) {
      if (isScalar(schema[keyword])) read[keyword] = shown(schema[keyword]);
    }
    this.#parts(schema, read, depth);
    return read;
  }

  #parts(schema: Record<string, unknown>, read: Record<string, unknown>, depth: number): void {
    const below = (part: unknown) => this.object(asObject(part), depth + 1);
    if (schema.properties !== undefined) {
      const properties = Object.entries(asObject(schema.properties));
      for (const [name] of properties) {
        if (PROPERTY_NAME.test(name)) continue;
        throw new InputSchemaError(`its argument ${quoted(name, 40)} has an unusual name`);
      }
      read.properties = Object.fromEntries(properties.map(([name, part]) => [name, below(part)]));
    }
    if (isList(schema.required)) {
      const names = schema.required.filter((name) => typeof name === "string");
      const known = asObject(schema.properties ?? {});
      const required = [...new Set(names)].filter((name) => Object.hasOwn(known, name));
      if (required.length > 0) read.required = required;
    }
    if (schema.items !== undefined && !Array.isArray(schema.items))
      read.items = below(schema.items);
    const { additionalProperties: others } = schema;
    if (typeof others === "boolean") read.additionalProperties = others;
    else if (others !== undefined) read.additionalProperties = below(others);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const choices = schema[keyword];
      if (isList(choices) && choices.length > 0) read[keyword] = choices.slice(0, 16).map(below);
    }
  }
}

function readType(type: unknown): string | string[] | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeNames.includes(name));
  return Array.isArray(type) ? (types.length === 0 ? undefined : types) : types[0];
}

function asObject(value: unknown): Record<string, unknown> {
  if (Array.isArray(value) && value.length === 0) return {};
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new InputSchemaError("its input is not a JSON schema");
}

const isList = (value: unknown): value is unknown[] => Array.isArray(value);

function isScalar(value: unknown): value is string | number | boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function shown(value: string | number | boolean): string | number | boolean {
  return typeof value === "string" ? cutEnd(printable(value), MAX_TEXT) : value;
}
