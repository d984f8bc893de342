import { fileHash } from "@ccbridge/protocol";
import type { ComputerView } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { type HostFolder, HostFolderError } from "../../../core/host-folders.js";
import { quoted } from "../../../format/set-apart.js";
import { askComputer } from "../ask.js";
import { shown } from "./common.js";
import { isMirrored, type Side } from "./sync-plan.js";
import { reasonOf } from "./sync-run.js";
import { MAX_FILE_BYTES } from "./whole-file.js";

/** A computer's disk has 1 MB by default. */
const MAX_BYTES = 16 * 1_024 * 1_024;
const LIST_PAGE = 250;
/** A disk of 1 MB has room for 2,000. */
const MAX_FILES = 20_000;

/** Belongs to one computer: its settings, and the identity file of a 0.1 agent. */
const own = new Set(["/.mcp-computer.id", "/.settings"]);

export function openHost({ hostFolders }: ToolContext, name: string, subPath: string): HostFolder {
  const known = hostFolders?.names ?? [];
  if (hostFolders === undefined || known.length === 0) {
    throw new ToolError(
      "No host folder may be mirrored: the bridge's owner has not allowed any.",
      "Ask the owner to start the bridge with CC_SYNC_FOLDERS, for example CC_SYNC_FOLDERS=scripts=/home/me/scripts.",
    );
  }
  try {
    const host = hostFolders.open(name, subPath);
    if (host !== undefined) return host;
  } catch (error) {
    throw hostProblem(error);
  }
  throw new ToolError(
    `There is no host folder ${quoted(name, 64)}.`,
    `The bridge's owner allowed: ${known.join(", ")}.`,
  );
}

function hostProblem(error: unknown): ToolError {
  return new ToolError(
    `The host folder cannot be used: ${reasonOf(error)}.`,
    "Nothing was changed. Correct folder and subPath; nothing outside the folder can be reached.",
  );
}

export async function hostFiles(host: HostFolder) {
  try {
    const { exists, files, skipped } = await host.list();
    const hashed = new Map<string, Side>();
    let bytes = 0;
    for (const { path, size } of files) {
      bytes += size;
      if (size > MAX_FILE_BYTES || !isMirrored(path)) {
        skipped.push(path);
        bytes -= size;
        continue;
      }
      if (bytes > MAX_BYTES) throw new HostFolderError(`it has more than ${MAX_BYTES} bytes`);
      const content = await host.read(path);
      hashed.set(path, { size: content.length, hash: fileHash(content) });
    }
    return { exists, files: hashed, skipped };
  } catch (error) {
    throw hostProblem(error);
  }
}

interface OnComputer {
  root: string;
  missing: boolean;
  files: Map<string, Side>;
  skipped: string[];
  freeSpace?: number | string | undefined;
  capacity?: number | undefined;
}

export async function computerFiles(
  context: ToolContext,
  computer: ComputerView,
  path: string,
): Promise<OnComputer> {
  const files = new Map<string, Side>();
  const skipped: string[] = [];
  for (let offset = 0; ; offset += LIST_PAGE) {
    const result = await askComputer(context, computer, "list-files", {
      ...{ path, recursive: true, hashes: true, missingOk: true, offset, limit: LIST_PAGE },
    });
    const prefix = result.path === "/" ? "/" : `${result.path}/`;
    for (const { path: full, isDir, size = 0, hash } of result.entries) {
      if (full === result.path) {
        throw new ToolError(
          `${shown(full)} on ${computer.name} is a file.`,
          "Name a folder instead.",
        );
      }
      if (isDir) continue;
      const relative = full.slice(prefix.length);
      const fits = full.startsWith(prefix) && isMirrored(relative) && !own.has(full);
      if (hash === undefined || !fits || size > MAX_FILE_BYTES || full.endsWith(".mcp-new")) {
        skipped.push(full);
      } else files.set(relative, { size, hash });
    }
    // A short page with more to come would never end.
    const stuck = offset + LIST_PAGE < result.total && result.entries.length < LIST_PAGE;
    if (result.cut === true || stuck || result.total > MAX_FILES) {
      throw new ToolError(
        `${shown(result.path)} on ${computer.name} has too many files.`,
        "Name a smaller folder.",
      );
    }
    if (offset + LIST_PAGE >= result.total) {
      const { freeSpace, capacity, missing = false } = result;
      return { root: result.path, missing, files, skipped, freeSpace, capacity };
    }
  }
}
