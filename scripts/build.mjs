// @ts-check
// Builds what changed: node scripts/build.mjs
import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const root = fileURLToPath(new URL("..", import.meta.url));
const wireit = createRequire(import.meta.url).resolve("wireit/bin/wireit.js");

/**
 * Builds the package in a folder, or all packages, unless their sources are unchanged since the last build. It runs
 * wireit as `pnpm build` in that folder would, but without pnpm and without its cache of builds.
 * @param {string} [folder] relative to the root
 */
export async function build(folder) {
  const env = {
    ...process.env,
    npm_config_user_agent: process.env.npm_config_user_agent ?? "pnpm",
    npm_lifecycle_event: folder === undefined ? "build:all" : "build",
    npm_package_json: join(root, folder ?? ".", "package.json"),
    WIREIT_CACHE: "none",
    WIREIT_LOGGER: "simple",
  };
  try {
    await promisify(execFile)(process.execPath, [wireit], { cwd: root, env });
  } catch (error) {
    const { stdout = "", stderr = "" } = /** @type {{ stdout?: string, stderr?: string }} */ (
      error
    );
    throw new Error(`${folder ?? "ccbridge"} cannot be built:\n${stdout}${stderr}`, {
      cause: error,
    });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build().catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
  });
}
