// @ts-check
// Runs the demo base and the dashboard while you edit: the bridge is built and started again when its sources change,
// the page has hot reload. Flags go to the bridge.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, watch } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "./build.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const flags = process.argv.slice(2).filter((flag) => flag !== "--");
const portFlag = flags.indexOf("--mcp-port");
const port = portFlag < 0 ? (process.env.MCP_PORT ?? "3000") : (flags[portFlag + 1] ?? "3000");
/** Editors write a file in several steps. */
const SETTLED_MS = 300;

/** @type {import("node:child_process").ChildProcess | undefined} */
let bridge;

async function restart() {
  try {
    await build("apps/bridge");
    await build("apps/demo");
  } catch (error) {
    // The bridge that runs stays until there is one that can be built.
    console.error(/** @type {Error} */ (error).message);
    return;
  }
  if (bridge !== undefined && bridge.exitCode === null) {
    const gone = once(bridge, "exit");
    bridge.kill();
    // Its ports must be free.
    await gone;
  }
  const program = join(root, "apps/bridge/dist/main.js");
  bridge = spawn(process.execPath, [program, "--demo", ...flags], { stdio: "inherit" });
}

let starting = restart();
/** @type {NodeJS.Timeout | undefined} */
let timer;
const packages = readdirSync(join(root, "packages")).map((name) => `packages/${name}/src`);
for (const folder of [...packages, "apps/bridge/src", "apps/demo/src", "lua"]) {
  const path = join(root, folder);
  if (!existsSync(path)) continue;
  watch(path, { recursive: true }, (_, name) => {
    if (name !== null && !/\.(ts|lua)$/.test(name)) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      console.log(`\n${folder}/${name} changed: building`);
      starting = starting.then(restart);
    }, SETTLED_MS);
  });
}
await starting;
const vite = join(root, "apps/dashboard/node_modules/vite/bin/vite.js");
const page = spawn(process.execPath, [vite, "--logLevel", "warn"], {
  cwd: join(root, "apps/dashboard"),
  env: { ...process.env, CCBRIDGE_DEV_PORT: port },
  stdio: "inherit",
});
// Such as one whose port is in use: its last lines say so.
page.on("exit", (code) => {
  bridge?.kill();
  process.exit(code ?? 0);
});
console.log("\nThe dashboard with hot reload: http://127.0.0.1:5173/\n");
for (const signal of /** @type {const} */ (["SIGINT", "SIGTERM"])) {
  process.on(signal, () => {
    bridge?.kill();
    page.kill();
    process.exit(0);
  });
}
