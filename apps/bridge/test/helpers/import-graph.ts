import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

export class ImportGraph extends Map<string, Set<string>> {
  readonly folders = new Set<string>();
}

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

export function importGraph(src: string): ImportGraph {
  const graph = new ImportGraph();
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join(posix.sep))
    .filter((file) => file.endsWith(".ts"))
    .sort();
  for (const file of files) {
    const module = moduleOf(file);
    const imports = graph.get(module) ?? new Set();
    graph.set(module, imports);
    if (module === posix.dirname(file)) graph.folders.add(module);
    for (const [, specifier = ""] of readFileSync(join(src, file), "utf8").matchAll(SPECIFIER)) {
      if (!specifier.startsWith(".")) continue;
      const target = relative(src, join(src, dirname(file), specifier))
        .split(sep)
        .join(posix.sep);
      if (target.startsWith("..")) continue;
      const other = moduleOf(target);
      if (other !== module) imports.add(other);
    }
  }
  return graph;
}

function moduleOf(file: string): string {
  const folder = posix.dirname(file);
  const name = posix.join(folder, posix.basename(file).replace(/\.[jt]s$/, ""));
  return folder === "." || /^kinds\/\w+\/kind$/.test(name) ? name : folder;
}

export function cycles(graph: ImportGraph): string[][] {
  const reaches = (from: string) => {
    const seen = new Set<string>();
    const open = [...(graph.get(from) ?? [])];
    for (let module = open.pop(); module !== undefined; module = open.pop()) {
      if (seen.has(module)) continue;
      seen.add(module);
      open.push(...(graph.get(module) ?? []));
    }
    return seen;
  };
  const reachable = new Map([...graph.keys()].map((module) => [module, reaches(module)]));
  const found = new Map<string, string[]>();
  for (const [module, others] of reachable) {
    if (!others.has(module)) continue;
    const circle = [...others].filter((other) => reachable.get(other)?.has(module)).sort();
    found.set(circle.join(), circle);
  }
  return [...found.values()];
}

/**
 * Imports that no rule allows, sorted. A rule names folders and what they may import; a folder
 * without a rule may import nothing, so that a new one needs a rule. Files directly in `src` may
 * import everything.
 */
export function arrowsAgainst(
  graph: ImportGraph,
  rules: readonly (readonly [folders: RegExp, mayImport: RegExp])[],
): string[] {
  const against: string[] = [];
  for (const [module, others] of graph) {
    if (!graph.folders.has(module)) continue;
    const allowed = rules.find(([folders]) => folders.test(module))?.[1];
    for (const other of others) if (!allowed?.test(other)) against.push(`${module} -> ${other}`);
  }
  return against.sort();
}

export function drawGraph(graph: ImportGraph): string {
  const lines = ["```mermaid", "flowchart LR"];
  const idOf = (module: string) => module.replace(/[^A-Za-z0-9]/g, "_");
  // An index only re-exports: its arrows would hide the others.
  const modules = [...graph]
    .filter(([module]) => module !== "index")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [module] of modules) lines.push(`  ${idOf(module)}["${module}"]`);
  for (const [module, others] of modules) {
    for (const other of [...others].sort()) lines.push(`  ${idOf(module)} --> ${idOf(other)}`);
  }
  return [...lines, "```"].join("\n");
}
