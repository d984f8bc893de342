import { readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const romDirectory = fileURLToPath(new URL("../../rom/", import.meta.url));

function readTree(directory: string): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    files.set(relative(directory, path).split(sep).join("/"), readFileSync(path, "latin1"));
  }
  return files;
}

const cache = new Map<string, ReadonlyMap<string, string>>();

/** Files of one part of the ROM by path: `kernel`, `bios`, or `mount` (what programs see as /rom). */
export function romFiles(part: "kernel" | "bios" | "mount"): ReadonlyMap<string, string> {
  let files = cache.get(part);
  if (files === undefined) {
    files = readTree(join(romDirectory, part));
    cache.set(part, files);
  }
  return files;
}

/** One file by its full name, such as "bios/bios.lua". */
export function romSource(name: string): string {
  const [part, ...rest] = name.split("/");
  const source = romFiles(part as Parameters<typeof romFiles>[0]).get(rest.join("/"));
  if (source === undefined) throw new Error(`no ROM file ${name}`);
  return source;
}
