import { type LuaValue, utf8Length } from "@ccbridge/protocol";
import { cutLength } from "@ccbridge/registry";
import { z } from "zod";
import { quoted } from "./set-apart.js";

const MAX_DEPTH = 16;

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

const placeholder = /^<(function|thread|userdata|cycle|depth)>$/;

/** Output of `tostring` for functions, and numbers that JSON lacks: `function: 0x1f`, `-inf`. */
const bare = /^(?:(?:function|thread|userdata): [0-9A-Za-z]+|-?[0-9A-Za-z.+-]+)$/;

interface Room {
  left: number;
  isCut: boolean;
}

function formatValue({ type, value }: LuaValue, room: Room): string {
  if (type === "nil") return "nil";
  // Only nil has no value: what did not arrive is shown by its type.
  if (value === undefined || value === null) return `<${type}>`;
  if (type === "table" && typeof value === "string" && !placeholder.test(value)) {
    return `<table: ${quote(value, room)}>`;
  }
  if (type === "string" || type === "table" || type === "boolean")
    return formatJson(value, 0, room);
  return text(String(value), bare, room);
}

function text(value: string, form: RegExp, room: Room): string {
  return value.length <= room.left && form.test(value) ? spend(value, room) : quote(value, room);
}

function quote(value: string, room: Room): string {
  const shown = quoted(value, Math.max(1, room.left));
  if (!shown.endsWith('"')) room.isCut = true;
  return spend(shown, room);
}

function spend(written: string, room: Room): string {
  room.left -= written.length;
  return written;
}

function formatJson(value: unknown, depth: number, room: Room): string {
  if (value === null || value === undefined) return spend("nil", room);
  if (typeof value === "string") {
    return placeholder.test(value) ? spend(value, room) : quote(value, room);
  }
  if (typeof value !== "object") return spend(String(value), room);
  if (depth >= MAX_DEPTH) {
    room.isCut = true;
    return spend("{ ... }", room);
  }
  room.left -= TABLE_LENGTH;
  const items: string[] = [];
  for (const [key, item] of Object.entries(value)) {
    if (room.left <= 0) {
      room.isCut = true;
      items.push("...");
      break;
    }
    const name = Array.isArray(value) ? "" : spend(`${formatKey(key, room)} = `, room);
    items.push(name + formatJson(item, depth + 1, room));
    room.left -= SEPARATOR_LENGTH;
  }
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
}

const TABLE_LENGTH = 4;
const SEPARATOR_LENGTH = 2;

function formatKey(key: string, room: Room): string {
  if (/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && key.length <= room.left) return key;
  return /^-?\d{1,20}$/.test(key) ? `[${key}]` : `[${quote(key, room)}]`;
}

export interface ShownValue {
  readonly value: LuaValue;
  readonly text: string;
  readonly rest?: number;
}

/** In Lua syntax. A value that is too large or too deep becomes its text, cut and marked. */
export function showLuaValue(value: LuaValue, maxLength: number): ShownValue {
  if (isBytes(value)) return showBytes(value, maxLength);
  const room = { left: maxLength, isCut: false };
  const shown = formatValue(value, room);
  const text = room.isCut || value.truncated === true ? `${shown} (cut)` : shown;
  if (typeof value.value === "string" && value.type === "string") {
    const head = room.isCut ? headOf(value.value, shown) : value.value;
    const rest = utf8Length(head) + 1;
    if (room.isCut) {
      return { value: { type: value.type, value: `${head}...`, truncated: true }, text, rest };
    }
    return value.truncated === true ? { value, text, rest } : { value, text };
  }
  if (!room.isCut) return { value, text };
  return { value: { type: value.type, value: shown, truncated: true }, text };
}

type Bytes = LuaValue & { readonly value: string };

function isBytes({ type, value, encoding }: LuaValue): boolean {
  return type === "string" && encoding === "base64" && typeof value === "string";
}

function showBytes(value: LuaValue, maxLength: number): ShownValue {
  const { value: whole } = value as Bytes;
  const most = Math.max(4, maxLength - (maxLength % 4));
  const head = whole.slice(0, most);
  if (head === whole && value.truncated !== true) {
    return { value, text: `<bytes, base64: ${head}>` };
  }
  return {
    value: { ...value, value: head, truncated: true },
    text: `<bytes, base64: ${head}> (cut)`,
    rest: (head.length / 4) * 3 + 1,
  };
}

function headOf(whole: string, shown: string): string {
  return cutLength(whole, (JSON.parse(shown.slice(0, -3)) as string).length);
}
