// Checks each published package as its users will get it: packed, then read by publint and attw.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const packages = ["packages", "apps"]
  .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  .filter((folder) => !JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).private);

// pnpm runs scripts with its own path in npm_execpath; only pnpm resolves catalog: and workspace:.
const pnpm = process.env.npm_execpath?.includes("pnpm")
  ? [process.execPath, process.env.npm_execpath]
  : ["pnpm"];
const run = (command, args, cwd = ".") =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const scratch = mkdtempSync(join(tmpdir(), "ccbridge-pack-"));
try {
  for (const folder of packages) {
    const [command, ...first] = pnpm;
    run(command, [...first, "pack", "--pack-destination", scratch], folder);
  }
  for (const tarball of readdirSync(scratch)) {
    const path = join(scratch, tarball);
    run("node_modules/.bin/publint", ["run", path, "--strict"]);
    run("node_modules/.bin/attw", [path, "--profile", "esm-only", "--no-color", "--quiet"]);
    console.log(`${tarball}: fine`);
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
