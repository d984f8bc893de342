import { execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { pnpm } from "../../../scripts/package-managers.mjs";

const packageRoot = fileURLToPath(new URL("..", import.meta.url));
const installed = (project: string) => join(project, "node_modules/@ccbridge/protocol");

describe("the packed package", () => {
  let project: string;

  beforeAll(() => {
    if (!existsSync(join(packageRoot, "dist/index.js"))) {
      throw new Error("packages/protocol/dist is missing: run `pnpm build` before this test");
    }
    // Outside the repository, so that no workspace package is resolved by accident.
    project = realpathSync(mkdtempSync(join(tmpdir(), "ccbridge-packed-")));
    pnpm(["pack", "--pack-destination", project], packageRoot);
    const tarball = readdirSync(project).find((name) => name.endsWith(".tgz")) ?? "";
    mkdirSync(installed(project), { recursive: true });
    execFileSync("tar", ["-xzf", tarball, "-C", installed(project), "--strip-components=1"], {
      cwd: project,
    });
    makeDeclarations();
    const zod = dirname(createRequire(import.meta.url).resolve("zod/package.json"));
    symlinkSync(realpathSync(zod), join(project, "node_modules/zod"), "junction");
    writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  });

  afterAll(() => {
    if (project !== undefined) rmSync(project, { recursive: true, force: true });
  });

  /** Only a publishing build emits declarations, so build again into the installed package. */
  function makeDeclarations(): void {
    const tsup = createRequire(import.meta.url).resolve("tsup/dist/cli-default.js");
    const target = join(installed(project), "dist");
    const args = ["--no-clean", "--silent", "--out-dir", target];
    execFileSync(process.execPath, [tsup, ...args], { cwd: packageRoot, stdio: "pipe" });
  }

  function node(script: string): unknown {
    const path = join(project, "script.js");
    writeFileSync(path, script);
    const output = execFileSync(process.execPath, [path], { cwd: project, encoding: "utf8" });
    return JSON.parse(output);
  }

  function typecheck(sources: Record<string, string>): string {
    for (const [name, source] of Object.entries(sources)) {
      writeFileSync(join(project, name), source);
    }
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
    const flags = "--noEmit --strict --skipLibCheck --module nodenext --target es2022".split(" ");
    const args = [tsc, ...flags, ...Object.keys(sources)];
    return spawnSync(process.execPath, args, { cwd: project, encoding: "utf8" }).stdout;
  }

  it("names versions that exist outside of the workspace", () => {
    const text = readFileSync(join(installed(project), "package.json"), "utf8");
    expect(text).not.toMatch(/catalog:|workspace:|@ccbridge\/source/);
    const { dependencies } = JSON.parse(text) as { dependencies: Record<string, string> };
    expect(dependencies).toEqual({ zod: expect.stringMatching(/^[\^~]?\d+\.\d+\.\d+$/) });
  });

  it("contains the built files and the golden frames, and no sources", () => {
    const files = readdirSync(installed(project)).sort();
    expect(files).toEqual(expect.arrayContaining(["dist", "fixtures", "package.json"]));
    expect(files).not.toContain("src");
    expect(files).not.toContain("test");
  });

  it("encodes and decodes a frame in plain Node", () => {
    const decoded = node(`
      import { decodeAgentFrame, encodeFrame } from "@ccbridge/protocol";
      const text = encodeFrame({ type: "hello", computerId: 12, computerLabel: "base" });
      console.log(JSON.stringify(decodeAgentFrame(text)));
    `);
    expect(decoded).toMatchObject({
      ok: true,
      frame: { type: "hello", computerId: 12, computerLabel: "base" },
    });
  });

  it("has types that fit its use and refuse its misuse", () => {
    const errors = typecheck({
      "use.ts": `
        import { type AgentFrame, decodeAgentFrame, encodeFrame } from "@ccbridge/protocol";
        const decoded = decodeAgentFrame(encodeFrame({ type: "request", id: "1", method: "ping" }));
        export const frame: AgentFrame | undefined = decoded.ok ? decoded.frame : undefined;
        export const reason: string = decoded.ok ? "" : decoded.reason;
      `,
      "misuse.ts": `
        import { decodeAgentFrame } from "@ccbridge/protocol";
        export const frame = decodeAgentFrame(5);
      `,
    });
    expect(errors.trim().split("\n")).toEqual([
      expect.stringMatching(/^misuse\.ts\(3,47\): error TS2345/),
    ]);
  });
});
