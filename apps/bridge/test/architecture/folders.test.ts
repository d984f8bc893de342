import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { withSection } from "../helpers/generated.js";
import { arrowsAgainst, cycles, drawGraph, importGraph } from "../helpers/import-graph.js";
import { overview, topFolders } from "../helpers/import-overview.js";
import { scratchDirectory } from "../helpers/scratch.js";

const path = (name: string) => fileURLToPath(new URL(`../../../../${name}`, import.meta.url));
const graphOf = (place: string) => importGraph(path(`${place}/src`));

/** What the folders of mcp-tools may import besides themselves. The first matching rule counts. */
const toolArrows: [folders: RegExp, mayImport: RegExp][] = [
  [/^format$/, /^$/],
  [/^core$/, /^format$/],
  [/^(jobs|resources|history|alerts)$/, /^(core|format)$/],
  [/^kinds\/computer(\/|$)/, /^(kinds\/computer(\/.*)?|jobs|resources|core|format)$/],
  [/^offers(\/|$)/, /^(offers\/schema|jobs|core|format)$/],
  [/^kinds\/page(\/|$)/, /^(kinds\/page|jobs|resources|core|format)$/],
  [/^kinds\/server(\/|$)/, /^(kinds\/server(\/.*)?|jobs|resources|core|format)$/],
];

const documented = ["packages/protocol", "packages/registry", "packages/mcp-tools", "apps/bridge"];
const docs = path("docs/architecture.md");

describe("folders", () => {
  it.each([
    "packages/protocol",
    "packages/registry",
    "packages/mcp-tools",
    "packages/cc-host",
    "apps/bridge",
  ])("of %s do not import each other in a circle", (place) => {
    expect(cycles(graphOf(place))).toEqual([]);
  });

  it("of mcp-tools import along the arrows only, and a kind never imports another kind", () => {
    expect(arrowsAgainst(graphOf("packages/mcp-tools"), toolArrows)).toEqual([]);
  });

  it("at the top of a package have one row each in docs/architecture.md", () => {
    const rows = [...readFileSync(docs, "utf8").matchAll(/^\| `(\w+\/[\w-]+\/src\/[^`]+)` \|/gm)];
    expect(rows.map(([, folder]) => folder).sort()).toEqual(
      documented
        .flatMap((place) =>
          topFolders(path(`${place}/src`)).map((folder) => `${place}/src/${folder}`),
        )
        .sort(),
    );
  });

  it("and packages have a row each in docs/architecture.md", () => {
    const rows = [...readFileSync(docs, "utf8").matchAll(/^\| (`@?ccbridge[^|]+)/gm)];
    const named = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)]);
    const names = ["packages", "apps"].flatMap((parent) =>
      topFolders(path(parent)).flatMap((folder) => {
        const manifest = path(`${parent}/${folder}/package.json`);
        if (!existsSync(manifest)) return [];
        const { name } = JSON.parse(readFileSync(manifest, "utf8")) as { name: string };
        return [name];
      }),
    );
    expect(names.length).toBeGreaterThan(10);
    expect(named.map(([, name]) => name).sort()).toEqual(names.sort());
  });

  it("and packages are drawn in docs/architecture.md", async () => {
    const drawing = drawGraph(overview(path("")));
    const document = withSection(readFileSync(docs, "utf8"), "folders", drawing);
    await expect(document).toMatchFileSnapshot(docs);
  });
});

it("every file that docs/architecture.md names exists", () => {
  const names = [...readFileSync(docs, "utf8").matchAll(/`([\w./-]+\/[\w.-]+\.(?:ts|json))`/g)];
  expect(names.length).toBeGreaterThan(30);
  const exists = (name: string) =>
    existsSync(path(name)) || existsSync(path(`apps/bridge/src/${name}`));
  expect(names.map(([, name = ""]) => name).filter((name) => !exists(name))).toEqual([]);
});

describe("the check itself", () => {
  function graphWith(files: Record<string, string>) {
    const src = scratchDirectory();
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(src, dirname(file)), { recursive: true });
      writeFileSync(join(src, file), text);
    }
    return importGraph(src);
  }

  it("finds cycles, including long ones, of types and of dynamic imports", () => {
    const files = {
      "a/one.ts": 'import type { Two } from "../b/two.js";\n',
      "b/two.ts": 'export {\n  x,\n} from "../c/three.js";\n',
      "c/three.ts": 'const late = () => import("../a/other.js");\n',
      "a/other.ts": 'import { own } from "./one.js";\n',
      "main.ts": 'import "./a/one.js";\nimport { z } from "zod";\n',
    };
    expect(cycles(graphWith(files))).toEqual([["a", "b", "c"]]);
    const { "c/three.ts": _, ...straight } = files;
    expect(cycles(graphWith({ ...straight, "c/three.ts": "" }))).toEqual([]);
  });

  it("finds arrows that point back, and across kinds", () => {
    const graph = graphWith({
      "core/run.ts": 'import { find } from "../jobs/find.js";\n',
      "format/text.ts": 'import type { Tool } from "../core/run.js";\n',
      "jobs/find.ts": 'import { text } from "../format/text.js";\n',
      "kinds/page/tool.ts": 'import { ask } from "../computer/files/ask.js";\n',
      "kinds/computer/files/ask.ts": 'import { find } from "../../../jobs/find.js";\n',
      "unknown/new.ts": 'import { find } from "../jobs/find.js";\n',
    });
    expect(arrowsAgainst(graph, toolArrows)).toEqual([
      "core -> jobs",
      "format -> core",
      "kinds/page -> kinds/computer/files",
      "unknown -> jobs",
    ]);
  });
});
