// luacheck is not an npm package. Where it is missing (Debian: apt-get install lua-check) that
// check is skipped with a note, except in CI.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../..", import.meta.url));

function run(command, args) {
  return spawnSync(command, args, { cwd: root, stdio: "inherit" });
}

let failed = false;
// Run by Node: on Windows the command is a shell script.
const styluaScript = createRequire(import.meta.url).resolve("@johnnymorganz/stylua-bin/run.js");
const stylua = run(process.execPath, [styluaScript, "--check", "lua"]);
if (stylua.error || stylua.status !== 0) failed = true;

const luacheck = run("luacheck", ["--quiet", "lua"]);
if (luacheck.error) {
  process.stderr.write("luacheck is not installed (Debian: apt-get install lua-check)\n");
  if (process.env.CI) failed = true;
} else if (luacheck.status !== 0) {
  failed = true;
}
process.exit(failed ? 1 : 0);
