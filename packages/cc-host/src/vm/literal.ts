import type { LuaScalar } from "./memory.js";

/** Inserted verbatim, for values only the Lua side can create. */
export class LuaExpression {
  constructor(readonly source: string) {}
}

export type LuaValue =
  | LuaScalar
  | null
  | LuaExpression
  | readonly LuaValue[]
  | ReadonlyMap<LuaValue, LuaValue>
  | { readonly [key: string]: LuaValue };

function quote(text: string): string {
  const escaped = text.replace(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the bytes to escape
    /[\x00-\x1f"\\\x7f-\xff]/g,
    (char) => `\\${char.charCodeAt(0).toString().padStart(3, "0")}`,
  );
  return `"${escaped}"`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return "(0/0)";
  if (value === Infinity) return "math.huge";
  if (value === -Infinity) return "-math.huge";
  return String(value);
}

export function toLiteral(value: LuaValue): string {
  if (value === undefined || value === null) return "nil";
  if (typeof value === "string") return quote(value);
  if (typeof value === "number") return number(value);
  if (typeof value === "boolean") return String(value);
  if (value instanceof LuaExpression) return value.source;
  if (Array.isArray(value)) return `{${value.map(toLiteral).join(",")}}`;
  const entries: Iterable<[LuaValue, LuaValue]> =
    value instanceof Map ? value.entries() : Object.entries(value);
  const fields: string[] = [];
  for (const [key, field] of entries) {
    if (field === undefined || field === null) continue;
    fields.push(`[${toLiteral(key)}]=${toLiteral(field)}`);
  }
  return `{${fields.join(",")}}`;
}

export function isScalar(value: LuaValue): value is LuaScalar | null {
  return value === null || typeof value !== "object";
}
