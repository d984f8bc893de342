export const logLevels = ["DEBUG", "INFO", "WARN", "ERROR"] as const;
export type LogLevel = (typeof logLevels)[number];

export interface Log {
  debug(message: string, facts?: Facts): void;
  info(message: string, facts?: Facts): void;
  warn(message: string, facts?: Facts): void;
  error(message: string, facts?: Facts): void;
}

type Facts = Record<string, unknown>;

/** Redacting shorter secrets would blot out harmless text. */
const MIN_SECRET_LENGTH = 4;
const MAX_FACT_LENGTH = 2_000;

export interface LoggerOptions {
  write(line: string): void;
  level: LogLevel;
  secrets?: readonly string[];
}

/** Level and secrets may change at run time. */
export class Logger implements Log {
  readonly #write: (line: string) => void;
  level: LogLevel;
  #secrets: readonly string[] = [];

  constructor({ write, level, secrets = [] }: LoggerOptions) {
    this.#write = write;
    this.level = level;
    this.secrets = secrets;
  }

  set secrets(secrets: readonly string[]) {
    // Longest first: one may contain another.
    this.#secrets = secrets
      .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
      .sort((a, b) => b.length - a.length);
  }

  debug(message: string, facts?: Facts): void {
    this.#line("DEBUG", message, facts);
  }

  info(message: string, facts?: Facts): void {
    this.#line("INFO", message, facts);
  }

  warn(message: string, facts?: Facts): void {
    this.#line("WARN", message, facts);
  }

  error(message: string, facts?: Facts): void {
    this.#line("ERROR", message, facts);
  }

  #line(level: LogLevel, message: string, facts: Facts = {}): void {
    if (logLevels.indexOf(level) < logLevels.indexOf(this.level)) return;
    const details = Object.entries(facts)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => ` ${name}=${JSON.stringify(value)?.slice(0, MAX_FACT_LENGTH)}`)
      .join("");
    this.#write(`${new Date().toISOString()} ${level} ${this.#clean(`${message}${details}`)}`);
  }

  #clean(text: string): string {
    let clean = text;
    for (const secret of this.#secrets) {
      clean = clean.replaceAll(secret, "***");
      // Facts are written as JSON.
      const escaped = JSON.stringify(secret).slice(1, -1);
      if (escaped !== secret) clean = clean.replaceAll(escaped, "***");
    }
    // Game text must not forge or colour log lines.
    return clean.replace(/\p{Cc}/gu, " ");
  }
}
