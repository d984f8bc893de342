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
  /** Modules that every link needs, beside the entry: they and what they require first are not packed. */
  atStart?: readonly string[];
  read: ReadModule;
}

/**
 * Each module is a text that is compiled when it is first required, under its own name: errors name its file and line, and
 * what a computer never uses costs little memory. What is not needed at the start is packed: it takes less of the disk, but
 * unpacking takes as long as compiling. Deterministic: modules are sorted by name. The result is ASCII, because computers
 * before CC:Tweaked 1.109 garble anything else.
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
  const early = firstOf([options.entry, ...(options.atStart ?? [])], options);
  const later = names.filter((name) => !early.has(name));
  const short = (name: string) => shrink(modules.get(name) as string, ["require"]);
  const { phrases, texts } = packTexts(later.map(short));
  const parts = [
    `-- mcp-computer ${options.version} - links this computer to a ccbridge. MIT licence.`,
    "-- Built from many files: change those, not this one.",
    `local phrases=${phrases}`,
    LOADER,
    ...names.map((name) => {
      const file = `${name.slice(options.namespace.length + 1).replaceAll(".", "/")}.lua`;
      const packed = texts[later.indexOf(name)];
      return `add("${file}",${longString(packed ?? short(name))}${packed === undefined ? "" : ",true"})`;
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
local file,text,packed=table.unpack(module)
if packed then text=${UNPACK} end
loaded[id]=assert(load(text,"=mcp-computer/"..file,"t",env))(require)
end
return loaded[id]
end
local function add(...) modules[#modules+1]={...} end`;

function longString(text: string): string {
  let level = "";
  while (`${text}]`.includes(`]${level}]`)) level += "=";
  // A line break at the beginning is not part of a long string.
  return `[${level}[${text.startsWith("\n") ? "\n" : ""}${text}]${level}]`;
}

/** The modules, and all that they require before they do anything. */
function firstOf(names: readonly string[], options: BundleOptions): Set<string> {
  const found = new Set<string>();
  const add = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    for (const [, required] of options
      .read(name)
      .matchAll(/^local \w+ = require\("([\w.]+)"\)/gm)) {
      if (required?.startsWith(`${options.namespace}.`)) add(required);
    }
  };
  for (const name of names) add(name);
  return found;
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
