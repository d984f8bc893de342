import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const read = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../../../../${name}`, import.meta.url)), "utf8");

function fieldsOf(source: string, name: string): string[] {
  const [, body = ""] =
    new RegExp(`interface ${name}\\b[^{]*\\{\\n(.*?)\\n\\}`, "s").exec(source) ?? [];
  return [...body.matchAll(/^ {2}(?:readonly )?(\w+)[?(:]/gm)].map(([, field = ""]) => field);
}

it("docs/extending.md has every field of a kind, and no other", () => {
  const fields = [
    ...fieldsOf(read("packages/mcp-tools/src/core/kind.ts"), "Kind"),
    ...fieldsOf(read("apps/bridge/src/links/kinds.ts"), "LinkedKind"),
  ];
  expect(fields).toContain("selectorArguments");
  const [, table = ""] =
    /\| field \| what it is \|\n(.*?)\n\n/s.exec(read("docs/extending.md")) ?? [];
  const named = table
    .split("\n")
    .flatMap((row) => [...(row.split("|")[1] ?? "").matchAll(/`(\w+)`/g)]);
  expect(named.map(([, field]) => field).sort()).toEqual(fields.sort());
});
