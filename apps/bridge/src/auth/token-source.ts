import { statSync } from "node:fs";
import { Clients } from "./clients.js";
import { readTokenFile } from "./rights/token-file.js";
import { bareTokens, type TokenLine } from "./rights/token-line.js";

/** How often the file is looked at. */
const LOOK_MS = 1_000;

export interface TokenSourceOptions {
  /** Tokens of the settings; they have no rights of their own, and never change. */
  tokens: readonly string[];
  /** The file with more of them; empty for none. */
  path: string;
  /** Told when the file was taken again, or why it was not. */
  onReload?(outcome: { clients: number } | { problems: readonly string[] }): void;
  /** @default 1000 */
  lookMs?: number;
}

/** Keeps the clients of a running bridge as its settings and its file of tokens say. */
export class TokenSource {
  readonly clients: Clients;
  readonly #options: TokenSourceOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  /** The file as it was when it was last read. */
  #seen: string;

  /** A file that cannot be used is a problem of the start. */
  constructor(options: TokenSourceOptions, fail: (problems: readonly string[]) => never) {
    this.#options = options;
    const { path, tokens } = options;
    this.#seen = stampOf(path);
    const { lines, problems } = path === "" ? noFile : readTokenFile(path, tokens);
    if (problems.length > 0) fail(problems);
    this.clients = new Clients(this.#withOwn(lines));
    if (path === "") return;
    // Looked at by name: editors and secret stores put another file in its place.
    this.#timer = setInterval(() => {
      if (stampOf(path) !== this.#seen) this.reload();
    }, options.lookMs ?? LOOK_MS);
    this.#timer.unref();
  }

  /** Reads the file again. A bad one changes nothing. */
  reload(): void {
    const { path, tokens, onReload } = this.#options;
    if (path === "") return;
    // Before it is read: what changes meanwhile is noticed the next time.
    this.#seen = stampOf(path);
    const { lines, problems } = readTokenFile(path, tokens);
    if (problems.length > 0) return onReload?.({ problems });
    this.clients.replace(this.#withOwn(lines));
    onReload?.({ clients: this.clients.list().length });
  }

  close(): void {
    clearInterval(this.#timer);
  }

  /** A token that is in both has the rights that the file gives it. */
  #withOwn(lines: readonly TokenLine[]): TokenLine[] {
    const inFile = new Set(lines.map(({ token }) => token));
    const own = bareTokens(this.#options.tokens);
    return [...own.filter(({ token }) => !inFile.has(token)), ...lines];
  }
}

/** Differs whenever the file does, as far as the file system shows. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    // Gone or out of reach: reading it says why.
    return "";
  }
}

const noFile = { lines: [], problems: [] };
