import { statSync } from "node:fs";
import { ConfigError } from "../config/load.js";
import { type Config, ownTokens, settings } from "../config/settings.js";
import type { Logger } from "../monitor/log.js";
import { Clients } from "./clients.js";
import type { Client } from "./rights/client.js";
import { readTokenFile } from "./rights/token-file.js";
import { bareTokens, type TokenLine } from "./rights/token-line.js";

const POLL_MS = 1_000;

export interface TokenSourceOptions {
  /** Tokens of the settings. They have no limits and never change. */
  tokens: readonly string[];
  path: string;
  onReload?(outcome: { clients: number } | { problems: readonly string[] }): void;
  /** @default 1000 */
  pollMs?: number;
}

export class TokenSource {
  readonly clients: Clients;
  readonly #options: TokenSourceOptions;
  readonly #timer: NodeJS.Timeout | undefined;
  #seen: string;
  #inFile: ReadonlySet<string> = new Set();

  constructor(options: TokenSourceOptions, fail: (problems: readonly string[]) => never) {
    this.#options = options;
    const { path, tokens } = options;
    this.#seen = stampOf(path);
    const { lines, problems } = path === "" ? noFile : readTokenFile(path, tokens);
    if (problems.length > 0) fail(problems);
    this.clients = new Clients(this.#withOwn(lines));
    this.#inFile = namesOf(lines);
    if (path === "") return;
    // Polls by path instead of watching, because editors and secret stores replace the file.
    this.#timer = setInterval(() => {
      this.clients.dropExpired();
      if (stampOf(path) !== this.#seen) this.reload();
    }, options.pollMs ?? POLL_MS);
    this.#timer.unref();
  }

  /** Reads the file again. An invalid one changes nothing. */
  reload(): void {
    const { path, tokens, onReload } = this.#options;
    if (path === "") return;
    // Before reading, so that a change meanwhile is noticed by the next poll.
    this.#seen = stampOf(path);
    const { lines, problems } = readTokenFile(path, tokens);
    if (problems.length > 0) return onReload?.({ problems });
    this.clients.replace(this.#withOwn(lines));
    this.#inFile = namesOf(lines);
    onReload?.({ clients: this.clients.list().length });
  }

  /** Whether a client's token can be removed from the file. */
  isInFile({ name }: Client): boolean {
    return this.#inFile.has(name);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #withOwn(lines: readonly TokenLine[]): TokenLine[] {
    const inFile = new Set(lines.map(({ token }) => token));
    const own = bareTokens(this.#options.tokens);
    return [...own.filter(({ token }) => !inFile.has(token)), ...lines];
  }
}

function namesOf(lines: readonly TokenLine[]): ReadonlySet<string> {
  return new Set(lines.map(({ client }) => client.name));
}

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
  } catch {
    // Reading it reports the reason.
    return "";
  }
}

const noFile = { lines: [], problems: [] };

/** Opens the tokens of MCP clients. An unusable file prevents the start. */
export function openTokens(config: Config, log: Logger): TokenSource {
  const variable = settings.mcpTokensFile.env;
  const options = {
    tokens: ownTokens(config),
    path: config.mcpTokensFile,
    onReload(outcome: { clients: number } | { problems: readonly string[] }) {
      if ("problems" in outcome)
        log.error(outcome, `${variable} was not reloaded: the previous tokens stay in use`);
      else log.info(outcome, `${variable} was reloaded`);
    },
  };
  return new TokenSource(options, (problems) => {
    throw new ConfigError(problems.map((problem) => `${variable}: ${problem}`));
  });
}
