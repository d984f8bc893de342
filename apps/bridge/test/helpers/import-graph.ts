import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative, sep } from "node:path";

/**
 * Which room imports which: a room is a folder below `src`, or a file that composes others, in `src` itself or as the
 * `kind.ts` of a kind.
 */
export class ImportGraph extends Map<string, Set<string>> {
  /** The rooms that are folders. */
  readonly folders = new Set<string>();
}

const SPECIFIER = /(?:\bfrom|\bimport)\s*\(?\s*"([^"]+)"/g;

/** Reads the real imports of a source folder, those of types included. */
export function importGraph(src: string): ImportGraph {
  const graph = new ImportGraph();
  const files = readdirSync(src, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join(posix.sep))
    .filter((file) => file.endsWith(".ts"))
    .sort();
  for (const file of files) {
    const room = roomOf(file);
    const imports = graph.get(room) ?? new Set();
    graph.set(room, imports);
    if (room === posix.dirname(file)) graph.folders.add(room);
    for (const [, specifier = ""] of readFileSync(join(src, file), "utf8").matchAll(SPECIFIER)) {
      if (!specifier.startsWith(".")) continue;
      const target = relative(src, join(src, dirname(file), specifier))
        .split(sep)
        .join(posix.sep);
      if (target.startsWith("..")) continue;
      const other = roomOf(target);
      if (other !== room) imports.add(other);
    }
  }
  return graph;
}

function roomOf(file: string): string {
  const folder = posix.dirname(file);
  const name = posix.join(folder, posix.basename(file).replace(/\.[jt]s$/, ""));
  return folder === "." || /^kinds\/\w+\/kind$/.test(name) ? name : folder;
}

/** Rooms that import each other, directly or in a circle; each circle once, sorted. */
export function cycles(graph: ImportGraph): string[][] {
  const reaches = (from: string) => {
    const seen = new Set<string>();
    const open = [...(graph.get(from) ?? [])];
    for (let room = open.pop(); room !== undefined; room = open.pop()) {
      if (seen.has(room)) continue;
      seen.add(room);
      open.push(...(graph.get(room) ?? []));
    }
    return seen;
  };
  const reachable = new Map([...graph.keys()].map((room) => [room, reaches(room)]));
  const found = new Map<string, string[]>();
  for (const [room, others] of reachable) {
    if (!others.has(room)) continue;
    const circle = [...others].filter((other) => reachable.get(other)?.has(room)).sort();
    found.set(circle.join(), circle);
  }
  return [...found.values()];
}

/**
 * Imports that no rule allows, sorted. A rule names rooms and what they may import; a folder that no rule
 * names may import nothing, so that a new one cannot slip in. Files in `src` itself put the rooms together
 * and may import all.
 */
export function arrowsAgainst(
  graph: ImportGraph,
  rules: readonly (readonly [rooms: RegExp, mayImport: RegExp])[],
): string[] {
  const against: string[] = [];
  for (const [room, others] of graph) {
    if (!graph.folders.has(room)) continue;
    const allowed = rules.find(([rooms]) => rooms.test(room))?.[1];
    for (const other of others) if (!allowed?.test(other)) against.push(`${room} -> ${other}`);
  }
  return against.sort();
}

/** The graph as a Mermaid drawing. */
export function drawGraph(graph: ImportGraph): string {
  const lines = ["```mermaid", "flowchart LR"];
  const idOf = (room: string) => room.replace(/[^A-Za-z0-9]/g, "_");
  // An index only re-exports: its arrows would hide the others.
  const rooms = [...graph]
    .filter(([room]) => room !== "index")
    .sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [room] of rooms) lines.push(`  ${idOf(room)}["${room}"]`);
  for (const [room, others] of rooms) {
    for (const other of [...others].sort()) lines.push(`  ${idOf(room)} --> ${idOf(other)}`);
  }
  return [...lines, "```"].join("\n");
}
