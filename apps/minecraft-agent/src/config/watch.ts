import { statSync } from "node:fs";

export function watchConfig(path: string, pollMs: number, onChange: () => void): () => void {
  // Read now: watchFile starts later and misses changes until then.
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

function stampOf(path: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    return "";
  }
}
