import pino, { type DestinationStream, type Logger } from "pino";

export type { Logger };

export interface LoggerOptions {
  level: string;
  /** 1 for stdout, 2 for stderr: in stdio mode stdout belongs to the MCP client. */
  fd: 1 | 2;
  /** Whether a person reads along. */
  pretty: boolean;
}

/** Readable on a terminal, JSON lines otherwise. Written at once: nothing is lost at exit. */
export async function createLogger({ level, fd, pretty }: LoggerOptions): Promise<Logger> {
  return pino({ level, base: null }, await destination(fd, pretty));
}

async function destination(fd: 1 | 2, pretty: boolean): Promise<DestinationStream> {
  if (!pretty) return pino.destination({ dest: fd, sync: true });
  const { default: prettyStream } = await import("pino-pretty");
  return prettyStream({ destination: fd, sync: true, translateTime: "SYS:HH:MM:ss" });
}

/** For tests and embedders that want silence. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}
