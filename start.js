// @ts-check
// Runs the bridge from a clone: `node start`. Installs and builds what changed first. One process, so that Ctrl+C
// reaches the bridge itself and no package manager adds lines of its own to the output.
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `ccbridge needs Node 20.19 or newer, and this is ${process.version}: https://nodejs.org`,
  );
  process.exit(1);
}
const root = fileURLToPath(new URL(".", import.meta.url));
process.env.CCBRIDGE_COMMAND ??= "node start";

if (!isInstalled()) install();
if (!existsSync(`${root}apps/bridge/dist/main.js`)) {
  console.error("Building ccbridge. The next start will not need to.");
}
try {
  const { build } = await import("./scripts/build.mjs");
  await build("apps/bridge");
  if (process.argv.includes("--demo")) await build("apps/demo");
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
// Paths on the command line are relative to where the command was typed, not to the clone.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
await import("./apps/bridge/dist/main.js");

/** Whether the packages are those of the lock file, which a `git pull` may have changed. */
function isInstalled() {
  try {
    const state = JSON.parse(
      readFileSync(`${root}node_modules/.pnpm-workspace-state-v1.json`, "utf8"),
    );
    return statSync(`${root}pnpm-lock.yaml`).mtimeMs <= Number(state.lastValidatedTimestamp);
  } catch {
    return false;
  }
}

function install() {
  console.error("Installing what ccbridge needs. This takes about half a minute, once.");
  const { packageManager } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
  const { status, stdout, stderr, error } = spawnSync(
    `npx -y ${packageManager} install --frozen-lockfile`,
    { cwd: root, shell: true, encoding: "utf8", env: { ...process.env, CI: "true" } },
  );
  if (status === 0) return;
  console.error(`${stdout ?? ""}${stderr ?? ""}${error?.message ?? ""}`);
  console.error("The packages could not be installed. The lines above say why.");
  process.exit(1);
}
