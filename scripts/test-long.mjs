// @ts-check
// `pnpm test:long`: everything that is too slow for each change, one after the other. Each part runs even if
// an earlier one failed; the last lines list the results.
import { spawnSync } from "node:child_process";
import { pnpmCommand, root } from "./package-managers.mjs";

/** @type {Record<string, string[]>} what pnpm runs for each part */
const parts = {
  build: ["build"],
  long: ["exec", "vitest", "run", "--project", "long"],
  torture: ["torture"],
  minecraft: ["test:minecraft"],
  soak: ["soak"],
};

const [program = "", ...first] = pnpmCommand();
const results = Object.entries(parts).map(([name, args]) => {
  const started = performance.now();
  const { status } = spawnSync(program, [...first, ...args], { cwd: root, stdio: "inherit" });
  const seconds = Math.round((performance.now() - started) / 1_000);
  return { isGood: status === 0, line: `${name} (${seconds} s)` };
});
for (const { isGood, line } of results) console.log(`${isGood ? "passed" : "FAILED"}  ${line}`);
if (results.some(({ isGood }) => !isGood)) process.exitCode = 1;
