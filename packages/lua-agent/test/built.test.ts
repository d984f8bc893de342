import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as source from "../src/index.js";

const run = promisify(execFile);
const dist = fileURLToPath(new URL("../dist/", import.meta.url));
const script = fileURLToPath(new URL("../scripts/write-ccpm.mjs", import.meta.url));

describe.skipIf(!existsSync(join(dist, "index.js")))("the built package", () => {
  it("is not behind the sources (if this fails: pnpm --filter @ccbridge/lua-agent build)", async () => {
    const built = (await import(
      /* @vite-ignore */ pathToFileURL(join(dist, "index.js")).href
    )) as typeof source;
    expect(Object.keys(built).sort()).toEqual(Object.keys(source).sort());
    expect(built.programText === source.programText).toBe(true);
    expect(built.programSha256).toBe(source.programSha256);
    expect(built.installer({ url: "http://b:1" })).toBe(source.installer({ url: "http://b:1" }));
    expect(await readFile(join(dist, "mcp-computer.lua"), "utf8")).toBe(source.programText);
  });

  it("imports nothing at run time", async () => {
    const text = await readFile(join(dist, "index.js"), "utf8");
    expect(text).not.toMatch(/^(import|export)\b.*\bfrom\b|^import\b|\bimport\(/m);
  });

  it("writes both package indexes, and refuses to change a published version", async () => {
    const target = await mkdtemp(join(tmpdir(), "ccpm-"));
    try {
      const args = [script, target, "https://example.com/ccpm"];
      const { stdout } = await run(process.execPath, args);
      expect(stdout).toContain(source.programVersion);
      const expected = source.ccpmFiles({ baseUrl: "https://example.com/ccpm" });
      for (const [path, { body }] of expected) {
        expect(await readFile(join(target, path), "utf8")).toBe(body);
      }
      await run(process.execPath, args);
      await cp(join(target, "index.json"), join(target, "before.json"));
      const published = join(target, `packages/mcp-computer/${source.programVersion}.json`);
      await writeFile(published, "{}");
      await expect(run(process.execPath, args)).rejects.toThrow("raise the version first");
      expect(await readFile(published, "utf8")).toBe("{}");
    } finally {
      await rm(target, { recursive: true });
    }
  });

  it("says how the index writer is used", async () => {
    await expect(run(process.execPath, [script])).rejects.toThrow("usage: ccpm <dir>");
  });
});
