import type { Dirent } from "node:fs";
import { readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

const FILE = "computercraft-server.toml";

const MAX_DEPTH = 7;
/** Bounds the search when a folder was named by mistake, such as a whole disk. */
const MAX_FOLDERS = 20_000;

// Forge and Fabric have the file in each world. NeoForge since 1.20.5 has it in the folder of the
// game or server, where a world's own file takes precedence. New worlds start with a copy of the
// defaults.
const places = { serverconfig: "world", config: "game", defaultconfigs: "new worlds" } as const;

/** Large folders that never contain a configuration. */
const skipped = new Set(
  "advancements assets backups cache crash-reports datapacks dim-1 dim1 dimensions entities generated libraries logs mods natives node_modules playerdata poi region resourcepacks runtime screenshots shaderpacks stats texturepacks versions".split(
    " ",
  ),
);

export interface FoundConfig {
  path: string;
  scope: (typeof places)[keyof typeof places];
}

export interface Search {
  configs: FoundConfig[];
  /** The search was stopped at a limit, so there may be more. */
  isPartial: boolean;
}

/** Finds ComputerCraft's server configurations in folders and their subfolders, each once. */
export async function findConfigs(folders: readonly string[]): Promise<Search> {
  const search: Search = { configs: [], isPartial: false };
  const seen = new Set<string>();
  const visit = async (folder: string, depth: number): Promise<void> => {
    if (seen.size >= MAX_FOLDERS) search.isPartial = true;
    if (depth > MAX_DEPTH || search.isPartial) return;
    // Links are followed, as worlds are often on another disk; each folder is entered once.
    const real = await realpath(folder).catch(() => undefined);
    if (real === undefined || seen.has(real)) return;
    seen.add(real);
    const entries = await readdir(real, { withFileTypes: true }).catch((): Dirent[] => []);
    const name = real.split(/[\\/]/).at(-1)?.toLowerCase() ?? "";
    // A folder given by the user may have any name.
    if ((isPlace(name) || depth === 0) && entries.some((entry) => entry.name === FILE)) {
      search.configs.push({
        path: join(real, FILE),
        scope: isPlace(name) ? places[name] : "world",
      });
    }
    // Mods have hundreds of folders there.
    if (isPlace(name) && depth > 0) return;
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      if (skipped.has(entry.name.toLowerCase())) continue;
      const path = join(real, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(path)))) {
        await visit(path, depth + 1);
      }
    }
  };
  for (const folder of folders) {
    await visit(basename(folder) === FILE ? dirname(folder) : folder, 0);
  }
  return search;
}

function isPlace(name: string): name is keyof typeof places {
  return Object.hasOwn(places, name);
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
