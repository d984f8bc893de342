import { fileHash } from "@ccbridge/protocol";
import type { KeptState } from "@ccbridge/registry";
import { ToolError } from "../../../core/errors.js";
import type { Computer } from "../computer.js";
import { type AskContext, request } from "../request.js";
import { readWholeFile } from "../whole-file.js";

/** As large as the disk of a computer is by default. */
const MAX_KEPT_BYTES = 1_048_576;
/** Of a folder that is deleted or moved. */
const MAX_KEPT_FILES = 200;
const MAX_KEPT_FOLDER_BYTES = 4 * MAX_KEPT_BYTES;

export const ABSENT: KeptState = { absent: true };

export interface FileNow {
  /** As the computer writes it. */
  readonly path: string;
  readonly state: KeptState;
  readonly content?: Uint8Array;
  /** Why its content is not here, although there is a file. */
  readonly problem?: string;
}

/** What expectedHash must say so that nothing but this is replaced. Undefined where that cannot be said. */
export function hashOf({ absent, hash }: KeptState): string | undefined {
  if (absent === true) return "absent";
  return typeof hash === "string" ? hash : undefined;
}

export function isFolder({ folder }: KeptState): boolean {
  return folder === true;
}

export function stateOf(bytes: Uint8Array): KeptState {
  return { size: bytes.length, hash: fileHash(bytes) };
}

/** Reads what is there: most often one request, two where there is nothing. */
export async function fileNow(
  context: AskContext,
  computer: Computer,
  path: string,
): Promise<FileNow> {
  try {
    const found = await readWholeFile(context, computer, path, { maxBytes: MAX_KEPT_BYTES });
    const { path: named, size, hash, content } = found;
    const state = { size, hash };
    return "problem" in content
      ? { path: named, state, problem: content.problem }
      : { path: named, state, content };
  } catch (error) {
    // The computer says why in words only, so what is there is asked for.
    if (!(error instanceof ToolError)) throw error;
    return await listedFile(context, computer, path, error);
  }
}

/** What there is of a file that could not be read. */
export async function listedFile(
  context: AskContext,
  computer: Computer,
  path: string,
  { message }: ToolError,
): Promise<FileNow> {
  const params = { path, missingOk: true, hashes: true, limit: 1 };
  const found = await request(context, computer, "list-files", params);
  if (found.missing === true) return { path: found.path, state: ABSENT };
  const own = found.entries.find((entry) => entry.path === found.path && !entry.isDir);
  if (own === undefined) return { path: found.path, state: { folder: true } };
  const { size = 0, hash } = own;
  const state = hash === undefined ? { size } : { size, hash };
  return { path: found.path, state, problem: message };
}

export interface Tree {
  readonly files: readonly FileNow[];
  readonly hash: string;
  /** Why not all of it is here. */
  readonly problem?: string;
}

/** All files in a folder; their contents too if they are wanted. */
export async function treeNow(
  context: AskContext,
  computer: Computer,
  path: string,
  { contents }: { contents: boolean },
): Promise<Tree> {
  const params = { path, recursive: true, hashes: true, limit: 1_000 };
  const {
    entries,
    total,
    files: count,
    bytes,
    cut,
  } = await request(context, computer, "list-files", params);
  const lines = entries.map(
    (entry) => `${entry.path}\n${entry.isDir ? "" : (entry.hash ?? "?")}\n`,
  );
  const hash = stateOf(new TextEncoder().encode(lines.join(""))).hash as string;
  const isLarge = contents && bytes > MAX_KEPT_FOLDER_BYTES;
  if (count > MAX_KEPT_FILES || total > entries.length || cut === true || isLarge) {
    const problem = isLarge
      ? `the files in the folder were too large to keep (${bytes} bytes)`
      : `the folder had more than ${MAX_KEPT_FILES} files (${count})`;
    return { files: [], hash, problem };
  }
  const files: FileNow[] = [];
  for (const { path: file, isDir, size = 0, hash: known } of entries) {
    if (isDir) continue;
    const state = known === undefined ? { size } : { size, hash: known };
    files.push(contents ? await fileNow(context, computer, file) : { path: file, state });
  }
  return { files, hash };
}
