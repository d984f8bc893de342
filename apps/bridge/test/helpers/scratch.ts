import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";

export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "ccbridge-"));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

export function scratchFile(content: string | Buffer): string {
  const path = join(scratchDirectory(), "file");
  writeFileSync(path, content);
  return path;
}
