import { z } from "zod";
import { nearestName } from "../format/nearest-name.js";
import { list } from "../format/text.js";
import type { Tool } from "./define.js";
import { hasNames, unknownName } from "./unknown-names.js";

/** Some clients give up on a call after 60 s, so no call waits longer than this. */
export const MAX_WAIT_MS = 50_000;

const DAY_MS = 86_400_000;

/** How long a call waits for something that continues without it. */
export const waitMs = z.int().min(0).max(MAX_WAIT_MS).optional();

export const eventWaitMs = z
  .int()
  .min(0)
  .max(MAX_WAIT_MS)
  .default(30_000)
  .meta({ description: "Wait up to this long.", obvious: true });

/** How long a job may run before it is stopped in the game. */
export const timeoutMs = z.int().min(1).max(DAY_MS).optional();

// `obvious` marks a description that says no more than the argument's name: it is left out of the tool list.

export function offsetOf(things: string) {
  const description = `Skip this many ${things}.`;
  return z.int().nonnegative().default(0).meta({ description, obvious: true });
}

export function limitOf(max: number, usual: number, description = "List at most this many.") {
  return z.int().min(1).max(max).default(usual).meta({ description, obvious: true });
}

type Arguments = Record<string, unknown>;

export type ReadArguments = { ok: true; value: Arguments } | { ok: false; problem: string };

export function readArguments(
  tool: Tool,
  given: unknown,
  aliases: ReadonlyMap<string, string>,
): ReadArguments {
  if (typeof given !== "object" || given === null || Array.isArray(given)) {
    return { ok: false, problem: `The arguments must be an object, not ${nameOf(given)}.` };
  }
  const args = withoutAliases(given as Arguments, tool, aliases);
  const { shape } = tool.input;
  const unknown: string[] = [];
  for (const name in args) if (!Object.hasOwn(shape, name)) unknown.push(name);
  if (unknown.length > 0) return { ok: false, problem: unknownArguments(tool, unknown) };
  const inside = unknownInside(tool, args);
  if (inside !== undefined) return { ok: false, problem: inside };
  const parsed = tool.input.safeParse(args);
  if (parsed.success) return { ok: true, value: parsed.data };
  const problems = parsed.error.issues.slice(0, 5).map((issue) => sentence(issue, args, tool));
  return { ok: false, problem: [...new Set(problems)].join(" ") };
}

/** The arguments under the names that the tool lists. Both names at once are refused: choosing would be a guess. */
function withoutAliases(
  args: Arguments,
  { input }: Tool,
  aliases: ReadonlyMap<string, string>,
): Arguments {
  let named = args;
  for (const [alias, name] of aliases) {
    if (!Object.hasOwn(named, alias) || Object.hasOwn(named, name)) continue;
    if (alias in input.shape || !(name in input.shape)) continue;
    const { [alias]: value, ...rest } = named;
    named = { ...rest, [name]: value };
  }
  return named;
}

/** Unknown arguments must not be ignored: `timeout` would then mean "no limit". */
function unknownArguments({ name, input }: Tool, unknown: string[]): string {
  const known = Object.keys(input.shape);
  if (known.length === 0) return `${name} takes no arguments.`;
  const sentences = unknown.slice(0, 5).map((wrong) => {
    const near = nearestName(wrong, known);
    const hint = near === undefined ? "" : ` Did you mean \`${near}\`?`;
    return `${name} has no argument \`${wrong.slice(0, 64)}\`.${hint}`;
  });
  const all = known.map((argument) => `\`${argument}\``);
  const are = all.length === 1 ? "Its only argument is" : "Its arguments are";
  return `${sentences.join(" ")} ${are} ${list(all, "and")}.`;
}

const withNames = new WeakMap<Tool, readonly string[]>();

function unknownInside(tool: Tool, args: Arguments): string | undefined {
  let names = withNames.get(tool);
  if (names === undefined) {
    names = Object.keys(tool.input.shape).filter((name) => hasNames(tool.input.shape[name]));
    withNames.set(tool, names);
  }
  for (const name of names) {
    const found = unknownName(tool.input.shape[name], args[name], [name]);
    if (found === undefined) continue;
    const near = nearestName(found.name, found.known);
    const hint = near === undefined ? "" : ` Did you mean \`${near}\`?`;
    const known = list(
      found.known.map((each) => `\`${each}\``),
      "and",
    );
    return `${pathName(found.path)} has no \`${found.name.slice(0, 64)}\`.${hint} It can have ${known}.`;
  }
  return undefined;
}

type Issue = z.core.$ZodIssue;

function sentence(issue: Issue, args: Arguments, tool: Tool): string {
  const where = pathName(issue.path) ?? "The arguments";
  const value = valueAt(args, issue.path);
  if (value === undefined && issue.path.length > 0) return missing(where, issue.path, tool);
  switch (issue.code) {
    case "invalid_type":
      return `${where} must be ${typeNames[issue.expected] ?? issue.expected}, not ${nameOf(value)}.`;
    case "too_small":
      return `${where} ${bound(issue.origin, "least", Number(issue.minimum), value)}.`;
    case "too_big":
      return `${where} ${bound(issue.origin, "most", Number(issue.maximum), value)}.`;
    case "invalid_value":
      return `${where} must be ${list(issue.values.map(String), "or")}, not ${nameOf(value)}.`;
    case "unrecognized_keys":
      return `${where} has no ${list(issue.keys.slice(0, 5), "or")}.`;
    case "invalid_union":
      return union(issue, where, value, tool);
    case "custom":
      return `${where}: ${issue.message}.`;
    default:
      return `${where} is not valid: ${issue.message}.`;
  }
}

function union(
  issue: Extract<Issue, { code: "invalid_union" }>,
  where: string,
  value: unknown,
  tool: Tool,
): string {
  // A schema with its own message knows best.
  if (!issue.message.startsWith("Invalid input")) return `${where} ${issue.message}.`;
  const forms = issue.errors.filter((form) => form.length > 0);
  const flat = forms.flatMap(([first]) => (first === undefined ? [] : [first]));
  const deep = forms.find((form) => form.some(({ path }) => path.length > 0));
  if (deep?.[0] !== undefined && typeof value === "object") {
    const [first] = deep;
    return sentence(
      { ...first, path: [...issue.path, ...first.path] },
      { [top(issue)]: value },
      tool,
    );
  }
  const types = flat.map((one) =>
    one.code === "invalid_type" ? typeNames[one.expected] : undefined,
  );
  const known = types.filter((type) => type !== undefined);
  if (known.length === flat.length && known.length > 0) {
    return `${where} must be ${list([...new Set(known)], "or")}, not ${nameOf(value)}.`;
  }
  const near = flat.find((one) => one.code !== "invalid_type");
  if (near === undefined) return `${where} matches none of its allowed forms.`;
  return sentence({ ...near, path: issue.path }, { [top(issue)]: value }, tool);
}

const top = (issue: Issue) => String(issue.path[0] ?? "");

function missing(where: string, path: readonly PropertyKey[], { input }: Tool): string {
  const [name] = path;
  const field = input.shape[String(name)] as z.ZodType | undefined;
  const about = path.length === 1 ? field?.description : undefined;
  return about === undefined ? `${where} is missing.` : `${where} is missing. ${about}`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  tuple: "a list",
  object: "an object",
  record: "an object",
  null: "null",
};

function bound(origin: string, which: "least" | "most", limit: number, value: unknown): string {
  if (origin === "string") {
    if (which === "least" && limit === 1) return "must not be empty";
    return `must have at ${which} ${limit} characters`;
  }
  if (origin === "array" || origin === "set") {
    if (which === "least" && limit === 1) return "must not be empty";
    return `must have at ${which} ${limit} entries`;
  }
  return `must be at ${which} ${limit}, not ${nameOf(value)}`;
}

/** `steps[2].text` as a caller would write it. */
function pathName(path: readonly PropertyKey[]): string | undefined {
  if (path.length === 0) return undefined;
  const parts = path.map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`));
  return `\`${parts.join("").replace(/^\./, "").slice(0, 100)}\``;
}

function valueAt(args: unknown, path: readonly PropertyKey[]): unknown {
  let value = args;
  for (const part of path) {
    if (typeof value !== "object" || value === null) return undefined;
    value = Object.hasOwn(value, part) ? (value as Record<PropertyKey, unknown>)[part] : undefined;
  }
  return value;
}

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return value.length <= 40 ? JSON.stringify(value) : "a long text";
  return String(value);
}
