import { readFileSync } from "node:fs";
import { bareTokens, readTokenLine, type TokenLine } from "./token-line.js";

const MAX_FILE_BYTES = 1_048_576;

export interface TokenFile {
  readonly lines: readonly TokenLine[];
  /** With line numbers, without any part of a token. */
  readonly problems: readonly string[];
}

/**
 * Reads a file with tokens and their rights, in addition to MCP_TOKENS. Never throws: failures are
 * listed in `problems`.
 */
export function readTokenFile(path: string, own: readonly string[] = []): TokenFile {
  let content: string;
  try {
    content = readFileSync(path, "utf8");
  } catch (error) {
    // Node's message contains the path.
    return { lines: [], problems: [`cannot read the file: ${(error as Error).message}`] };
  }
  if (content.length > MAX_FILE_BYTES) {
    return { lines: [], problems: [`${path} is larger than ${MAX_FILE_BYTES} bytes`] };
  }
  return readTokenText(path, content, own);
}

/** Like {@link readTokenFile}, for content that may not be written yet. */
export function readTokenText(path: string, content: string, own: readonly string[]): TokenFile {
  const lines: TokenLine[] = [];
  const problems: string[] = [];
  const seen = new Map<string, number>();
  // Clients see the calls made under their name, so names are unique.
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
