import {
  compilePattern,
  isRecord,
  type JsonSchema,
  type Matcher,
  PatternError,
  schemaAt,
} from "@ccbridge/protocol";
import { nearestName } from "../../format/nearest-name.js";
import { inline, quoted } from "../../format/set-apart.js";
import {
  called,
  checkCount,
  checkNumber,
  checkType,
  formats,
  forms,
  shown,
  unknownArgument,
} from "./checks.js";
import { References } from "./references.js";
import { namedSchemas, schemasAt, textsOf } from "./walk.js";

// JSON Schema 2020-12, with the older spellings that are still written (`items` as a list, `dependencies`). An own
// evaluator, since no interpreting validator can be stopped: a short schema whose references double at each level holds
// them up for seconds or overflows their stack, and they run `pattern` by backtracking. Here every step counts.

/** What one check may cost: schemas compared with values, and characters compared with patterns. */
const MAX_STEPS = 100_000;
const MAX_DEPTH = 128;
const CHARACTERS_PER_STEP = 8;
const MAX_PROBLEMS = 5;

/** Something that cannot be checked within bounds; the message says what. */
class Unchecked extends Error {
  override readonly name = "Unchecked";
}

/** Which parts of a value the schemas so far have looked at. */
interface Seen {
  readonly names: Set<string>;
  readonly items: Set<number>;
}

interface Place {
  readonly name: string;
  readonly depth: number;
}

export class Evaluator {
  readonly #root: JsonSchema;
  readonly #references: References;
  readonly #patterns = new Map<string, Matcher | PatternError>();
  #left = 0;
  #skipped = new Set<string>();

  constructor(root: JsonSchema) {
    this.#root = root;
    this.#references = new References(root);
  }

  check(value: unknown): { problems: string[]; skipped: string[] } {
    this.#left = MAX_STEPS;
    this.#skipped = new Set();
    try {
      const problems = this.#value(this.#root, value, { name: "", depth: 0 }, newSeen());
      return { problems: problems.slice(0, MAX_PROBLEMS), skipped: [...this.#skipped] };
    } catch (error) {
      if (!(error instanceof Unchecked)) throw error;
      return { problems: [], skipped: [error.message] };
    }
  }

  #step(count = 1): void {
    this.#left -= count;
    if (this.#left < 0)
      throw new Unchecked("the arguments are too many for a check of this schema");
  }

  #value(schema: JsonSchema, value: unknown, place: Place, seen: Seen): string[] {
    this.#step();
    if (place.depth > MAX_DEPTH) throw new Unchecked("the schema refers to itself too often");
    const { name } = place;
    if (schema === true) return [];
    if (schema === false) return [`${called(name)} is not allowed.`];
    const wrong = checkType(schema, value, name) ?? this.#choices(schema, value, name);
    if (wrong !== undefined) return [wrong];
    const problems: string[] = [];
    if (typeof value === "number") problems.push(...checkNumber(schema, value, name));
    else if (typeof value === "string") problems.push(...this.#text(schema, value, name));
    const inside = { name, depth: place.depth + 1 };
    problems.push(...this.#inPlace(schema, value, inside, seen));
    if (Array.isArray(value)) problems.push(...this.#list(schema, value, inside, seen));
    else if (isRecord(value)) problems.push(...this.#object(schema, value, inside, seen));
    return problems;
  }

  #choices(schema: Readonly<Record<string, unknown>>, value: unknown, name: string) {
    const { const: only, enum: all } = schema;
    if (Object.hasOwn(schema, "const") && !this.#equal(only, value)) {
      return `${called(name)} must be ${shown(only)}, not ${shown(value)}.`;
    }
    if (!Array.isArray(all) || all.some((each) => this.#equal(each, value))) return undefined;
    const few = all.slice(0, 40).map(shown).join(", ") + (all.length > 40 ? ", ..." : "");
    return `${called(name)} must be one of ${few}, not ${shown(value)}.`;
  }

  #equal(a: unknown, b: unknown): boolean {
    this.#step();
    if (a === b) return true;
    if (Array.isArray(a) && Array.isArray(b)) {
      return a.length === b.length && a.every((each, index) => this.#equal(each, b[index]));
    }
    if (!isRecord(a) || !isRecord(b)) return false;
    const names = Object.keys(a);
    return (
      names.length === Object.keys(b).length &&
      names.every((each) => Object.hasOwn(b, each) && this.#equal(a[each], b[each]))
    );
  }

  #text(schema: Readonly<Record<string, unknown>>, value: string, name: string): string[] {
    const problems: string[] = [];
    const { minLength, maxLength, pattern, format } = schema;
    if (minLength !== undefined || maxLength !== undefined) {
      this.#step(value.length / CHARACTERS_PER_STEP);
      let length = 0;
      for (const _ of value) length += 1;
      problems.push(...checkCount(length, minLength, maxLength, `${called(name)}`, "characters"));
    }
    if (typeof pattern === "string" && this.#fits(pattern, value) === false) {
      problems.push(
        `${called(name)} must match the pattern ${quoted(pattern, 200)}, not ${shown(value)}.`,
      );
    }
    const isOf = typeof format === "string" ? formats.get(format) : undefined;
    if (isOf !== undefined) {
      this.#step(value.length / CHARACTERS_PER_STEP);
      if (!isOf(value)) problems.push(`${called(name)} must be a ${format}, not ${shown(value)}.`);
    }
    return problems;
  }

  /** Undefined for a pattern that cannot be followed in linear time; then the text is not checked. */
  #fits(pattern: string, text: string): boolean | undefined {
    let matcher = this.#patterns.get(pattern);
    if (matcher === undefined) {
      matcher = readPattern(pattern);
      this.#patterns.set(pattern, matcher);
    }
    if (matcher instanceof PatternError) {
      this.#skipped.add(`the pattern ${quoted(pattern, 100)}`);
      return undefined;
    }
    this.#step((text.length * pattern.length) / CHARACTERS_PER_STEP);
    return matcher.test(text);
  }

  #inPlace(
    schema: Readonly<Record<string, unknown>>,
    value: unknown,
    place: Place,
    seen: Seen,
  ): string[] {
    const { name } = place;
    const problems: string[] = [];
    // Each part starts with nothing seen: `unevaluatedProperties` inside it does not count what its siblings saw.
    const inner = (part: JsonSchema) => {
      const own = newSeen();
      const found = this.#value(part, value, place, own);
      if (found.length === 0) merge(seen, own);
      return found;
    };
    const all = (part: JsonSchema) => problems.push(...inner(part));
    const fits = (part: JsonSchema) => inner(part).length === 0;
    for (const part of [this.#target(schema, "$ref"), this.#target(schema, "$dynamicRef")]) {
      if (part !== undefined) all(part);
    }
    for (const part of schemasAt(schema.allOf)) all(part);
    const any = schemasAt(schema.anyOf);
    // All of them: each one that fits counts for what was looked at.
    if (any.length > 0 && any.filter(fits).length === 0) {
      problems.push(`${called(name)} matches none of its allowed forms${forms(any)}.`);
    }
    const one = schemasAt(schema.oneOf);
    const count = one.length === 0 ? 1 : one.filter(fits).length;
    if (count !== 1) {
      problems.push(
        count === 0
          ? `${called(name)} matches none of its allowed forms${forms(one)}.`
          : `${called(name)} must match exactly one of its allowed forms, and matches ${count}.`,
      );
    }
    const not = schemaAt(schema.not);
    if (not !== undefined && this.#value(not, value, place, newSeen()).length === 0) {
      problems.push(`${called(name)} has a form that is not allowed.`);
    }
    const condition = schemaAt(schema.if);
    if (condition !== undefined) {
      const then = schemaAt(fits(condition) ? schema.then : schema.else);
      if (then !== undefined) all(then);
    }
    if (isRecord(value)) {
      const dependent = [
        ...namedSchemas(schema.dependentSchemas),
        ...namedSchemas(schema.dependencies),
      ];
      for (const [each, part] of dependent) if (Object.hasOwn(value, each)) all(part);
    }
    return problems;
  }

  #target(
    schema: Readonly<Record<string, unknown>>,
    keyword: "$ref" | "$dynamicRef",
  ): JsonSchema | undefined {
    const reference = schema[keyword];
    if (typeof reference !== "string") return undefined;
    const isDynamic = keyword === "$dynamicRef" && this.#references.hasParts;
    const target = isDynamic ? undefined : this.#references.find(schema, reference);
    if (target === undefined) this.#skipped.add(`the reference ${quoted(reference, 100)}`);
    return target;
  }

  #list(
    schema: Readonly<Record<string, unknown>>,
    values: readonly unknown[],
    { name, depth }: Place,
    seen: Seen,
  ): string[] {
    const problems = checkCount(
      values.length,
      schema.minItems,
      schema.maxItems,
      called(name),
      "entries",
    );
    const isOld = Array.isArray(schema.items);
    const prefix = schemasAt(isOld ? schema.items : schema.prefixItems);
    const rest = schemaAt(isOld ? (schema.additionalItems ?? true) : schema.items);
    const check = (part: JsonSchema, index: number) => {
      seen.items.add(index);
      const at = { name: `${name}[${index}]`, depth };
      problems.push(...this.#value(part, values[index], at, newSeen()));
    };
    for (let index = 0; index < values.length && problems.length < MAX_PROBLEMS; index++) {
      const part = prefix[index] ?? rest;
      if (part !== undefined) check(part, index);
    }
    problems.push(...this.#contains(schema, values, { name, depth }, seen));
    if (schema.uniqueItems === true) {
      const twice = this.#findTwice(values);
      if (twice !== undefined) problems.push(`${called(name)} has ${shown(values[twice])} twice.`);
    }
    const others = schemaAt(schema.unevaluatedItems);
    if (others !== undefined) {
      for (const index of values.keys()) if (!seen.items.has(index)) check(others, index);
    }
    return problems;
  }

  #findTwice(values: readonly unknown[]): number | undefined {
    const plain = new Set<unknown>();
    const nested: unknown[] = [];
    for (const [index, value] of values.entries()) {
      this.#step();
      const isNested = typeof value === "object" && value !== null;
      if (isNested ? nested.some((other) => this.#equal(value, other)) : plain.has(value))
        return index;
      if (isNested) nested.push(value);
      else plain.add(value);
    }
    return undefined;
  }

  #contains(
    schema: Readonly<Record<string, unknown>>,
    values: readonly unknown[],
    { name, depth }: Place,
    seen: Seen,
  ): string[] {
    const wanted = schemaAt(schema.contains);
    if (wanted === undefined) return [];
    const { minContains = 1, maxContains } = schema;
    let count = 0;
    for (const [index, value] of values.entries()) {
      const at = { name: `${name}[${index}]`, depth };
      if (this.#value(wanted, value, at, newSeen()).length > 0) continue;
      count += 1;
      seen.items.add(index);
    }
    return checkCount(count, minContains, maxContains, called(name), "entries of the wanted form");
  }

  #object(
    schema: Readonly<Record<string, unknown>>,
    values: Readonly<Record<string, unknown>>,
    { name: path, depth }: Place,
    seen: Seen,
  ): string[] {
    const names = Object.keys(values);
    const properties = new Map(namedSchemas(schema.properties));
    const inside = (name: string) => (path === "" ? name : `${path}.${name}`);
    const problems = [
      ...checkCount(
        names.length,
        schema.minProperties,
        schema.maxProperties,
        called(path),
        "entries",
      ),
      ...this.#required(schema, values, inside),
    ];
    const patterns = namedSchemas(schema.patternProperties);
    const others = schemaAt(schema.additionalProperties);
    const nameSchema = schemaAt(schema.propertyNames);
    const unknown = (part: JsonSchema, name: string, at: Place) => {
      if (part === false)
        problems.push(unknownArgument(at.name, [...properties.keys()].map(inside)));
      else problems.push(...this.#value(part, values[name], at, newSeen()));
      seen.names.add(name);
    };
    for (const name of names) {
      if (problems.length >= MAX_PROBLEMS) break;
      const at = { name: inside(inline(name, 64)), depth };
      const own = properties.get(name);
      const fitting = patterns.filter(([pattern]) => this.#fits(pattern, name) !== false);
      const parts = [...(own === undefined ? [] : [own]), ...fitting.map(([, part]) => part)];
      for (const part of parts) problems.push(...this.#value(part, values[name], at, newSeen()));
      if (parts.length > 0) seen.names.add(name);
      else if (others !== undefined) unknown(others, name, at);
      if (nameSchema !== undefined) {
        const about = { name: `the name ${at.name}`, depth };
        problems.push(...this.#value(nameSchema, name, about, newSeen()));
      }
    }
    const unevaluated = schemaAt(schema.unevaluatedProperties);
    if (unevaluated !== undefined) {
      for (const name of names) {
        if (seen.names.has(name)) continue;
        unknown(unevaluated, name, { name: inside(inline(name, 64)), depth });
      }
    }
    return problems;
  }

  #required(
    schema: Readonly<Record<string, unknown>>,
    values: Readonly<Record<string, unknown>>,
    inside: (name: string) => string,
  ): string[] {
    const properties = new Map(namedSchemas(schema.properties));
    const problems: string[] = [];
    for (const name of textsOf(schema.required)) {
      if (Object.hasOwn(values, name)) continue;
      const part = properties.get(name);
      const about = isRecord(part) ? part.description : undefined;
      const given = Object.keys(values).filter((each) => !properties.has(each));
      const close = nearestName(name, given);
      problems.push(
        `${inside(inline(name, 64))} is missing${typeof about === "string" ? `: ${quoted(about, 300)}` : ""}.` +
          (close === undefined ? "" : ` There is no argument ${inside(inline(close, 64))}.`),
      );
    }
    const dependent = [schema.dependentRequired, schema.dependencies].filter(isRecord);
    for (const [given, needed] of dependent.flatMap((each) => Object.entries(each))) {
      if (!Object.hasOwn(values, given)) continue;
      for (const name of textsOf(needed)) {
        if (Object.hasOwn(values, name)) continue;
        problems.push(
          `${inside(inline(name, 64))} is missing: ${inside(inline(given, 64))} needs it.`,
        );
      }
    }
    return problems;
  }
}

function newSeen(): Seen {
  return { names: new Set(), items: new Set() };
}

function merge(into: Seen, from: Seen): void {
  for (const name of from.names) into.names.add(name);
  for (const index of from.items) into.items.add(index);
}

function readPattern(source: string): Matcher | PatternError {
  try {
    return compilePattern(source, { anywhere: true, unicode: true });
  } catch (error) {
    if (error instanceof PatternError) return error;
    throw error;
  }
}
