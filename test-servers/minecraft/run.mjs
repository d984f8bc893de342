// @ts-check
// `pnpm test:minecraft`: installs the test server beside this file if it is not there, and runs its tests.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "../..");

/** @param {string} command @param {string[]} args @param {string} cwd */
const run = (command, args, cwd) =>
  spawnSync(command, args, { cwd, stdio: "inherit", shell: process.platform === "win32" }).status;

// npm writes this file last.
if (!existsSync(join(here, "node_modules/.package-lock.json"))) {
  console.log("installing flying-squid and mineflayer (400 MB, once)");
  const options = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  const patience = ["--fetch-retries=1", "--fetch-timeout=60000"];
  if (run("npm", ["ci", ...options, ...patience], here) !== 0) {
    console.log("skipped: the test server cannot be installed; see the error above");
    process.exit(0);
  }
}
const vitest = join(root, "node_modules/vitest/vitest.mjs");
const config = join(here, "vitest.config.ts");
process.exitCode =
  run(process.execPath, [vitest, "run", "--config", config, ...process.argv.slice(2)], root) ?? 1;
