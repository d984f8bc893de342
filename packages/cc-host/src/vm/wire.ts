import type { LuaScalar } from "./memory.js";

export type LuaTable = Map<LuaScalar, LuaData>;
export type LuaData = LuaScalar | LuaTable;

export function decodeWire(text: string): LuaData[] {
  let position = 0;

  function upTo(mark: string): string {
    const end = text.indexOf(mark, position);
    const part = text.slice(position, end);
    position = end + 1;
    return part;
  }

  function value(): LuaData {
    const tag = text[position++];
    switch (tag) {
      case "z":
        return undefined;
      case "T":
        return true;
      case "F":
        return false;
      case "n":
        return parseNumber(upTo(";"));
      case "s": {
        const length = Number(upTo(":"));
        position += length;
        return text.slice(position - length, position);
      }
      case "t": {
        const table: LuaTable = new Map();
        while (text[position] !== "e") {
          const key = value();
          const field = value();
          if (!(key instanceof Map)) table.set(key, field);
        }
        position++;
        return table;
      }
      default:
        throw new Error(`unknown tag ${tag} at ${position - 1}`);
    }
  }

  const values: LuaData[] = [];
  while (position < text.length) values.push(value());
  return values;
}

function parseNumber(text: string): number {
  if (text === "nan") return Number.NaN;
  if (text === "inf") return Infinity;
  if (text === "-inf") return -Infinity;
  return Number(text);
}
