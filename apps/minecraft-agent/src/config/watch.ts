import { statSync } from "node:fs";

/** Calls back after each change of a file, also when it is written for the first time. */
export function watchConfig(path: string, pollMs: number, onChange: () => void): () => void {
  // Looked at now: watchFile starts later, and never reports a change that was made before.
  let known = stampOf(path);
  const timer = setInterval(() => {
    const now = stampOf(path);
    if (now === known) return;
    known = now;
    onChange();
  }, pollMs);
  timer.unref();
  return () => clearInterval(timer);
}

/** Differs whenever the file does, as far as the file system shows. */
function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return "";
  }
}
