import { chmodSync, closeSync, existsSync, mkdirSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { HistoryDatabase } from "./database.js";
import { Engine, type EngineName, isDamage } from "./engine.js";

export interface Opened {
  readonly database: HistoryDatabase;
  readonly engine: EngineName;
  /** Where a damaged file was put. */
  readonly setAside: string | undefined;
}

/** Opens a history file, for its owner only. Undefined when no engine is installed; throws when it cannot be opened. */
export function openDatabase(file: string, wanted?: EngineName): Opened | undefined {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  try {
    return open(file, wanted, undefined);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return open(file, wanted, setAside(file));
  }
}

function open(file: string, wanted: EngineName | undefined, aside: string | undefined) {
  closeSync(openSync(file, "a", 0o600));
  // An existing file may have other permissions. SQLite gives them to its other files too.
  if (process.platform !== "win32") chmodSync(file, 0o600);
  const engine = Engine.open(file, wanted);
  if (engine === undefined) return undefined;
  try {
    return { database: new HistoryDatabase(engine), engine: engine.name, setAside: aside };
  } catch (error) {
    engine.close();
    throw error;
  }
}

/** Moves a damaged file away: it may be repaired. */
export function setAside(file: string): string {
  const aside = `${file}.damaged-${new Date().toISOString().replace(/\D/g, "").slice(0, 14)}`;
  for (const part of ["", "-wal", "-shm"])
    if (existsSync(file + part)) renameSync(file + part, aside + part);
  return aside;
}
