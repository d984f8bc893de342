// @ts-check
// Which packages are behind their sources, and how they are built.
import { execFile } from "node:child_process";
import { existsSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { fingerprint, readStamp, writeStamp } from "./fingerprint.mjs";
import { root, withDependencies, workspacePackages } from "./workspace.mjs";

/** @typedef {import("./workspace.mjs").Package} Package */

/**
 * @typedef {object} BuildOptions
 * @property {readonly string[]} [names] the packages to build; all of them unless told
 * @property {boolean} [types] declarations too: they take most of the time and serve only those who
 *   install the packages
 * @property {string} [workspace]
 * @property {(item: Package, types: boolean) => Promise<void>} [build]
 * @property {(item: Package) => void} [onBuild] told before a package is built
 */

/** What every build depends on, and what single ones depend on beside their packages. */
const sharedSources = ["tsup.base.ts", "tsconfig.base.json", "pnpm-lock.yaml"];
/** @type {Record<string, string[]>} */
const furtherSources = {
  "@ccbridge/lua-agent": ["lua"],
  "@ccbridge/bridge": ["apps/dashboard"],
};
/**
 * What is copied into a build when it is there, and so is built before.
 * @type {Record<string, string[]>}
 */
const embedded = { "@ccbridge/bridge": ["@ccbridge/dashboard"] };

/**
 * Builds the packages that are behind their sources and returns their names.
 * @param {BuildOptions} [options]
 * @returns {Promise<string[]>}
 */
export async function buildStale(options = {}) {
  const { types = false, workspace = root, build = runBuild, onBuild } = options;
  const all = workspacePackages(workspace);
  const wanted = all.filter(
    ({ name, buildScript }) => buildScript !== undefined && (options.names?.includes(name) ?? true),
  );
  const stale = wanted.flatMap((item) => staleBuild(item, all, workspace, types));
  const isFirst = (/** @type {string} */ name) => Object.values(embedded).flat().includes(name);
  const queue = [
    ...stale.filter(({ item }) => isFirst(item.name)),
    ...stale.filter(({ item }) => !isFirst(item.name)),
  ];
  const names = stale.map(({ item }) => item.name);
  /** @type {Map<string, Promise<void>>} */
  const running = new Map();
  const work = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { item, stampFile, sources } = next;
      const run = async () => {
        await Promise.all((embedded[item.name] ?? []).map((name) => running.get(name)));
        onBuild?.(item);
        // A build that fails or is interrupted must not pass for a good one.
        rmSync(stampFile, { force: true });
        await build(item, types);
        writeStamp(stampFile, { sources, types });
      };
      const made = run();
      running.set(item.name, made);
      await made;
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work));
  return names;
}

/**
 * @param {Package} item
 * @param {readonly Package[]} all
 * @param {string} workspace
 * @param {boolean} types
 */
function staleBuild(item, all, workspace, types) {
  const paths = [
    ...sharedSources.map((path) => join(workspace, path)),
    ...withDependencies(all, [item.name]).flatMap(({ name, folder }) => [
      folder,
      ...(furtherSources[name] ?? []).map((path) => join(workspace, path)),
    ]),
  ];
  const sources = fingerprint(workspace, paths);
  const file = `${item.name.replace("/", "+")}.json`;
  const stampFile = join(workspace, "node_modules/.cache/ccbridge-builds", file);
  const stamp = readStamp(stampFile);
  const isFresh =
    stamp.sources === sources &&
    (stamp.types === true || !types) &&
    ["index.js", "index.html"].some((file) => existsSync(join(item.folder, "dist", file)));
  return isFresh ? [] : [{ item, stampFile, sources }];
}

/**
 * @param {Package} item
 * @param {boolean} types
 */
async function runBuild({ name, folder, buildScript }, types) {
  const args = buildScript?.startsWith("vite")
    ? [join(folder, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"]
    : [
        createRequire(import.meta.url).resolve("tsup/dist/cli-default.js"),
        "--silent",
        ...(types ? [] : ["--no-dts"]),
      ];
  try {
    await promisify(execFile)(process.execPath, args, { cwd: folder });
  } catch (error) {
    const { stdout = "", stderr = "" } = /** @type {{ stdout?: string, stderr?: string }} */ (
      error
    );
    throw new Error(`${name} cannot be built:\n${stdout}${stderr}`, { cause: error });
  }
}
