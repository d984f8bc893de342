import { type LuaState, luaModule, REGISTRY_INDEX } from "./wasm.js";

/** Strings are bytes, one per UTF-16 unit. */
export type LuaScalar = string | number | boolean | undefined;

const TVALUE_SIZE = 16;
const TAG_OFFSET = 8;
const Tag = {
  nil: 0,
  boolean: 1,
  number: 3,
  shortString: 4,
  longString: 20,
  luaFunction: 6,
  thread: 8,
  light: 22,
};
const COLLECTABLE_BIT = 64;
/** Lua interns strings up to this length, so their bytes must not be modified. */
const MAX_INTERNED_LENGTH = 40;

const STATE = {
  status: 6,
  top: 8,
  global: 12,
  ci: 16,
  stack: 28,
  nny: 36,
  cCalls: 38,
  hookMask: 40,
  allowHook: 41,
};
const HOOK = { base: 44, count: 48, fn: 52 };
const CALL_INFO = { func: 0, extra: 20 };
const CLOSURE = { prototype: 12 };
const PROTOTYPE = { source: 36 };
const MATCH_STATE = { lua: 16 };
const TSTRING = { length: 12, bytes: 16 };
const MASK_COUNT = 8;
const STATUS_YIELD = 1;
/** Lua's limits: nested C calls and stack slots. */
const LIMIT = { cCalls: 200, slots: 1_000_000, room: 1_000 };

export class UnsupportedValueError extends TypeError {
  constructor(
    readonly position: number,
    readonly luaType: string,
  ) {
    super(`a Lua ${luaType} cannot be passed to the host`);
  }
}

const UNSUPPORTED_TYPES: Readonly<Record<number, string>> = {
  2: "userdata",
  5: "table",
  6: "function",
  7: "userdata",
};

let scratch = { pointer: 0, size: 0 };
let view: { source: ArrayBufferLike; bytes: Buffer } | undefined;

function memory(): Buffer {
  const source = luaModule().HEAPU8.buffer;
  if (view?.source !== source) view = { source, bytes: Buffer.from(source) };
  return view.bytes;
}

function u32(address: number): number {
  return luaModule().HEAPU32[address >> 2] as number;
}

function setU32(address: number, value: number): void {
  luaModule().HEAPU32[address >> 2] = value;
}

function toScratch(bytes: string): number {
  if (scratch.size < bytes.length + 1) {
    const size = Math.max(4096, bytes.length * 2);
    scratch = { pointer: luaModule()._malloc(size), size };
  }
  const buffer = memory();
  buffer.write(bytes, scratch.pointer, "latin1");
  buffer[scratch.pointer + bytes.length] = 0;
  return scratch.pointer;
}

export function globalStateOf(L: LuaState): number {
  return u32(L + STATE.global);
}

export function readArguments(L: LuaState): LuaScalar[] {
  const first = u32(u32(L + STATE.ci) + CALL_INFO.func) + TVALUE_SIZE;
  return readValues(first, u32(L + STATE.top));
}

export function readStack(L: LuaState): LuaScalar[] {
  return readArguments(L);
}

function readValues(from: number, to: number): LuaScalar[] {
  const values: LuaScalar[] = [];
  for (let address = from; address < to; address += TVALUE_SIZE) {
    values.push(readValue(address, values.length));
  }
  return values;
}

function readValue(address: number, position: number): LuaScalar {
  const tag = u32(address + TAG_OFFSET) & ~COLLECTABLE_BIT;
  switch (tag) {
    case Tag.nil:
      return undefined;
    case Tag.boolean:
      return u32(address) !== 0;
    case Tag.number:
      return luaModule().HEAPF64[address >> 3];
    case Tag.shortString:
    case Tag.longString: {
      const object = u32(address);
      const start = object + TSTRING.bytes;
      return memory().toString("latin1", start, start + u32(object + TSTRING.length));
    }
    case Tag.thread:
      return u32(address);
    default:
      throw new UnsupportedValueError(position, UNSUPPORTED_TYPES[tag & 15] ?? "value");
  }
}

export function push(L: LuaState, value: LuaScalar): void {
  if (typeof value === "string") pushString(L, value);
  else pushPlain(L, value);
}

function pushPlain(L: LuaState, value: number | boolean | undefined): void {
  const slot = u32(L + STATE.top);
  if (value === undefined) setU32(slot + TAG_OFFSET, Tag.nil);
  else if (typeof value === "boolean") {
    setU32(slot, value ? 1 : 0);
    setU32(slot + TAG_OFFSET, Tag.boolean);
  } else {
    luaModule().HEAPF64[slot >> 3] = value;
    setU32(slot + TAG_OFFSET, Tag.number);
  }
  setU32(L + STATE.top, slot + TVALUE_SIZE);
}

function pushString(L: LuaState, value: string): void {
  const module = luaModule();
  if (!value.includes("\0")) {
    module._lua_pushstring(L, toScratch(value));
    return;
  }
  // This build's only push function stops at NUL. A long string is not interned, so it can be
  // created with filler and overwritten; a short one is cut from a long one by string.sub.
  if (value.length > MAX_INTERNED_LENGTH) {
    module._lua_pushstring(L, toScratch("x".repeat(value.length)));
    const object = u32(u32(L + STATE.top) - TVALUE_SIZE);
    memory().write(value, object + TSTRING.bytes, "latin1");
    return;
  }
  getRegistry(L, "cc.sub");
  pushString(L, value.padEnd(MAX_INTERNED_LENGTH + 1, "x"));
  push(L, 1);
  push(L, value.length);
  module._lua_callk(L, 3, 1, 0, 0);
}

export function pushFunction(L: LuaState, index: number): void {
  const slot = u32(L + STATE.top);
  setU32(slot, index);
  setU32(slot + TAG_OFFSET, Tag.light);
  setU32(L + STATE.top, slot + TVALUE_SIZE);
}

export function getRegistry(L: LuaState, key: string): void {
  luaModule()._lua_getfield(L, REGISTRY_INDEX, toScratch(key));
}

export function setRegistry(L: LuaState, key: string): void {
  luaModule()._lua_setfield(L, REGISTRY_INDEX, toScratch(key));
}

export function loadText(L: LuaState, source: string): number {
  return luaModule()._luaL_loadstring(L, toScratch(source));
}

export function setCountHook(L: LuaState, hook: number, count: number): void {
  setU32(L + HOOK.base, count);
  setU32(L + HOOK.count, count);
  setU32(L + HOOK.fn, hook);
  luaModule().HEAPU8[L + STATE.hookMask] = MASK_COUNT;
}

export function setHookCount(L: LuaState, base: number, next: number): void {
  setU32(L + HOOK.base, base);
  setU32(L + HOOK.count, next);
}

export function hurryHook(L: LuaState, count: number): void {
  if (u32(L + HOOK.count) > count) setU32(L + HOOK.count, count);
}

export function instructionsSinceHook(L: LuaState): number {
  return u32(L + HOOK.base) - u32(L + HOOK.count);
}

export function hookBase(L: LuaState): number {
  return u32(L + HOOK.base);
}

export function allowHooks(L: LuaState): void {
  luaModule().HEAPU8[L + STATE.allowHook] = 1;
}

export function isNearOverflow(L: LuaState): boolean {
  const slots = (u32(L + STATE.top) - u32(L + STATE.stack)) / TVALUE_SIZE;
  const calls = luaModule().HEAPU16[(L + STATE.cCalls) >> 1] as number;
  return calls === LIMIT.cCalls - 1 || slots > LIMIT.slots - LIMIT.room;
}

export function isYieldable(L: LuaState): boolean {
  return luaModule().HEAPU16[(L + STATE.nny) >> 1] === 0;
}

/**
 * Does what `lua_yield` does in a hook, which this build does not export: the VM checks the status
 * when the hook returns.
 */
export function yieldFromHook(L: LuaState): void {
  const ci = u32(L + STATE.ci);
  luaModule().HEAPU8[L + STATE.status] = STATUS_YIELD;
  setU32(ci + CALL_INFO.extra, u32(ci + CALL_INFO.func) - u32(L + STATE.stack));
}

export function runningChunk(L: LuaState): string | undefined {
  const fn = u32(u32(L + STATE.ci) + CALL_INFO.func);
  if ((u32(fn + TAG_OFFSET) & ~COLLECTABLE_BIT) !== Tag.luaFunction) return undefined;
  const source = u32(u32(u32(fn) + CLOSURE.prototype) + PROTOTYPE.source);
  const start = source + TSTRING.bytes;
  return memory().toString("latin1", start, start + Math.min(u32(source + TSTRING.length), 64));
}

export function stateOfMatch(matchState: number): LuaState {
  return u32(matchState + MATCH_STATE.lua);
}

export function checkLayout(L: LuaState): void {
  const module = luaModule();
  push(L, 1234.5);
  push(L, "layout");
  push(L, true);
  const [number, text, flag] = readStack(L).slice(-3);
  const sound = number === 1234.5 && text === "layout" && flag === true && isYieldable(L) === false;
  module._lua_settop(L, -4);
  if (!sound) throw new Error("lua-wasm-bindings has another memory layout than 0.5.3");
}
