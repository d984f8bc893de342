import { z } from "zod";

/**
 * An array as Lua writes it: `textutils.serializeJSON({})` is always `{}`, so an empty object counts
 * as an empty array. One with more than `max` items is refused before any of them is looked at, or cut
 * where the rest is not missed.
 */
export function luaArray<T extends z.ZodType>(
  item: T,
  max: number,
  more: "refuse" | "cut" = "refuse",
) {
  return z.preprocess((value, context) => {
    if (isEmptyObject(value)) return [];
    if (!Array.isArray(value) || value.length <= max) return value;
    if (more === "cut") return value.slice(0, max);
    context.addIssue({ code: "custom", message: `more than ${max} items` });
    return z.NEVER;
  }, z.array(item));
}

function isEmptyObject(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  for (const _ in value) return false;
  return true;
}

const luaTypes = ["nil", "boolean", "number", "string", "table", "function", "thread", "userdata"];

/**
 * One Lua value as JSON can carry it.
 *
 * - `nil`: no `value`. `boolean`: `true` or `false`.
 * - `number`: a JSON number, or a string where JSON has none: `"nan"`, `"inf"`, `"-inf"`, and whole
 *   numbers beyond 2^53.
 * - `string`: text, or base64 of the bytes with `encoding: "base64"` when they are not UTF-8.
 * - `table`: a JSON array or object, or a text that describes it (`repr` of early agents). What JSON lacks is written as text: `"<function>"`,
 *   `"<cycle>"`, `"<depth>"`.
 * - `function`, `thread`, `userdata`: `value` is what `tostring` gives.
 *
 * `truncated` marks a value that was cut to fit the agent's bounds.
 */
export const LuaValueSchema = z.preprocess(
  describeBareValue,
  z
    .object({
      type: z
        .string()
        .refine((type) => luaTypes.includes(type))
        .catch("unknown"),
      value: z.unknown().optional(),
      encoding: z.literal("base64").optional().catch(undefined),
      truncated: z.boolean().optional().catch(undefined),
    })
    .transform((described) =>
      fits(described.type, described.value) ? described : { ...described, value: undefined },
    ),
);

export type LuaValue = z.infer<typeof LuaValueSchema>;

/** Whether a value can be one of its type: what cannot is shown by its type alone, so nothing may hide in it. */
function fits(type: string, value: unknown): boolean {
  switch (type) {
    case "nil":
      return value === undefined;
    case "table":
      return typeof value === "object" || typeof value === "string";
    case "boolean":
    case "string":
      return typeof value === type;
    case "number":
      return typeof value === "number" || typeof value === "string";
    default:
      return typeof value === "string" || typeof value === "number";
  }
}

function describeBareValue(value: unknown): unknown {
  if (value === null || value === undefined) return { type: "nil" };
  switch (typeof value) {
    case "boolean":
    case "number":
    case "string":
      return { type: typeof value, value };
    case "object":
      return isDescriptor(value) ? withTrueEncoding(withValue(value)) : { type: "table", value };
    default:
      return value;
  }
}

/** Early agents described what JSON cannot carry, tables included, by a text named `repr`. */
function withValue(described: object): object {
  const { value, repr } = described as { value?: unknown; repr?: unknown };
  const isMissing = value === undefined || value === null;
  return isMissing && typeof repr === "string" ? { ...described, value: repr } : described;
}

/** What only claims to be base64 is text like any other. */
function withTrueEncoding(value: object): object {
  const { encoding, value: text } = value as { encoding?: unknown; value?: unknown };
  if (encoding === undefined || isBase64(text)) return value;
  return { ...value, encoding: undefined };
}

function isBase64(text: unknown): boolean {
  return typeof text === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(text);
}

function isDescriptor(value: object): boolean {
  if (!("type" in value) || typeof value.type !== "string") return false;
  // A bare table of the game may have a field `type` too; a descriptor has few other fields.
  return luaTypes.includes(value.type) || "value" in value;
}
