import { fileHash } from "@ccbridge/protocol";
import { type ComputerView, LinkError } from "@ccbridge/registry";
import type { ToolContext } from "../../../core/define.js";
import { ToolError } from "../../../core/errors.js";
import { type HostFolder, HostFolderError } from "../../../core/kind-services.js";
import { inline, quoted } from "../../../format/set-apart.js";
import type { Computer } from "../computer.js";
import { askComputer } from "../undo/ask.js";
import { writeWhole } from "../undo/write-whole.js";
import { MAX_FILE_BYTES, readWhole, WholeFileError } from "../whole-file.js";
import { shown } from "./common.js";

export interface Side {
  size: number;
  hash: string;
}

export type Files = ReadonlyMap<string, Side>;

export interface Plan {
  create: string[];
  update: string[];
  extra: string[];
  unchanged: number;
  bytes: number;
  growth: number;
}

/** The game charges at least 500 bytes a file. */
const counted = (size: number): number => Math.max(500, size);

export function plan(source: Files, target: Files): Plan {
  const result: Plan = { create: [], update: [], extra: [], unchanged: 0, bytes: 0, growth: 0 };
  for (const [path, { size, hash }] of source) {
    const there = target.get(path);
    if (there?.hash === hash) {
      result.unchanged += 1;
      continue;
    }
    (there === undefined ? result.create : result.update).push(path);
    result.bytes += size;
    result.growth += counted(size) - (there === undefined ? 0 : counted(there.size));
  }
  for (const path of target.keys()) if (!source.has(path)) result.extra.push(path);
  return result;
}

/** Never mirrored: host tools execute their contents. */
const ignored = new Set([".git", "node_modules"]);

/** The game and host file systems refuse some characters. */
export function isMirrored(path: string): boolean {
  return path
    .split("/")
    .every(
      (part) =>
        part === part.trim() &&
        !/[.]$|["*:<>?|\\\p{Cc}]/u.test(part) &&
        part !== "" &&
        !ignored.has(part.toLowerCase()) &&
        new TextEncoder().encode(part).length <= 200,
    );
}

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

/** Clients time out after 60 s; the next call continues. */
const ENOUGH_MS = 40_000;

export interface Run {
  done: number;
  error: string | undefined;
  space?: { freeSpace?: number | string | undefined; capacity?: number | undefined };
}

export interface Work {
  context: ToolContext;
  computer: Computer;
  host: HostFolder;
  root: string;
  onHost: Files;
  onComputer: Files;
  toComputer: boolean;
  steps: Plan;
  remove: readonly string[];
}

export async function carryOut(work: Work, run: Run): Promise<void> {
  const { context, steps, remove, toComputer } = work;
  const deadline = performance.now() + ENOUGH_MS;
  const copies = [...steps.create, ...steps.update];
  const total = copies.length + remove.length;
  for (const [index, file] of [...copies, ...remove].entries()) {
    if ((context.gone ?? context.signal).aborted) return;
    if (performance.now() > deadline) {
      run.error = "It takes long, so this call stops here.";
      return;
    }
    context.progress?.(`${index + 1} of ${total}: ${shown(file)}`);
    try {
      if (index >= copies.length) await (toComputer ? deleteThere : deleteHere)(work, file, run);
      else await (toComputer ? copyThere : copyHere)(work, file, run);
    } catch (error) {
      run.error = `${shown(file)}: ${reasonOf(error)}`;
      return;
    }
    run.done += 1;
  }
}

export function reasonOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return ownErrors.some((own) => error instanceof own) ? message : inline(message, 500);
}

const ownErrors = [ToolError, LinkError, HostFolderError, WholeFileError];

export const absolute = (root: string, file: string) =>
  root === "/" ? `/${file}` : `${root}/${file}`;

async function copyThere(
  { context, computer, host, root, onComputer }: Work,
  file: string,
  run: Run,
) {
  run.space = await writeWhole(context, computer, absolute(root, file), {
    bytes: await host.read(file),
    expectedHash: onComputer.get(file)?.hash ?? "absent",
  });
}

async function deleteThere({ context, computer, root, onComputer }: Work, file: string, run: Run) {
  const expectedHash = onComputer.get(file)?.hash;
  const path = absolute(root, file);
  const result = await askComputer(context, computer, "delete-file", { path, expectedHash });
  run.space = result;
}

async function copyHere({ context, computer, host, root, onComputer }: Work, file: string) {
  const wanted = onComputer.get(file)?.hash;
  await host.write(file, await readWhole(context, computer, absolute(root, file), wanted));
}

async function deleteHere({ host }: Work, file: string) {
  await host.remove(file);
}
