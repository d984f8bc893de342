// Differences between operating systems, in one place that can be tested on any of them.
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export function stopSignals(platform: NodeJS.Platform): NodeJS.Signals[] {
  return platform === "win32" ? ["SIGINT", "SIGBREAK", "SIGHUP"] : ["SIGINT", "SIGTERM"];
}

/** Whether SIGHUP means that the terminal was closed, rather than a request to reload the files. */
export function hasLostTerminal(onTerminal: boolean): boolean {
  if (!onTerminal) return false;
  try {
    closeSync(openSync("/dev/tty", "r"));
    return false;
  } catch {
    return true;
  }
}

/** Whether two paths without links are the same: some file systems ignore case. */
export function isSamePath(a: string, b: string, platform: NodeJS.Platform): boolean {
  const mindsCase = platform !== "win32" && platform !== "darwin";
  return mindsCase ? a === b : a.toLowerCase() === b.toLowerCase();
}

const LOCK_PAUSES_MS = [10, 30, 100, 300];

export async function despiteLocks<T>(
  action: () => Promise<T>,
  platform: NodeJS.Platform,
): Promise<T> {
  for (const pauseMs of platform === "win32" ? LOCK_PAUSES_MS : []) {
    try {
      return await action();
    } catch (error) {
      const { code = "" } = error as NodeJS.ErrnoException;
      if (!["EPERM", "EACCES", "EBUSY"].includes(code)) throw error;
      await sleep(pauseMs);
    }
  }
  return action();
}
