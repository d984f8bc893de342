// @ts-check
// Checks each published package as its users will get it: packed, then read by publint and attw.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";
import { pnpm, publicPackages } from "./package-managers.mjs";

/**
 * @param {string} command a file of an installed package
 * @param {readonly string[]} args
 */
function run(command, ...args) {
  execFileSync(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

const root = fileURLToPath(new URL("..", import.meta.url));
await build();
pnpm(["-r", "build:types"], root);
// By their places: neither package exports its command, nor its package.json.
const installed = join(root, "node_modules");
const publint = join(installed, "publint/src/cli.js");
const attw = join(installed, "@arethetypeswrong/cli/dist/index.js");
const scratch = mkdtempSync(join(tmpdir(), "ccbridge-pack-"));
try {
  for (const { path } of publicPackages()) pnpm(["pack", "--pack-destination", scratch], path);
  for (const tarball of readdirSync(scratch)) {
    const path = join(scratch, tarball);
    run(publint, "run", path, "--strict");
    run(attw, path, "--profile", "esm-only", "--no-color", "--quiet");
    console.log(`${tarball}: fine`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
