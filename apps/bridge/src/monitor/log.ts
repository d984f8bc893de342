import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

export interface LoggerOptions {
  level: string;
  /** 1 for stdout, 2 for stderr: in stdio mode stdout belongs to the MCP client. */
  fd: 1 | 2;
  pretty: boolean;
}

/** Readable on a terminal, JSON lines otherwise. */
export async function createLogger({ level, fd, pretty }: LoggerOptions): Promise<Logger> {
  return pino({ level, base: null }, await destination(fd, pretty));
}

async function destination(fd: 1 | 2, pretty: boolean): Promise<DestinationStream> {
  if (!pretty) return new LogLines(pino.destination({ dest: fd, sync: true }));
  const { default: prettyStream } = await import("pino-pretty");
  return prettyStream({ destination: fd, sync: true, translateTime: "SYS:HH:MM:ss" });
}

const GATHER_MS = 50;
const GATHER_LENGTH = 16_384;
const WARN = 40;

/**
 * Buffers lines briefly: every call of a tool is logged, and a write for each would delay its
 * response. Warnings are written at once, with the lines before them, and nothing is lost at a
 * normal exit.
 */
export class LogLines implements DestinationStream {
  /** Set by pino before each write. */
  lastLevel = 0;
  readonly #destination: DestinationStream;
  #lines = "";
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(destination: DestinationStream) {
    this.#destination = destination;
    Object.assign(this, { [Symbol.for("pino.metadata")]: true });
    process.once("exit", () => this.flush());
  }

  write(line: string): void {
    this.#lines += line;
    if (this.lastLevel >= WARN || this.#lines.length >= GATHER_LENGTH) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), GATHER_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === "") return;
    const lines = this.#lines;
    this.#lines = "";
    this.#destination.write(lines);
  }
}

export function silentLogger(): Logger {
  return pino({ level: "silent" });
}
