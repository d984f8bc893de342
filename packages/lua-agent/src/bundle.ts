import { readFileSync } from "node:fs";
import { join } from "node:path";
import { stripLua } from "./strip-lua.js";

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
 * Deterministic: modules are sorted by name. The result is ASCII, because computers before
 * CC:Tweaked 1.109 garble anything else.
 */
export function bundleLua(options: BundleOptions): string {
  const modules = new Map<string, string>();
  collect(options.entry, options, modules);
  const parts = [
    `-- mcp-computer ${options.version} - links this computer to a ccbridge. MIT licence.`,
    "-- Built from many files: change those, not this one.",
    "local modules, loaded, outer = {}, {}, require",
    "local function require(name)",
    "local module = modules[name]",
    "if not module then return outer(name) end",
    "if loaded[name] == nil then loaded[name] = module() end",
    "return loaded[name]",
    "end",
  ];
  for (const name of [...modules.keys()].sort()) {
    if (name === options.entry) continue;
    parts.push(`modules[${JSON.stringify(name)}] = function()`, modules.get(name) as string, "end");
  }
  parts.push(modules.get(options.entry) as string);
  const text = `${parts.join("\n")}\n`;
  const odd = /[^\n\x20-\x7e]/.exec(text);
  if (odd) throw new Error(`the program contains ${JSON.stringify(odd[0])}, which is not ASCII`);
  return text;
}

function collect(name: string, options: BundleOptions, modules: Map<string, string>): void {
  if (modules.has(name)) return;
  const source = options.read(name).replace('"0.0.0-dev"', JSON.stringify(options.version));
  modules.set(name, stripLua(source));
  for (const match of source.matchAll(/"([\w.-]+)"/g)) {
    const required = match[1] as string;
    if (required.startsWith(`${options.namespace}.`)) collect(required, options, modules);
  }
}
