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

export function romFiles(part: "kernel" | "bios" | "mount"): ReadonlyMap<string, string> {
  let files = cache.get(part);
  if (files === undefined) {
    files = readTree(join(romDirectory, part));
    cache.set(part, files);
  }
  return files;
}

export function romSource(name: string): string {
  const [part, ...rest] = name.split("/");
  const source = romFiles(part as Parameters<typeof romFiles>[0]).get(rest.join("/"));
  if (source === undefined) throw new Error(`no ROM file ${name}`);
  return source;
}
