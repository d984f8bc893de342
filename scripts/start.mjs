// @ts-check
// Runs the bridge from a clone, after building what is behind its sources. One process, so that
// Ctrl+C reaches the bridge itself and nobody else has to end with an error.
import { buildStale } from "./builds.mjs";

// The other libraries are built into the bridge.
const programs = ["@ccbridge/lua-agent", "@ccbridge/dashboard", "@ccbridge/bridge"];

try {
  let isTold = false;
  await buildStale({
    names: programs,
    onBuild: () => {
      if (!isTold) console.error("Building ccbridge. The next start will not need to.");
      isTold = true;
    },
  });
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exit(1);
}
// Paths on the command line are meant from where the command was typed, not from the clone.
if (process.env.INIT_CWD) process.chdir(process.env.INIT_CWD);
await import("../apps/bridge/bin/ccbridge.js");
