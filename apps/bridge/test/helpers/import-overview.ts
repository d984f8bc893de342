import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, posix, sep } from "node:path";
import { ImportGraph } from "./import-graph.js";

export function topFolders(src: string): string[] {
  const entries = readdirSync(src, { withFileTypes: true });
  return entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : []));
}

/**
 * The folders of the bridge, and the packages below them. Packages that import nothing are left out, and so is an arrow
 * to a package that another imported package imports: the table of packages has both.
 */
export function overview(root: string): ImportGraph {
  const bridge = join(root, "apps/bridge/src");
  const graph = new ImportGraph();
  for (const folder of topFolders(bridge)) {
    graph.set(folder, importsOf(join(bridge, folder), folder));
  }
  for (const others of graph.values()) {
    for (const name of others)
      if (!graph.has(name)) graph.set(name, importsOf(sourceOf(root, name)));
  }
  for (const [name, others] of [...graph]) {
    if (!name.startsWith("@") || others.size > 0) continue;
    graph.delete(name);
    for (const importers of graph.values()) importers.delete(name);
  }
  for (const others of graph.values()) {
    const implied = [...others].flatMap((name) =>
      name.startsWith("@") ? [...(graph.get(name) ?? [])] : [],
    );
    for (const name of implied) others.delete(name);
  }
  return graph;
}

function sourceOf(root: string, name: string): string {
  const folder = name.replace("@ccbridge/", "");
  const places = [`packages/${folder}/src`, `apps/${folder}/src`].map((place) => join(root, place));
  return places.find((place) => existsSync(place)) ?? root;
}

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

function importsOf(folder: string, own?: string): Set<string> {
  const found = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const file = posix.join(own ?? "", name.split(sep).join(posix.sep));
    for (const [, target = ""] of readFileSync(join(folder, name), "utf8").matchAll(SPECIFIER)) {
      const [scope, unit] = target.split("/");
      if (scope === "@ccbridge") found.add(`@ccbridge/${unit}`);
      if (own === undefined || !target.startsWith(".")) continue;
      const [other = "", ...rest] = posix.join(posix.dirname(file), target).split("/");
      if (other !== own && rest.length > 0) found.add(other);
    }
  }
  return found;
}
