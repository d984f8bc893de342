// @ts-check
// The packages of this workspace: where they are, and which of them need which.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} folder absolute
 * @property {boolean} isPublic
 * @property {string | undefined} buildScript
 * @property {string[]} dependencies names of all packages that it needs at run time
 */

/**
 * @param {string} [workspace]
 * @returns {Package[]}
 */
export function workspacePackages(workspace = root) {
  return ["packages", "apps"].flatMap((parent) =>
    readdirSync(join(workspace, parent), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .flatMap((entry) => readPackage(join(workspace, parent, entry.name))),
  );
}

/**
 * The package in a folder; none in a folder that git left behind when it switched branches.
 * @param {string} folder
 * @returns {Package[]}
 */
function readPackage(folder) {
  let text;
  try {
    text = readFileSync(join(folder, "package.json"), "utf8");
  } catch {
    return [];
  }
  const { name, private: isPrivate = false, scripts = {}, dependencies = {} } = JSON.parse(text);
  return [
    {
      name,
      folder,
      isPublic: !isPrivate,
      buildScript: scripts.build,
      dependencies: Object.keys(dependencies),
    },
  ];
}

/**
 * Some packages and all that they need of the workspace, dependencies first.
 * @param {readonly Package[]} all
 * @param {readonly string[]} names
 * @returns {Package[]}
 */
export function withDependencies(all, names) {
  /** @type {Set<Package>} */
  const found = new Set();
  /** @param {string} name */
  const add = (name) => {
    const item = all.find((candidate) => candidate.name === name);
    if (item === undefined || found.has(item)) return;
    for (const dependency of item.dependencies) add(dependency);
    found.add(item);
  };
  for (const name of names) add(name);
  return [...found];
}
