// @ts-check
// Checks each published package as its users will get it: packed, then read by publint and attw.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { buildStale } from "./builds.mjs";
import { pnpm } from "./package-managers.mjs";
import { workspacePackages } from "./workspace.mjs";

const require = createRequire(import.meta.url);

/**
 * @param {string} command a file of an installed package
 * @param {readonly string[]} args
 */
function run(command, ...args) {
  execFileSync(process.execPath, [command, ...args], { stdio: ["ignore", "pipe", "inherit"] });
}

await buildStale({ types: true });
const publint = join(dirname(require.resolve("publint/package.json")), "src/cli.js");
const attw = join(dirname(require.resolve("@arethetypeswrong/cli/package.json")), "dist/index.js");
const scratch = mkdtempSync(join(tmpdir(), "ccbridge-pack-"));
try {
  for (const { folder, isPublic } of workspacePackages()) {
    if (isPublic) pnpm(["pack", "--pack-destination", scratch], folder);
  }
  for (const tarball of readdirSync(scratch)) {
    const path = join(scratch, tarball);
    run(publint, "run", path, "--strict");
    run(attw, path, "--profile", "esm-only", "--no-color", "--quiet");
    console.log(`${tarball}: fine`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
