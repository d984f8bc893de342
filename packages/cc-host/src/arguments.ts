import { LuaError } from "./vm/lua-vm.js";
import type { LuaScalar } from "./vm/memory.js";

function luaTypeName(value: LuaScalar): string {
  return value === undefined ? "nil" : typeof value;
}

function bad(index: number, expected: string, value: LuaScalar): LuaError {
  return new LuaError(`bad argument #${index} (${expected} expected, got ${luaTypeName(value)})`);
}

export function stringArgument(value: LuaScalar, index: number): string {
  if (typeof value === "string") return value;
  throw bad(index, "string", value);
}

export function numberArgument(value: LuaScalar, index: number): number {
  if (typeof value === "number") return value;
  throw bad(index, "number", value);
}

export function finiteArgument(value: LuaScalar, index: number): number {
  const number = numberArgument(value, index);
  if (Number.isFinite(number)) return number;
  const name = Number.isNaN(number) ? "nan" : number > 0 ? "inf" : "-inf";
  throw new LuaError(`bad argument #${index} (number expected, got ${name})`);
}

export function booleanArgument(value: LuaScalar, index: number): boolean {
  if (typeof value === "boolean") return value;
  throw bad(index, "boolean", value);
}
