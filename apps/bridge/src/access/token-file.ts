import { readFileSync } from "node:fs";
import { readTokenLine, type TokenLine } from "./token-line.js";

const MAX_FILE_BYTES = 1_048_576;

/** A file with tokens, one a line; lines with # are comments. */
export interface TokenFile {
  readonly lines: readonly TokenLine[];
  /** What is wrong with it, each with the number of its line. Never a word of a token. */
  readonly problems: readonly string[];
}

/** Reads a file with tokens and their rights. It never throws: what fails is a problem. */
export function readTokenFile(path: string): TokenFile {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    // Node's message names the path.
    return { lines: [], problems: [`cannot read the file: ${(error as Error).message}`] };
  }
  if (content.length > MAX_FILE_BYTES) {
    return { lines: [], problems: [`${path} is larger than ${MAX_FILE_BYTES} bytes`] };
  }
  const lines: TokenLine[] = [];
  const problems: string[] = [];
  const seen = new Map<string, number>();
  for (const [index, text] of content
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) continue;
    const number = index + 1;
    const read = readTokenLine(line, `line-${number}`);
    if (typeof read === "string") problems.push(`${path}, line ${number}: ${read}`);
    else if (seen.has(read.token)) {
      problems.push(`${path}, line ${number}: the token of line ${seen.get(read.token)} again`);
    } else {
      seen.set(read.token, number);
      lines.push(read);
    }
  }
  if (lines.length === 0 && problems.length === 0) problems.push(`${path} holds no token`);
  return { lines, problems };
}
