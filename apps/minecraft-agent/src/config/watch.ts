import { unwatchFile, watchFile } from "node:fs";

/** Calls back after each change of a file, also when it is written for the first time. */
export function watchConfig(path: string, pollMs: number, onChange: () => void): () => void {
  const listener = (now: { mtimeMs: number; size: number }, before: typeof now) => {
    if (now.mtimeMs !== before.mtimeMs || now.size !== before.size) onChange();
  };
  watchFile(path, { interval: pollMs, persistent: false }, listener);
  return () => unwatchFile(path, listener);
}
