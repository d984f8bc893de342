// @ts-check
// `pnpm test:long`: everything that is too slow for each change, one after the other. Each part runs, whatever
// became of those before it; the last lines say how each ended.
import { spawnSync } from "node:child_process";
import { root } from "./workspace.mjs";

const node = process.execPath;
const vitest = "node_modules/vitest/vitest.mjs";

/** @type {Record<string, string[][]>} the commands of each part */
const parts = {
  build: [["scripts/build.mjs"]],
  properties: [[vitest, "run", "--project", "long", "properties"]],
  torture: [[vitest, "run", "--config", "bench/torture/vitest.config.ts"]],
  minecraft: [["test-servers/minecraft/run.mjs"]],
  soak: [
    ["node_modules/tsup/dist/cli-default.js", "--silent", "--config", "bench/tsup.config.ts"],
    ["bench/dist/soak.js"],
  ],
};

const wanted = process.argv.slice(2);
const results = Object.entries(parts)
  .filter(([name]) => name === "build" || wanted.length === 0 || wanted.includes(name))
  .map(([name, commands]) => {
    const started = performance.now();
    const isGood = commands.every(
      (args) => spawnSync(node, args, { cwd: root, stdio: "inherit" }).status === 0,
    );
    return { name, isGood, seconds: Math.round((performance.now() - started) / 1_000) };
  });
for (const { name, isGood, seconds } of results) {
  console.log(`${isGood ? "passed" : "FAILED"}  ${name} (${seconds} s)`);
}
if (results.some(({ isGood }) => !isGood)) process.exitCode = 1;
