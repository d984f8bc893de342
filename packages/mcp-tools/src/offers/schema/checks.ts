import { isRecord, type JsonSchema } from "@ccbridge/protocol";
import { nearestName } from "../../format/nearest-name.js";
import { inline, quoted } from "../../format/set-apart.js";
import { textsOf } from "./walk.js";

export const formats: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["date-time", isDateTime],
  ["date", isDate],
  ["time", (text) => time.test(text)],
  ["email", (text) => /^[^\s@]+@[^\s@]+$/.test(text)],
  ["uri", (text) => /^[a-z][a-z0-9+.-]*:[^\s<>"{}|\\^`]*$/i.test(text)],
  ["uuid", (text) => /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i.test(text)],
  ["ipv4", (text) => ipv4.test(text)],
  ["ipv6", (text) => /^[0-9a-f:.]{2,45}$/i.test(text) && URL.canParse(`http://[${text}]/`)],
]);

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
const time =
  /^(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d+)?(?:z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i;

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined) return false;
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day);
}

function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && time.test(text.slice(11));
}

// Sentences about what a schema allows.

export function unknownArgument(name: string, known: readonly string[]): string {
  const close = nearestName(name, known);
  const hint =
    close !== undefined
      ? `Did you mean ${close}?`
      : known.length === 0
        ? "It takes no arguments."
        : `The arguments are ${known
            .slice(0, 40)
            .map((each) => inline(each, 64))
            .join(", ")}.`;
  return `There is no argument ${name}. ${hint}`;
}

export function forms(all: readonly JsonSchema[]): string {
  const required = all.map((form) => (isRecord(form) ? textsOf(form.required) : []));
  if (required.length > 8 || required.some((names) => names.length === 0)) return "";
  const words = required.map((names) =>
    names
      .slice(0, 8)
      .map((each) => inline(each, 64))
      .join(" and "),
  );
  return ` (with ${words.join(", or with ")})`;
}

// What can be checked of one value without looking at other schemas. Each returns sentences.

const typeNames = ["string", "number", "integer", "boolean", "object", "array", "null"];

export function checkType(
  { type }: Readonly<Record<string, unknown>>,
  value: unknown,
  name: string,
) {
  const types = (Array.isArray(type) ? type : [type]).filter((each) => typeNames.includes(each));
  if (types.length === 0 || types.some((each) => isOfType(value, each))) return undefined;
  return `${called(name)} must be ${types.map(withArticle).join(" or ")}, not ${shown(value)}.`;
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
      return isRecord(value);
    default:
      // The remaining names are those of typeof.
      return typeof value === type;
  }
}

export function checkNumber(
  schema: Readonly<Record<string, unknown>>,
  value: number,
  name: string,
): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problems: string[] = [];
  const refuse = (words: string, limit: unknown) =>
    problems.push(`${called(name)} must be ${words} ${limit}, not ${value}.`);
  const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
  const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
  if (typeof minimum === "number" && value < minimum) refuse("at least", minimum);
  if (typeof maximum === "number" && value > maximum) refuse("at most", maximum);
  if (typeof above === "number" && value <= above) refuse("more than", above);
  if (typeof below === "number" && value >= below) refuse("less than", below);
  if (typeof multipleOf === "number" && multipleOf > 0 && !isMultiple(value, multipleOf)) {
    refuse("a multiple of", multipleOf);
  }
  return problems;
}

/** 0.3 is a multiple of 0.1, although their quotient is not a whole number in floating point. */
function isMultiple(value: number, of: number): boolean {
  const quotient = value / of;
  if (!Number.isFinite(quotient))
    return Number.isInteger(value) && of < 1 && Number.isInteger(1 / of);
  return Math.abs(quotient - Math.round(quotient)) <= Math.abs(quotient) * Number.EPSILON;
}

export function checkCount(
  count: number,
  least: unknown,
  most: unknown,
  name: string,
  unit: string,
): string[] {
  const problems: string[] = [];
  if (typeof least === "number" && count < least) {
    problems.push(`${name} must have at least ${least} ${unit}, not ${count}.`);
  }
  if (typeof most === "number" && count > most) {
    problems.push(`${name} must have at most ${most} ${unit}, not ${count}.`);
  }
  return problems;
}

export const called = (name: string) => (name === "" ? "All arguments together" : name);

const withArticle = (type: string) =>
  /^[aeiou]/.test(type) ? `an ${type}` : type === "null" ? type : `a ${type}`;

export function shown(value: unknown): string {
  if (typeof value === "string") return quoted(value, 60);
  if (Array.isArray(value)) return "a list";
  return isRecord(value) ? "an object" : String(value);
}
