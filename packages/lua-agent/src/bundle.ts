import { readFileSync } from "node:fs";
import { join } from "node:path";
import { packTexts, UNPACK } from "./packed-texts.js";
import { shrinkLua } from "./shrink-lua.js";

export type ReadModule = (name: string) => string;

export function readModulesFrom(root: string): ReadModule {
  return (name) => {
    const path = join(root, ...name.split("."));
    try {
      return readLua(`${path}.lua`);
    } catch {
      return readLua(join(path, "init.lua"));
    }
  };
}

/** Normalizes line endings: git on Windows may have changed them. */
export function readLua(path: string): string {
  return readFileSync(path, "utf8").replaceAll("\r\n", "\n");
}

export interface BundleOptions {
  entry: string;
  namespace: string;
  version: string;
  read: ReadModule;
}

/**
 * Each module is a packed text that is unpacked and compiled when it is first required, under its own name: errors name
 * its file and line, and what a computer never uses costs little memory. Deterministic: modules are sorted by name. The result is ASCII,
 * because computers before CC:Tweaked 1.109 garble anything else.
 */
export function bundleLua(options: BundleOptions): string {
  const modules = new Map<string, string>();
  collect(options.entry, options, modules);
  const entry = modules.get(options.entry) as string;
  modules.delete(options.entry);
  const names = [...modules.keys()].sort();
  const numbers = new Map(names.map((name, index) => [`"${name}"`, String(index + 1)]));
  const shrink = (source: string, parameters: readonly string[]) =>
    shrinkLua(source, { parameters, replaceString: (literal) => numbers.get(literal) });
  const { phrases, texts } = packTexts(
    names.map((name) => shrink(modules.get(name) as string, ["require"])),
  );
  const parts = [
    `-- mcp-computer ${options.version} - links this computer to a ccbridge. MIT licence.`,
    "-- Built from many files: change those, not this one.",
    `local phrases=${phrases}`,
    LOADER,
    ...names.map((name, index) => {
      const file = `${name.slice(options.namespace.length + 1).replaceAll(".", "/")}.lua`;
      return `add("${file}",${longString(texts[index] as string)})`;
    }),
    shrink(entry, []),
  ];
  const text = `${parts.join("\n")}\n`;
  const odd = /[^\n\x20-\x7e]/.exec(text);
  if (odd) throw new Error(`the program contains ${JSON.stringify(odd[0])}, which is not ASCII`);
  return text;
}

/** Modules are numbered in the order in which they are added. The environment of the program has `shell` and others. */
const LOADER = `local modules,loaded,outer,env={},{},require,_ENV or getfenv(1)
local function require(id)
local module=modules[id]
if not module then return outer(id) end
if loaded[id]==nil then
local file,packed=table.unpack(module)
loaded[id]=assert(load((${UNPACK}),"=mcp-computer/"..file,"t",env))(require)
end
return loaded[id]
end
local function add(...) modules[#modules+1]={...} end`;

function longString(text: string): string {
  let level = "";
  while (text.includes(`]${level}]`)) level += "=";
  // A line break at the beginning is not part of a long string.
  return `[${level}[${text.startsWith("\n") ? "\n" : ""}${text}]${level}]`;
}

function collect(name: string, options: BundleOptions, modules: Map<string, string>): void {
  if (modules.has(name)) return;
  const source = options.read(name).replace('"0.0.0-dev"', JSON.stringify(options.version));
  modules.set(name, source);
  for (const match of source.matchAll(/"([\w.-]+)"/g)) {
    const required = match[1] as string;
    if (required.startsWith(`${options.namespace}.`)) collect(required, options, modules);
  }
}
