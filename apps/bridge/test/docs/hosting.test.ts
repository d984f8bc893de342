import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type ConfigError, loadCommand } from "../../src/config/load.js";
import { settings } from "../../src/config/settings.js";
import { scratchFile } from "../helpers/scratch.js";

const known = new Set(Object.values(settings).map(({ env }) => env as string));

function document(name: string): string {
  return readFileSync(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");
}

function commands(text: string): string[][] {
  const joined = text.replaceAll(/\\\n\s*/g, "");
  const typed = [...joined.matchAll(/(?:^|`) *ccbridge( [^`#\n]+)/gm)].map(([, args = ""]) => args);
  return typed.map((args) => args.match(/"[^"]*"|\S+/g) ?? []);
}

describe.each(["hosting.md", "windows.md"])("docs/%s", (name) => {
  const text = document(name);

  it("names only settings that exist", () => {
    const named = text.match(/\b(?:MCP|CC)_[A-Z_]+\b/g) ?? [];
    expect(named.filter((env) => !known.has(env))).toEqual([]);
  });

  it("gives no token as a flag", () => {
    expect(text).not.toMatch(/--[a-z-]+-tokens[ =]/);
  });

  it("contains only command lines that the program accepts", () => {
    const lines = commands(text);
    expect(lines.length).toBeGreaterThan(0);
    const file = scratchFile(`${randomUUID()}\n`);
    for (const argv of lines) {
      try {
        const typed = argv.map((arg) =>
          arg.replaceAll('"', "").replace(/^(link|mcp)-tokens$/, file),
        );
        loadCommand({ argv: typed, env: {} });
      } catch (error) {
        const { problems } = error as ConfigError;
        expect.unreachable(`ccbridge ${argv.join(" ")}: ${problems}`);
      }
    }
  });
});
