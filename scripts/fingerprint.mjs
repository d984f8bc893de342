// @ts-check
// Tells whether a build is behind its sources, by what they hold and not by their dates: a checkout
// changes dates without changing files, and a deleted file has none.
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";

const ignoredFolders = new Set(["node_modules", "dist", "test"]);

/**
 * One hash for all files at and below some paths.
 * @param {string} base names are taken relative to this folder
 * @param {readonly string[]} paths
 */
export function fingerprint(base, paths) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesOf).sort()) {
    const content = createHash("sha256").update(readFileSync(file)).digest("hex");
    hash.update(`${relative(base, file).split(sep).join("/")}\0${content}\n`);
  }
  return hash.digest("hex");
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesOf(path) {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    ignoredFolders.has(entry.name) || entry.name.endsWith(".md")
      ? []
      : filesOf(join(path, entry.name)),
  );
}

/**
 * What a build was made from, kept beside the installed packages.
 * @param {string} file
 * @returns {{ sources?: string, types?: boolean }}
 */
export function readStamp(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

/**
 * @param {string} file
 * @param {{ sources: string, types: boolean }} stamp
 */
export function writeStamp(file, stamp) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(stamp));
}
