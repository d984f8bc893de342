import { readFileSync } from "node:fs";
import { bareTokens, readTokenLine, type TokenLine } from "./token-line.js";

const MAX_FILE_BYTES = 1_048_576;

/** A file with tokens, one a line; lines with # are comments. */
export interface TokenFile {
  readonly lines: readonly TokenLine[];
  /** What is wrong with it, each with the number of its line. Never a word of a token. */
  readonly problems: readonly string[];
}

/**
 * Reads a file with tokens and their rights, which come beside those of MCP_TOKENS. It never throws: what fails
 * is a problem.
 */
export function readTokenFile(path: string, own: readonly string[] = []): TokenFile {
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
  return readTokenText(path, content, own);
}

/** The same for what is, or is about to be, in the file. */
export function readTokenText(path: string, content: string, own: readonly string[]): TokenFile {
  const lines: TokenLine[] = [];
  const problems: string[] = [];
  const seen = new Map<string, number>();
  // Clients see the calls of their own name, so no two tokens have one.
  const names = new Map(
    bareTokens(own).map(({ token, client }, index) => [
      client.name,
      { token, where: `token ${index + 1} of MCP_TOKENS` },
    ]),
  );
  for (const [index, text] of content
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .entries()) {
    const line = text.trim();
    if (line === "" || line.startsWith("#")) continue;
    const number = index + 1;
    const read = readTokenLine(line, `line-${number}`);
    const bad = (problem: string) => problems.push(`${path}, line ${number}: ${problem}`);
    if (typeof read === "string") bad(read);
    else if (seen.has(read.token)) bad(`the token of line ${seen.get(read.token)} again`);
    else {
      const { token, client } = read;
      const other = names.get(client.name);
      if (other !== undefined && other.token !== token) {
        bad(`the name of ${other.where} again; each token needs its own`);
      } else names.set(client.name, { token, where: `line ${number}` });
      seen.set(token, number);
      lines.push(read);
    }
  }
  if (lines.length === 0 && problems.length === 0) problems.push(`${path} holds no token`);
  return { lines, problems };
}
