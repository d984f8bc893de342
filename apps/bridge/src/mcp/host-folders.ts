import { randomUUID } from "node:crypto";
import { constants, type Stats } from "node:fs";
import { chmod, lstat, mkdir, open, readdir, realpath, rename, rm, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type HostFile,
  type HostFolder,
  HostFolderError,
  type HostFolders,
  type HostListing,
} from "@ccbridge/mcp-tools";
import { inline, quoted } from "@ccbridge/registry";
import { despiteLocks, isSamePath } from "../system.js";

const MAX_FILES = 2_000;
const MAX_FILE_BYTES = 8 * 1_024 * 1_024;

/** Never synchronized: tools run what is in them, so a computer must not write there. */
const ignored = new Set([".git", "node_modules"]);

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

const TEMPORARY = /^\.ccbridge-[0-9a-f-]{36}\.tmp$/;

/** Windows has no O_NOFOLLOW; only the check before protects there. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

/** Opens the folders of `CC_SYNC_FOLDERS`: pairs of a name and an absolute path, such as `a=/srv/a`. */
export function createHostFolders(pairs: readonly string[]): HostFolders {
  const roots = new Map(
    pairs.map((pair): [string, string] => {
      const cut = pair.indexOf("=");
      return [pair.slice(0, cut), pair.slice(cut + 1)];
    }),
  );
  return {
    names: [...roots.keys()],
    open: (name, subPath) => {
      const root = roots.get(name);
      return root === undefined ? undefined : openFolder(name, root, partsOf(subPath));
    },
  };
}

function partsOf(path: string): string[] {
  const parts = path.split("/").filter((part) => part !== "");
  const odd = parts.find(
    (part) =>
      /[\\:*?"<>|\p{Cc}]|[. ]$/u.test(part) ||
      part.length > 255 ||
      ignored.has(part.toLowerCase()) ||
      (process.platform === "win32" && DEVICE.test(part)),
  );
  if (path.startsWith("/") || odd !== undefined) {
    throw new HostFolderError(`${quoted(path, 500)} is not a path inside the folder`);
  }
  return parts;
}

function openFolder(name: string, configured: string, sub: readonly string[]): HostFolder {
  const shown = (parts: readonly string[]) => inline([name, ...sub, ...parts].join("/"), 500);

  async function root(): Promise<string> {
    try {
      return await realpath(configured);
    } catch {
      throw new HostFolderError(
        `The folder "${name}" does not exist on the bridge's machine; its owner must make it or correct CC_SYNC_FOLDERS`,
      );
    }
  }

  /** What is at a path, without following a link anywhere on the way. */
  async function locate(parts: readonly string[]): Promise<{ path: string; stats?: Stats }> {
    let path = await root();
    let stats: Stats | undefined = await lstat(path);
    for (const [index, part] of [...sub, ...parts].entries()) {
      if (stats !== undefined && !stats.isDirectory()) {
        throw new HostFolderError(
          `${inline([name, ...sub, ...parts].slice(0, index + 1).join("/"))} is not a folder`,
        );
      }
      path = join(path, part);
      stats = stats === undefined ? undefined : await statOf(path);
      if (stats?.isSymbolicLink()) {
        throw new HostFolderError(
          `${shown(parts)} is behind a symbolic link, which is not followed`,
        );
      }
    }
    return stats === undefined ? { path } : { path, stats };
  }

  async function file(path: string): Promise<string> {
    const parts = partsOf(path);
    const { path: found, stats } = await locate(parts);
    if (stats === undefined) throw new HostFolderError(`${shown(parts)} does not exist`);
    if (!stats.isFile()) throw new HostFolderError(`${shown(parts)} is not a file`);
    return found;
  }

  return {
    async list() {
      const { path, stats } = await locate([]);
      const listing: HostListing = { exists: stats !== undefined, files: [], skipped: [] };
      if (stats === undefined) return listing;
      if (!stats.isDirectory()) throw new HostFolderError(`${shown([])} is not a folder`);
      await collect(path, "", listing);
      return listing;
    },
    async read(path) {
      const handle = await open(await file(path), constants.O_RDONLY | NO_FOLLOW);
      try {
        const { size } = await handle.stat();
        if (size > MAX_FILE_BYTES)
          throw new HostFolderError(`${inline(path, 500)} is too large: ${size} bytes`);
        return await handle.readFile();
      } finally {
        await handle.close();
      }
    },
    async write(path, bytes) {
      const parts = partsOf(path);
      if (parts.length === 0) throw new HostFolderError("a file needs a name");
      const { path: found, stats } = await locate(parts);
      if (stats !== undefined && !stats.isFile()) {
        throw new HostFolderError(
          `${shown(parts)} is a folder, but a file should be written there`,
        );
      }
      const folder = dirname(found);
      await mkdir(folder, { recursive: true });
      // A symbolic link may have been created since the check.
      if (!isSamePath(await realpath(folder), folder, process.platform)) {
        throw new HostFolderError(
          `${shown(parts)} is behind a symbolic link, which is not followed`,
        );
      }
      await replace(found, bytes, stats?.mode);
    },
    async remove(path) {
      const found = await file(path);
      await despiteLocks(() => unlink(found), process.platform);
    },
  };
}

/** Writes a temporary file first: a full disk must not destroy the old content. */
async function replace(path: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const temporary = join(dirname(path), `.ccbridge-${randomUUID()}.tmp`);
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  try {
    const handle = await open(temporary, flags, 0o666);
    try {
      await handle.writeFile(bytes);
    } finally {
      await handle.close();
    }
    if (mode !== undefined) await chmod(temporary, mode & 0o777);
    await despiteLocks(() => rename(temporary, path), process.platform);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

async function statOf(path: string): Promise<Stats | undefined> {
  try {
    return await lstat(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function collect(folder: string, prefix: string, listing: HostListing): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const entry of entries) {
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory() && !ignored.has(entry.name)) {
      await collect(join(folder, entry.name), `${path}/`, listing);
    } else if (entry.isFile()) {
      if (!TEMPORARY.test(entry.name)) listing.files.push(await sized(folder, entry.name, path));
    } else listing.skipped.push(path);
    if (listing.files.length > MAX_FILES) {
      throw new HostFolderError(`the folder has more than ${MAX_FILES} files; name a sub-path`);
    }
  }
}

async function sized(folder: string, name: string, path: string): Promise<HostFile> {
  return { path, size: (await lstat(join(folder, name))).size };
}
