import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { commandsOf, root } from "./terminal.js";

const here = new URL(".", import.meta.url);
const textOf = (...names: string[]) =>
  names.map((name) => readFileSync(new URL(name, here), "utf8")).join("\n");
const typed = textOf("commands.e2e.test.ts", "player.e2e.test.ts");

/** What no test types as it is there, and what does its work. */
const elsewhere: readonly (readonly [pattern: RegExp, where: string])[] = [
  [/^(\w+=\S+ )*npx -y pnpm@[\d.]+ (test|test:all|lint|typecheck|write-docs|build)\b/, ".ci/run"],
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

const read = (path: string) => readFileSync(join(root, path), "utf8");
const filesOf = (pattern: string) =>
  execFileSync("git", ["ls-files", pattern], { cwd: root, encoding: "utf8" })
    .split("\n")
    .slice(0, -1);

const pages = filesOf("*.md")
  // The unmodified server has its own tests, in test/server; tool pages have examples instead of commands.
  .filter((path) => !/CHANGELOG|^docs\/(minecraft|tools)\.md$/.test(path));

const commands = pages.flatMap((path) => commandsOf(path).map((command) => ({ path, ...command })));

/** Commands inside sentences and tables, and what tries those that no test types as they are there. */
const inSentences: readonly (readonly [pattern: RegExp, where: string])[] = [
  [/^(mcp-computer|set mcp_computer\.|label set|wget run)/, "packages/lua-agent/test, docs/player"],
  [/^ccbridge allow --address \.\.\.$/, "typed with its address"],
  [/^ccbridge --stdio$/, "test/mcp/transports/stdio.e2e.test.ts"],
  [/^ccbridge minecraft-agent$/, "test/docs/minecraft.e2e.test.ts"],
  [/^(netsh|wsl|set CC_LINK_TOKENS|node -p "|ccbridge allow "D:)/, "Windows"],
  [/^sudo (ufw|firewall-cmd|nginx|systemctl reload) /, "programs of others"],
  [/^ssh -R$/, "a word of the sentence"],
  [/^docker compose /, "packaging/test/container.e2e.test.ts: no engine here"],
  [/^(npm|cd shop|npx -y pnpm@[\d.]+ --filter @ccbridge\/pages)/, "test/page/docs.e2e.test.ts"],
  [/^(npx -y )?pnpm(@[\d.]+)? /, "the script exists, below"],
  [/^npx vitest run /, "the path exists, below"],
  [/^node packaging\//, "packaging/test"],
];

const start =
  /^(ccbridge|node|npx|npm|pnpm|git|sudo|docker|gemini|claude|codex|mcp-computer|wget|set|label|wsl|netsh|ssh|cd|\/plugin) \S/;

/** Pages that people read to do something; the reference of the wire and decisions are not. */
const guides = pages.filter((path) => /^(README|CONTRIBUTING|docs\/[\w-]+)\.md$/.test(path));

const mentioned = guides.flatMap((path) =>
  read(path)
    .replace(/^( *)```[\s\S]*?^ *```/gm, "")
    .split(/\n\s*\n/)
    .flatMap((paragraph) =>
      paragraph.split(/\n(?=\|)/).flatMap((row) =>
        [...row.matchAll(/`([^`]+)`/g)].map(([, line = ""]) => ({
          ...{ path, line: line.replace(/\s+/g, " ") },
          isLater: /after publishing/i.test(paragraph) || row.includes("¹"),
        })),
      ),
    ),
);

describe("each command of the documentation", () => {
  it("in a sentence or table too", () => {
    const found = mentioned.filter(({ line }) => start.test(line));
    expect(found.length).toBeGreaterThan(50);
    const left = found.filter(({ line, isLater }) => {
      const given = line.replaceAll('"', '\\"').replace(/ (<|\.\.\.).*/, "");
      const isTyped = [given, given.replace(/^ccbridge /, "node start ")].some((text) =>
        typed.includes(text),
      );
      return !isLater && !isTyped && !inSentences.some(([pattern]) => pattern.test(line));
    });
    expect(left).toEqual([]);
    const unused = inSentences.filter(([pattern]) => !found.some(({ line }) => pattern.test(line)));
    expect(unused).toEqual([]);
  });

  it("for the game is typed into the program by a test", () => {
    const inGame = [typed, textOf("minecraft.e2e.test.ts")]
      .concat(filesOf("packages/lua-agent/test/*.ts").map(read))
      .join("\n");
    const left = mentioned.filter(
      ({ line }) =>
        /^(mcp-computer|set mcp_computer\.) ?\S/.test(line) &&
        !/\.lua$/.test(line) &&
        !inGame.includes(line.replace(/ <.*/, "")),
    );
    expect(left).toEqual([]);
  });

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
      "@ccbridge/pages": "packages/pages",
    };
    const wrong = [...commands, ...mentioned].filter(({ line }) => {
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
