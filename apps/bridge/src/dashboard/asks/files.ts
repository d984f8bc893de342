import type { AskParams, AskResult } from "@ccbridge/protocol/dashboard";
import type { ProviderPort } from "@ccbridge/registry";
import { askProvider } from "../sight/ask-provider.js";
import { ViewError } from "../sight/error.js";

/** The largest file that the page opens, in bytes. */
const MAX_BYTES = 1_048_576;
/** More pages than such a file has; only a computer that stalls needs them. */
const MAX_PAGES = 128;

/** A whole file, put together from the pages in which it comes. */
export async function readFile(
  providers: ProviderPort,
  { key, path }: AskParams<"read-file">,
): Promise<AskResult<"read-file">> {
  const pieces: Buffer[] = [];
  let offset = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const read = await askProvider(providers, key, "read-file", { path, offset });
    const { size, hash } = read;
    const facts = { path: read.path, size, hash };
    if (size > MAX_BYTES) return { ...facts, content: null, problem: "It is larger than 1 MB." };
    pieces.push(Buffer.from(read.content, read.encoding ?? "utf8"));
    if (read.nextOffset === undefined || read.nextOffset <= offset) {
      const content = textOf(Buffer.concat(pieces));
      return { ...facts, content, problem: content === null ? "It is not text." : null };
    }
    offset = read.nextOffset;
  }
  throw new ViewError("The file could not be read to its end: it changes all the time.");
}

/** The text of bytes that are UTF-8 without NUL. */
function textOf(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null;
  }
}

export async function writeFile(
  providers: ProviderPort,
  { key, path, content, expectedHash }: AskParams<"write-file">,
): Promise<AskResult<"write-file">> {
  const isPlain = /^[\t\n\r -~]*$/.test(content);
  const { hash, size } = await askProvider(providers, key, "write-file", {
    path,
    expectedHash,
    createDirectories: true,
    // In the game a text is bytes, and these are its bytes.
    ...(isPlain ? { content } : { content: toBase64(content), encoding: "base64" }),
  });
  return { hash, size };
}

function toBase64(text: string): string {
  return Buffer.from(text, "utf8").toString("base64");
}
