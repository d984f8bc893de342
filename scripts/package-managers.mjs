// @ts-check
// Runs npm and this project's pnpm, also where neither is on the PATH. Never by a shell: Node refuses
// to run the .cmd files of Windows without one, so the scripts behind them are run.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

/**
 * Runs pnpm and returns what it printed. Only pnpm replaces `catalog:` and `workspace:` by
 * real versions when it packs.
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function pnpm(args, cwd) {
  return run([...pnpmCommand(), ...args], cwd);
}

/**
 * The packages of the workspace that are published.
 * @returns {{ name: string, path: string }[]}
 */
export function publicPackages() {
  /** @type {{ name: string, path: string, private: boolean }[]} */
  const all = JSON.parse(pnpm(["ls", "-r", "--depth", "-1", "--json"], root));
  return all.filter((each) => !each.private);
}

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function npm(args, cwd) {
  return run([...npmCommand("npm"), ...args], cwd);
}

/**
 * @param {readonly string[]} command
 * @param {string} cwd
 */
function run([program = "", ...args], cwd) {
  return execFileSync(program, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

/** @returns {string[]} */
export function pnpmCommand() {
  // Set by the package manager that runs this.
  const { npm_execpath: running = "" } = process.env;
  if (/pnpm[^/\\]*\.c?js$/.test(running)) return [process.execPath, running];
  if (/pnpm[^/\\]*$/.test(running)) return [running];
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const [version] = packageManager.split("+");
  return [...npmCommand("npx"), "-y", version];
}

/**
 * npm comes with Node, in a place that differs by system.
 * @param {"npm" | "npx"} name
 * @returns {string[]}
 */
export function npmCommand(name) {
  const { npm_execpath: running = "" } = process.env;
  const nodeFolder = dirname(process.execPath);
  const script = [
    dirname(running),
    join(nodeFolder, "node_modules/npm/bin"),
    join(nodeFolder, "../lib/node_modules/npm/bin"),
    join(nodeFolder, "../share/nodejs/npm/bin"),
  ]
    .map((folder) => join(folder, `${name}-cli.js`))
    .find((path) => existsSync(path));
  return script === undefined ? [name] : [process.execPath, script];
}
