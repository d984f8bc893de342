import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { scratchDirectory } from "../helpers/scratch.js";
import { type SpawnedProgram, spawnProgram } from "../helpers/spawn-bridge.js";
import { root } from "./terminal.js";

/** The files of this repository as a clone has them: nothing installed, nothing built. */
export function freshClone(): string {
  const folder = scratchDirectory();
  const options = { cwd: root, encoding: "utf8", maxBuffer: 64 * 1_024 * 1_024 } as const;
  const files = execFileSync("git", ["ls-files", "-coz", "--exclude-standard"], options);
  for (const file of files.split("\0").filter((name) => existsSync(join(root, name)))) {
    if (file === "") continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(root, file), join(folder, file));
  }
  return folder;
}

/** Types lines into a shell in a folder. The last one takes the shell's place, so that it can be ended. */
export function shell(
  cwd: string,
  lines: readonly string[],
  env: Record<string, string> = {},
): SpawnedProgram {
  const last = lines.at(-1) ?? "";
  const [, settings = "", program = ""] = /^((?:[A-Z_]+=\S+ )*)(.*)$/.exec(last) ?? [];
  // Both steps of `a && b` need the shell.
  const command = program.includes("&&") ? last : `${settings}exec ${program}`;
  const script = ["set -e", ...lines.slice(0, -1), command].join("\n");
  return spawnProgram([], env, ["bash", "-c", script], { cwd });
}

export async function output(run: SpawnedProgram): Promise<string> {
  await run.exited;
  return `${run.lines.join("\n")}\n${run.stderr()}`;
}
