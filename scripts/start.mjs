// @ts-check
// Runs the bridge from a clone, after building what changed. One process, so that Ctrl+C reaches the bridge
// itself and no other process exits with an error.
import { existsSync } from "node:fs";
import { build } from "./build.mjs";

if (!existsSync(new URL("../apps/bridge/dist/main.js", import.meta.url))) {
  console.error("Building ccbridge. The next start will not need to.");
}
try {
  await build("apps/bridge");
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
// Paths on the command line are relative to where the command was typed, not to the clone.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
await import("../apps/bridge/dist/main.js");
