import { fileHash, type ReadFileResult } from "@ccbridge/protocol";
import { fromBase64, utf8 } from "../../format/bytes.js";
import type { Computer } from "./computer.js";
import { type AskContext, request } from "./request.js";

/** A request is at most 4 MiB, and base64 adds a third. */
export const MAX_FILE_BYTES = 3_000_000;

const READ_PAGE = 96 * 1_024;
const MAX_PAGES = 8 * Math.ceil(MAX_FILE_BYTES / READ_PAGE);

export class WholeFileError extends Error {
  override readonly name = "WholeFileError";
}

export interface WholeFile {
  readonly path: string;
  readonly size: number;
  readonly hash: string;
  readonly content: Uint8Array | { readonly problem: string };
}

export interface WholeFileOptions {
  /** Without it, the hash of the first page. */
  readonly expectedHash?: string | undefined;
  readonly maxBytes?: number | undefined;
  /**
   * Accept redacted bridge secrets, for a person who reads the file. Otherwise pages are joined
   * only with the right hash.
   */
  readonly mayLackSecrets?: boolean | undefined;
}

/** Throws when the file exceeds the limit or does not have the expected hash. */
export async function readWhole(
  context: AskContext,
  computer: Computer,
  path: string,
  expectedHash?: string,
): Promise<Uint8Array> {
  const { content } = await readWholeFile(context, computer, path, { expectedHash });
  if ("problem" in content) throw new WholeFileError(content.problem);
  return content;
}

/** Like readWhole, with the file's facts even when its bytes cannot be read. */
export async function readWholeFile(
  context: AskContext,
  computer: Computer,
  path: string,
  { expectedHash, maxBytes = MAX_FILE_BYTES, mayLackSecrets = false }: WholeFileOptions = {},
): Promise<WholeFile> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let first: ReadFileResult | undefined;
  let isTooLarge = false;
  for (let offset: number | undefined = 0; offset !== undefined && !isTooLarge; ) {
    const page: ReadFileResult = await request(context, computer, "read-file", {
      path,
      offset,
      maxBytes: READ_PAGE,
    });
    first ??= page;
    const piece: Uint8Array =
      page.encoding === "base64" ? fromBase64(page.content) : utf8(page.content);
    pieces.push(piece);
    length += piece.length;
    isTooLarge = Math.max(length, page.size) > maxBytes || pieces.length > MAX_PAGES;
    // Otherwise an empty page would be requested forever.
    offset = piece.length === 0 ? undefined : page.nextOffset;
  }
  const { path: named = path, size = length, hash = "" } = first ?? {};
  const facts = { path: named, size, hash };
  if (isTooLarge) return { ...facts, content: { problem: `it is larger than ${maxBytes} bytes` } };
  const bytes = joined(pieces, length);
  const isOneAnswer = mayLackSecrets && pieces.length === 1;
  if (isOneAnswer || fileHash(bytes) === (expectedHash ?? hash)) {
    return { ...facts, content: bytes };
  }
  const problem =
    "it changed while it was being read, or has a token of the bridge in it, which does not leave the computer";
  return { ...facts, content: { problem } };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
