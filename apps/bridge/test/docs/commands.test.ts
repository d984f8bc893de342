import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsOf, root } from "./terminal.js";

const typed = readFileSync(new URL("./commands.e2e.test.ts", import.meta.url), "utf8");

/** What no test types as it is there, and what does its work. */
const elsewhere: readonly (readonly [pattern: RegExp, where: string])[] = [
  [/^(\w+=\S+ )*npx -y pnpm@[\d.]+ (test|lint|typecheck|test:all|write-docs|build)\b/, ".ci/run"],
  [/^(\w+=\S+ )*(npx -y )?pnpm(@[\d.]+)?\b/, "the script exists, below"],
  [/^(\w+=\S+ )*npx vitest run /, "the path exists, below"],
  [/docker compose|>> \.env$/, "packaging/test/container.e2e.test.ts: no engine here"],
  [/^(ssh -N|cloudflared) /, "programs and machines of others"],
  [/^apt-get install nats-server$/, ".ci/run"],
  [/^play |^PLAY /, "bench/test/trial.e2e.test.ts"],
  [/^\$EDITOR /, "a person edits a file"],
  [/^[A-Z_]+=[^\s]+$/, "a setting of its own, in docs/configuration.md"],
  [/^(gradle |cp .*build\/libs\/|git clone <this repository>)/, "mods/check.sh: no Gradle here"],
];

const pages = execFileSync("git", ["ls-files", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  // The unmodified server has its own tests, in test/server; tool pages have examples instead of commands.
  .filter((path) => path !== "" && !/CHANGELOG|^docs\/(minecraft|tools)\.md$/.test(path));

const commands = pages.flatMap((path) => commandsOf(path).map((command) => ({ path, ...command })));

describe("each command of the documentation", () => {
  it("is typed by a test, marked as one for after publishing, or done elsewhere", () => {
    expect(commands.length).toBeGreaterThan(60);
    const left = commands.filter(
      ({ line, isLater }) =>
        !isLater &&
        !typed.includes(line.replaceAll('"', '\\"')) &&
        !elsewhere.some(([pattern]) => pattern.test(line)),
    );
    expect(left).toEqual([]);
  });

  it("names scripts, folders and files that exist", () => {
    const scripts = (path: string): Record<string, string> =>
      JSON.parse(readFileSync(join(root, path, "package.json"), "utf8")).scripts ?? {};
    const own = new Set([...Object.keys(scripts(".")), "install", "changeset"]);
    const inPackages: Readonly<Record<string, string>> = {
      "@ccbridge/example-kind": "examples/kind",
      "@ccbridge/example-cluster": "examples/cluster",
      "@ccbridge/lua-agent": "packages/lua-agent",
    };
    const wrong = commands.filter(({ line }) => {
      const [, named, script = ""] =
        /\bpnpm(?:@[\d.]+)?(?: -s)?(?: --filter (\S+))? ([\w:-]+)/.exec(line) ?? [];
      if (script !== "" && named !== undefined)
        return !(script in scripts(inPackages[named] ?? "."));
      if (script !== "") return !own.has(script);
      const [, path] = /\bvitest run ([\w./-]*\/[\w./-]+)/.exec(line) ?? [];
      return path !== undefined && !existsSync(join(root, path));
    });
    expect(wrong).toEqual([]);
  });
});
