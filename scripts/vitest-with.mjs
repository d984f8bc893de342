#!/usr/bin/env node
// Runs vitest with an environment variable, also where the shell does not understand `NAME=value command`.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const [assignment = "", ...args] = process.argv.slice(2);
const [name, value = ""] = assignment.split("=", 2);
const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const { status } = spawnSync(process.execPath, [vitest, ...args], {
  stdio: "inherit",
  env: { ...process.env, [name]: value },
});
process.exitCode = status ?? 1;
