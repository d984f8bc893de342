// @ts-check
// Packs the bridge as an .mcpb bundle for Claude Desktop, after `pnpm build`: node packaging/mcpb/pack.mjs [file]
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { pnpm, root } from "../../scripts/package-managers.mjs";
import { version } from "../stamp.mjs";

const here = fileURLToPath(new URL(".", import.meta.url));

/** Not needed to run. */
const ignored = ["*.map", "*.d.ts", "*.d.mts", "*.d.cts", "CHANGELOG.md", "fixtures/"];

/** A bundle runs on every system. pnpm's own `--no-optional` fails on the lock file for an optional package. */
const native = ["libsql", "@libsql", "@neon-rs"];

/**
 * The official tool by its file: the package does not export it.
 * @param {readonly string[]} args
 */
export function mcpb(args) {
  const main = createRequire(import.meta.url).resolve("@anthropic-ai/mcpb");
  return execFileSync(process.execPath, [join(dirname(main), "cli/cli.js"), ...args], {
    encoding: "utf8",
  });
}

/**
 * `pnpm deploy` records its flags as those of the workspace, whose next `pnpm run` would then remove what only developers
 * need.
 * @param {() => void} deploy
 */
function keepingState(deploy) {
  const path = join(root, "node_modules/.pnpm-workspace-state-v1.json");
  const state = readFileSync(path);
  try {
    deploy();
  } finally {
    writeFileSync(path, state);
  }
}

/** @param {string} file */
export function packBundle(file) {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-mcpb-"));
  try {
    // A zip cannot hold links.
    const flags = ["--prod", "--legacy", "--config.node-linker=hoisted"];
    const server = join(folder, "server");
    keepingState(() => pnpm(["--filter", "ccbridge", ...flags, "deploy", server], root));
    for (const name of native) {
      rmSync(join(server, "node_modules", name), { recursive: true, force: true });
    }
    copyFileSync(join(here, "manifest.json"), join(folder, "manifest.json"));
    copyFileSync(join(root, "LICENSE"), join(folder, "LICENSE"));
    writeFileSync(join(folder, ".mcpbignore"), `${ignored.join("\n")}\n`);
    mkdirSync(dirname(file), { recursive: true });
    mcpb(["pack", folder, file]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const file = resolve(process.argv[2] ?? join(root, `packaging/out/ccbridge-${version}.mcpb`));
  packBundle(file);
  console.log(file);
}
