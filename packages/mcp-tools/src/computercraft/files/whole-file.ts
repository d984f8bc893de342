import { fileHash, type MethodResult, type ReadFileResult } from "@ccbridge/protocol";
import { fromBase64, isSafeText, textOf, toBase64, utf8 } from "../../format/bytes.js";
import type { ToolContext } from "../../tool/define.js";
import { askComputer } from "../ask.js";
import type { Computer } from "../computer.js";

/** Larger files stay where they are: a request to a computer is at most 4 MiB, and base64 makes four bytes of three. */
export const MAX_FILE_BYTES = 3_000_000;

const READ_PAGE = 96 * 1_024;
/** More pages than a whole file has; only a computer that stalls needs them. */
const MAX_PAGES = 8 * Math.ceil(MAX_FILE_BYTES / READ_PAGE);

/** A file that cannot be read as a whole; the message is for the caller. */
export class WholeFileError extends Error {
  override readonly name = "WholeFileError";
}

/** Reads a file page by page. Throws when it grows beyond the limit or does not have the expected hash. */
export async function readWhole(
  context: ToolContext,
  computer: Computer,
  path: string,
  expectedHash?: string,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  let hash = expectedHash;
  for (let offset: number | undefined = 0; offset !== undefined; ) {
    const page: ReadFileResult = await askComputer(context, computer, "read-file", {
      path,
      offset,
      maxBytes: READ_PAGE,
    });
    hash ??= page.hash;
    const piece: Uint8Array =
      page.encoding === "base64" ? fromBase64(page.content) : utf8(page.content);
    pieces.push(piece);
    length += piece.length;
    if (length > MAX_FILE_BYTES || pieces.length > MAX_PAGES) {
      throw new WholeFileError(`it is larger than ${MAX_FILE_BYTES} bytes`);
    }
    // Otherwise a page without content would be asked for again and again.
    offset = piece.length === 0 ? undefined : page.nextOffset;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  if (fileHash(bytes) !== hash) {
    throw new WholeFileError(
      "it changed while it was being read, or has a token of the bridge in it, which does not leave the computer",
    );
  }
  return bytes;
}

/** Writes a file whole. `expectedHash` says what must be there: a hash, or "absent". */
export function writeWhole(
  context: ToolContext,
  computer: Computer,
  path: string,
  { bytes, expectedHash }: { bytes: Uint8Array; expectedHash?: string | undefined },
): Promise<MethodResult<"write-file">> {
  const text = textOf(bytes);
  return askComputer(context, computer, "write-file", {
    path,
    ...(text !== undefined && isSafeText(text)
      ? { content: text }
      : { content: toBase64(bytes), encoding: "base64" }),
    ...(expectedHash === undefined ? {} : { expectedHash }),
  });
}
