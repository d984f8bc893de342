import pino from "pino";
import type { Logger } from "../../src/index.js";

export function recordingLogger(): { log: Logger; lines(): Record<string, unknown>[] } {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines: () => lines };
}
