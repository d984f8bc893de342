import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { interruptible } from "./interruptible.js";

export type LuaState = number;

/** lua-wasm-bindings wraps only a few functions and no callbacks, so its emscripten module is loaded directly. */
interface LuaModule {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  readonly HEAP32: Int32Array;
  readonly HEAPU32: Uint32Array;
  readonly HEAPF64: Float64Array;
  readonly asm: { readonly ra: WasmTable };
  stackSave(): number;
  stackRestore(pointer: number): void;
  _malloc(size: number): number;
  _luaL_newstate(): LuaState;
  _luaL_openlibs(L: LuaState): void;
  _luaL_loadstring(L: LuaState, text: number): number;
  _lua_pcallk(
    L: LuaState,
    args: number,
    results: number,
    handler: number,
    ctx: number,
    k: number,
  ): number;
  _lua_callk(L: LuaState, args: number, results: number, ctx: number, k: number): void;
  _lua_close(L: LuaState): void;
  _lua_getfield(L: LuaState, index: number, key: number): void;
  _lua_setfield(L: LuaState, index: number, key: number): void;
  _lua_getglobal(L: LuaState, key: number): void;
  _lua_gettop(L: LuaState): number;
  _lua_settop(L: LuaState, top: number): void;
  _lua_pushstring(L: LuaState, text: number): number;
}

interface WasmTable {
  grow(by: number): number;
  set(index: number, fn: WasmFunction): void;
}

const { WebAssembly } = globalThis as unknown as {
  WebAssembly: {
    Module: new (bytes: Uint8Array) => object;
    Instance: new (
      module: object,
      imports: Record<string, Record<string, unknown>>,
    ) => { exports: Record<string, unknown> };
  };
};

type WasmFunction = (...args: number[]) => number | undefined;

/** Struct layout of PUC Lua 5.2.4 on wasm32; verified by `checkLayout` in memory.ts. */
export const REGISTRY_INDEX = -1_001_000;

/** A wasm table accepts only wasm functions. Like emscripten's `addFunction`, which this build omits. */
function toWasmFunction(fn: WasmFunction, params: number, results: number): WasmFunction {
  const i32 = 0x7f;
  const type = [0x60, params, ...Array(params).fill(i32), results, ...Array(results).fill(i32)];
  const bytes = new Uint8Array([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...[0x01, type.length + 1, 0x01, ...type],
    ...[0x02, 0x07, 0x01, 0x01, 0x65, 0x01, 0x66, 0x00, 0x00],
    ...[0x07, 0x05, 0x01, 0x01, 0x66, 0x00, 0x00],
  ]);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(bytes), { e: { f: fn } });
  return instance.exports.f as WasmFunction;
}

function loadModule(): LuaModule {
  // Emscripten installs process-wide handlers that turn any rejection into an abort; remove them
  // again.
  const events = ["uncaughtException", "unhandledRejection"] as const;
  const before = events.map((event) => new Set(process.listeners(event as "uncaughtException")));
  const require = createRequire(import.meta.url);
  const createGlue = require("lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js") as (options: {
    wasmBinary: Uint8Array;
    print(text: string): void;
    printErr(text: string): void;
  }) => LuaModule;
  const ignore = () => {};
  const glue = require.resolve("lua-wasm-bindings/dist/glue/glue-lua-5.2.4.js");
  const patched = interruptible(readFileSync(glue.replace(/\.js$/, ".wasm")));
  const module = createGlue({ wasmBinary: patched.module, print: ignore, printErr: ignore });
  events.forEach((event, index) => {
    for (const listener of process.listeners(event as "uncaughtException")) {
      if (!before[index]?.has(listener)) process.removeListener(event, listener);
    }
  });
  const onMatch: WasmFunction = (matchState) => {
    matching?.(matchState as number);
    return undefined;
  };
  if (addTo(module, onMatch, 1, 0) !== patched.callbackIndex) {
    throw new Error("the pattern matcher calls another function than it should");
  }
  return module;
}

let matching: ((matchState: number) => void) | undefined;

export function onMatch(listener: (matchState: number) => void): void {
  matching = listener;
}

let shared: LuaModule | undefined;

export function luaModule(): LuaModule {
  shared ??= loadModule();
  return shared;
}

export function addFunction(fn: WasmFunction, params: number, results: number): number {
  return addTo(luaModule(), fn, params, results);
}

function addTo(module: LuaModule, fn: WasmFunction, params: number, results: number): number {
  const table = module.asm.ra;
  const index = table.grow(1);
  table.set(index, toWasmFunction(fn, params, results));
  return index;
}
