// @ts-check
// Runs this project's pnpm, also where none is on the PATH. Only pnpm puts real versions in place of
// `catalog:` and `workspace:` when it packs.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./workspace.mjs";

/**
 * @param {readonly string[]} args
 * @param {string} cwd
 */
export function pnpm(args, cwd) {
  const [command, ...first] = pnpmCommand(process.env.npm_execpath ?? "");
  execFileSync(command, [...first, ...args], { cwd, stdio: ["ignore", "pipe", "inherit"] });
}

/**
 * The program and first arguments of pnpm. Never a shell: Node refuses to run Windows' .cmd files
 * without one, so the scripts behind them are run.
 * @param {string} running the package manager that runs this, as it tells in npm_execpath
 * @returns {[string, ...string[]]}
 */
function pnpmCommand(running) {
  if (/pnpm[^/\\]*\.c?js$/.test(running)) return [process.execPath, running];
  if (/pnpm[^/\\]*$/.test(running)) return [running];
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const nodeFolder = dirname(process.execPath);
  const npx = [
    join(dirname(running), "npx-cli.js"),
    join(nodeFolder, "node_modules/npm/bin/npx-cli.js"),
    join(nodeFolder, "../lib/node_modules/npm/bin/npx-cli.js"),
    join(nodeFolder, "../share/nodejs/npm/bin/npx-cli.js"),
  ].find((path) => existsSync(path));
  const [version] = packageManager.split("+");
  return npx === undefined ? ["npx", "-y", version] : [process.execPath, npx, "-y", version];
}
