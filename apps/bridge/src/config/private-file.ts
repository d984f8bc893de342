import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes JSON atomically, readable for the owner only. */
export function writePrivately(path: string, value: object): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const scratch = `${path}.new`;
  writeFileSync(scratch, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(scratch, path);
}
