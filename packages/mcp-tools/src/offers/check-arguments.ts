import { nearestName } from "../format/nearest-name.js";
import { inline, quoted } from "../format/set-apart.js";
import type { InputSchema, JsonSchema } from "./input-schema.js";

const MAX_PROBLEMS = 5;
/** The most values that one check looks at: a long list against many forms must not hold up the bridge. */
const MAX_LOOKS = 50_000;
const MAX_DEPTH = 12;

type Values = Readonly<Record<string, unknown>>;

export function checkArguments(schema: InputSchema, args: Values): string[] {
  const looks = { left: MAX_LOOKS };
  const problems = checkObject(schema, args, { name: "", depth: 0, looks });
  if (looks.left <= 0) return ["There are too many values to check: give fewer at once."];
  return problems.slice(0, MAX_PROBLEMS);
}

interface Place {
  name: string;
  depth: number;
  readonly looks: { left: number };
}

function checkValue(schema: JsonSchema, value: unknown, place: Place): string[] {
  const { name, looks } = place;
  looks.left -= 1;
  if (looks.left <= 0) return [];
  if (place.depth > MAX_DEPTH) return [`${name} is nested too deeply.`];
  const { type, const: only } = schema;
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeof each === "string");
  if (types.length > 0 && !types.some((each) => isOfType(value, each))) {
    return [`${name} must be ${types.map(withArticle).join(" or ")}, not ${shown(value)}.`];
  }
  if (only !== undefined && value !== only) {
    return [`${name} must be ${shown(only)}, not ${shown(value)}.`];
  }
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) {
    return [`${name} must be one of ${schema.enum.map(shown).join(", ")}, not ${shown(value)}.`];
  }
  return [
    ...checkSize(schema, value, name),
    ...checkChoices(schema, value, place),
    ...checkParts(schema, value, place),
  ];
}

function checkSize(schema: JsonSchema, value: unknown, name: string): string[] {
  const sizes: [size: number | undefined, least: unknown, most: unknown, unit: string][] = [
    [typeof value === "number" ? value : undefined, schema.minimum, schema.maximum, ""],
    [
      typeof value === "string" ? value.length : undefined,
      schema.minLength,
      schema.maxLength,
      " characters",
    ],
    [Array.isArray(value) ? value.length : undefined, schema.minItems, schema.maxItems, " entries"],
  ];
  const problems: string[] = [];
  for (const [size, least, most, unit] of sizes) {
    if (size === undefined) continue;
    const has = unit === "" ? "be" : "have";
    if (typeof least === "number" && size < least) {
      problems.push(`${name} must ${has} at least ${least}${unit}, not ${size}.`);
    }
    if (typeof most === "number" && size > most) {
      problems.push(`${name} must ${has} at most ${most}${unit}, not ${size}.`);
    }
  }
  const { exclusiveMinimum: above, exclusiveMaximum: below } = schema;
  if (typeof value === "number" && typeof above === "number" && value <= above) {
    problems.push(`${name} must be more than ${above}, not ${value}.`);
  }
  if (typeof value === "number" && typeof below === "number" && value >= below) {
    problems.push(`${name} must be less than ${below}, not ${value}.`);
  }
  return problems;
}

function checkChoices(schema: JsonSchema, value: unknown, place: Place): string[] {
  const below = { ...place, depth: place.depth + 1 };
  const fits = (choice: unknown) => checkValue(choice as JsonSchema, value, below).length === 0;
  const { anyOf, oneOf, allOf } = schema;
  const problems: string[] = [];
  if (Array.isArray(anyOf) && !anyOf.some(fits))
    problems.push(`${place.name} matches none of its allowed forms.`);
  if (Array.isArray(oneOf) && oneOf.filter(fits).length !== 1) {
    problems.push(`${place.name} must match exactly one of its allowed forms.`);
  }
  if (Array.isArray(allOf)) {
    problems.push(...allOf.flatMap((part) => checkValue(part as JsonSchema, value, below)));
  }
  return problems;
}

function checkParts(schema: JsonSchema, value: unknown, place: Place): string[] {
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    const { items } = schema;
    if (typeof items !== "object" || items === null) return [];
    const problems: string[] = [];
    for (const [index, item] of value.entries()) {
      if (problems.length >= MAX_PROBLEMS) break;
      const name = `${place.name}[${index}]`;
      problems.push(...checkValue(items as JsonSchema, item, { name, depth, looks: place.looks }));
    }
    return problems;
  }
  return isObject(value) ? checkObject(schema, value, place) : [];
}

function checkObject(
  schema: JsonSchema,
  values: Values,
  { name: path, depth, looks }: Place,
): string[] {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>;
  const { required, additionalProperties: others } = schema;
  const inside = (name: string) => (path === "" ? name : `${path}.${name}`);
  const problems: string[] = [];
  for (const name of Array.isArray(required) ? required : []) {
    if (Object.hasOwn(values, name) && values[name] !== undefined) continue;
    const about = Object.hasOwn(properties, name) ? properties[name]?.description : undefined;
    problems.push(
      `${inside(name)} is missing${typeof about === "string" ? `: ${quoted(about, 300)}` : ""}.`,
    );
  }
  for (const [name, value] of Object.entries(values)) {
    if (problems.length >= MAX_PROBLEMS) break;
    const place = { name: inside(inline(name, 64)), depth: depth + 1, looks };
    const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (property !== undefined) problems.push(...checkValue(property, value, place));
    else if (isObject(others)) problems.push(...checkValue(others, value, place));
    // Inside an object without named properties, anything is allowed.
    else if (others === false || (others === undefined && (path === "" || schema.properties))) {
      problems.push(unknownArgument(place.name, Object.keys(properties).map(inside)));
    }
  }
  return problems;
}

function unknownArgument(name: string, known: readonly string[]): string {
  const close = nearestName(name, known);
  const hint =
    close !== undefined
      ? `Did you mean ${close}?`
      : known.length === 0
        ? "It takes no arguments."
        : `The arguments are ${known.join(", ")}.`;
  return `There is no argument ${name}. ${hint}`;
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case "integer":
      return Number.isInteger(value);
    case "array":
      return Array.isArray(value);
    case "null":
      return value === null;
    case "object":
      return isObject(value);
    default:
      // The remaining names are those of typeof.
      return typeof value === type;
  }
}

function isObject(value: unknown): value is Values {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const withArticle = (type: string) =>
  /^[aeiou]/.test(type) ? `an ${type}` : type === "null" ? type : `a ${type}`;

function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value, 60);
  if (Array.isArray(value)) return "a list";
  return isObject(value) ? "an object" : String(value ?? "nothing");
}
