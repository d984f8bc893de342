import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it, onTestFinished } from "vitest";

it("is one file without imports that takes less than 5 KB gzipped", () => {
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-pages-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const tsup = createRequire(import.meta.url).resolve("tsup/dist/cli-default.js");
  const cwd = fileURLToPath(new URL("..", import.meta.url));
  execFileSync(process.execPath, [tsup, "--silent", "--no-dts", "--out-dir", folder], { cwd });
  const built = readFileSync(join(folder, "index.js"));
  expect(String(built)).not.toMatch(/\bimport\b|\bfrom\s*["']/);
  expect(gzipSync(built).length).toBeLessThan(5 * 1_024);
});
