import { type LuaValue, utf8Length } from "@ccbridge/protocol";
import { z } from "zod";
import { cleanText, cutEnd, cutLength } from "./text.js";

/** Deeper than any agent sends, and shallow enough to print without running out of stack. */
const MAX_DEPTH = 16;

/** Returned values as structured content has them, and nothing else that a computer may have put there. */
export const ReturnsSchema = z
  .array(
    z.object({
      type: z.string().describe("The Lua type."),
      value: z.unknown().optional(),
      encoding: z.string().optional(),
      truncated: z.boolean().optional(),
    }),
  )
  .describe("The returned values, in order.");

/** Placeholders in a table for what JSON lacks; shown without quotes. */
const placeholder = /^<(function|thread|userdata|cycle|depth)>$/;

/** A value as a ComputerCraft player would expect to read it. */
function formatLuaValue(value: LuaValue): string {
  const text = formatDescriptor(value);
  return value.truncated === true ? `${text} (cut)` : text;
}

function formatDescriptor({ type, value, encoding }: LuaValue): string {
  if (type === "nil") return "nil";
  if (type === "string" && encoding === "base64") return `<bytes, base64: ${String(value)}>`;
  if (type === "string" || type === "table" || type === "boolean") return formatJson(value, 0);
  return typeof value === "string" || typeof value === "number"
    ? cleanText(String(value))
    : `<${type}>`;
}

function formatJson(value: unknown, depth: number): string {
  if (value === null || value === undefined) return "nil";
  if (typeof value === "string") {
    return placeholder.test(value) ? value : JSON.stringify(cleanText(value));
  }
  if (typeof value !== "object") return String(value);
  if (depth >= MAX_DEPTH) return "{ ... }";
  const items = Array.isArray(value)
    ? value.map((item) => formatJson(item, depth + 1))
    : Object.entries(value).map(
        ([key, item]) => `${formatKey(key)} = ${formatJson(item, depth + 1)}`,
      );
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

function formatKey(key: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return key;
  return /^-?\d+$/.test(key) ? `[${key}]` : `[${JSON.stringify(cleanText(key))}]`;
}

export interface ShownValue {
  readonly value: LuaValue;
  readonly text: string;
  /** The byte at which a cut string continues, as Lua counts. */
  readonly rest?: number;
}

/**
 * A value for an answer, where it must be neither too large nor too deep to print: one that is becomes its own
 * text, cut and marked.
 */
export function showLuaValue(value: LuaValue, maxLength: number): ShownValue {
  const text = formatLuaValue(value);
  if (text.length <= maxLength && depthOf(value.value, 0) < MAX_DEPTH) return { value, text };
  const plain = plainString(value);
  if (plain !== undefined) {
    // Cut without its quotes: an opening quote alone would be stray.
    const head = cutLength(plain, Math.max(1, maxLength - 3));
    const bounded: LuaValue = {
      type: value.type,
      value: `${cleanText(head)}...`,
      truncated: true,
    };
    return { value: bounded, text: formatLuaValue(bounded), rest: utf8Length(head) + 1 };
  }
  const cut = cutEnd(text, maxLength);
  // A rendering that was cut is shown as it is: in quotes it would be a different value.
  return { value: { type: value.type, value: cut, truncated: true }, text: `${cut} (cut)` };
}

function plainString({ type, value, encoding }: LuaValue): string | undefined {
  return type === "string" && encoding === undefined && typeof value === "string"
    ? value
    : undefined;
}

function depthOf(value: unknown, depth: number): number {
  if (typeof value !== "object" || value === null || depth >= MAX_DEPTH) return depth;
  let deepest = depth;
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item, depth + 1));
  return deepest;
}
