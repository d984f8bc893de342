import { isRecord, type JsonSchema, schemaAt } from "@ccbridge/protocol";
import { cleanJson } from "@ccbridge/registry";
import { inline, toJson } from "../../format/set-apart.js";
import { cutEnd } from "../../format/text.js";
import { References } from "./references.js";
import { namedSchemas, schemasAt, textsOf } from "./walk.js";

export interface ListedSchema {
  readonly [keyword: string]: unknown;
  readonly type: "object";
  readonly properties: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly required?: readonly string[];
}

const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const MAX_TEXT = 300;
/** Schemas in a listed one: references are written out, which multiplies them. */
const MAX_PARTS = 400;
const MAX_DEPTH = 8;

/** Keywords that clients and models understand, and that do not contain schemas. */
const kept = [
  "type",
  "enum",
  "const",
  "default",
  "format",
  "pattern",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
];
const silent = [
  "$schema",
  "$id",
  "$comment",
  "$defs",
  "definitions",
  "title",
  "examples",
  "$anchor",
];
const understood = new Set([
  ...kept,
  ...silent,
  "description",
  "properties",
  "required",
  "items",
  "additionalProperties",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
]);

/**
 * Writes a schema as real clients accept it. They refuse the whole list for a root that is not an object, or has
 * `anyOf`, `oneOf` or `allOf`, or for a property whose name is not plain; some refuse references. What does not fit
 * is said in words.
 */
export function listSchema(schema: Readonly<Record<string, unknown>>): {
  listed: ListedSchema;
  words: string[];
  isWhole: boolean;
} {
  return new Lister(schema).root();
}

class Lister {
  readonly #schema: Readonly<Record<string, unknown>>;
  readonly #references: References;
  #parts = 0;
  #isShortened = false;

  constructor(schema: Readonly<Record<string, unknown>>) {
    this.#schema = schema;
    this.#references = new References(schema);
  }

  root(): { listed: ListedSchema; words: string[]; isWhole: boolean } {
    const words: string[] = [];
    const { properties, required, others } = this.#collect(this.#schema, 0);
    const plain = [...properties].filter(([name]) => PLAIN_NAME.test(name));
    const unusual = [...properties].filter(([name]) => !PLAIN_NAME.test(name));
    const isOpen = others !== false || unusual.length > 0;
    for (const [name, part] of unusual) {
      const need = required.has(name) ? "required" : "optional";
      words.push(`It also has the ${need} argument ${inline(name, 100)}: ${toJson(part)}.`);
    }
    for (const keyword of ["anyOf", "oneOf"]) {
      const forms = schemasAt(this.#schema[keyword]).map((form) => [
        ...this.#collect(form, 0).required,
      ]);
      if (forms.length === 0 || forms.some((names) => names.length === 0)) continue;
      const lists = forms.map((names) => names.map((name) => inline(name, 64)).join(" and "));
      words.push(`Give ${keyword === "oneOf" ? "either" : "at least"} ${lists.join(", or ")}.`);
    }
    if (this.#isShortened) words.push("list-offered-tools shows its whole input schema.");
    const needed = [...required].filter((name) => plain.some(([each]) => each === name));
    return {
      words,
      isWhole: !this.#isShortened,
      listed: {
        type: "object",
        properties: Object.fromEntries(plain),
        ...(needed.length === 0 ? {} : { required: needed }),
        ...(isOpen ? {} : { additionalProperties: false }),
      },
    };
  }

  #collect(schema: JsonSchema | undefined, depth: number) {
    const properties = new Map<string, Readonly<Record<string, unknown>>>();
    const required = new Set<string>();
    let others: unknown;
    if (!isRecord(schema) || depth > MAX_DEPTH) return { properties, required, others };
    if (Object.keys(schema).some((keyword) => !understood.has(keyword))) this.#isShortened = true;
    for (const [name, part] of namedSchemas(schema.properties)) {
      if (part !== false) properties.set(name, this.#part(part, 1));
    }
    for (const name of textsOf(schema.required)) required.add(name);
    others = schema.additionalProperties;
    const add = (part: JsonSchema | undefined, isNeeded: boolean) => {
      const inner = this.#collect(part, depth + 1);
      for (const [name, each] of inner.properties)
        if (!properties.has(name)) properties.set(name, each);
      if (isNeeded) for (const name of inner.required) required.add(name);
    };
    for (const part of schemasAt(schema.allOf)) add(part, true);
    for (const keyword of ["anyOf", "oneOf"]) {
      for (const part of schemasAt(schema[keyword])) {
        this.#isShortened = true;
        add(part, false);
      }
    }
    if (typeof schema.$ref === "string") add(this.#references.find(schema, schema.$ref), true);
    return { properties, required, others };
  }

  #part(schema: JsonSchema, depth: number): Readonly<Record<string, unknown>> {
    this.#parts += 1;
    if (!isRecord(schema)) return schema === false ? { not: {} } : {};
    if (depth > MAX_DEPTH || this.#parts > MAX_PARTS) {
      this.#isShortened = true;
      return {};
    }
    const read: Record<string, unknown> = {};
    if (typeof schema.$ref === "string") {
      const target = this.#references.find(schema, schema.$ref);
      if (target === undefined) this.#isShortened = true;
      else Object.assign(read, this.#part(target, depth + 1));
    }
    for (const keyword of kept) {
      if (schema[keyword] !== undefined) read[keyword] = cleanJson(schema[keyword]);
    }
    const { description, title } = schema;
    const text = typeof description === "string" ? description : title;
    if (typeof text === "string" && text !== "")
      read.description = cutEnd(String(cleanJson(text)), MAX_TEXT);
    if (Object.keys(schema).some((keyword) => !understood.has(keyword))) this.#isShortened = true;
    this.#inside(schema, read, depth);
    return read;
  }

  #inside(
    schema: Readonly<Record<string, unknown>>,
    read: Record<string, unknown>,
    depth: number,
  ): void {
    const part = (inner: JsonSchema) => this.#part(inner, depth + 1);
    const properties = namedSchemas(schema.properties);
    const plain = properties.filter(([name]) => PLAIN_NAME.test(name));
    if (plain.length < properties.length) this.#isShortened = true;
    if (plain.length > 0) {
      read.properties = Object.fromEntries(plain.map(([name, each]) => [name, part(each)]));
    }
    const required = textsOf(schema.required).filter((name) =>
      plain.some(([each]) => each === name),
    );
    if (required.length > 0) read.required = required;
    const items = schemaAt(schema.items);
    if (items !== undefined) read.items = part(items);
    const others = schemaAt(schema.additionalProperties);
    if (typeof others === "boolean") {
      if (others || plain.length === properties.length) read.additionalProperties = others;
    } else if (others !== undefined) read.additionalProperties = part(others);
    for (const keyword of ["anyOf", "oneOf", "allOf"]) {
      const forms = schemasAt(schema[keyword]);
      if (forms.length > 0) read[keyword] = forms.map(part);
    }
  }
}
