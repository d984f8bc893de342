// The packed package in a Vite project, with the code that docs/pages.md shows.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, vi } from "vitest";
import { npm, pnpm, root } from "../../../../scripts/package-managers.mjs";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath, startChromium } from "../helpers/chromium.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";
import { spawnProgram } from "../helpers/spawn-bridge.js";

const vitest = createRequire(import.meta.url).resolve("vitest/package.json");
const vite = join(createRequire(vitest).resolve("vite/package.json"), "../bin/vite.js");
const tsc = join(root, "node_modules/typescript/bin/tsc");

const docs = readFileSync(join(root, "docs/pages.md"), "utf8");
const [, shown = ""] = /## Your own page: Vite.*?```js\n(.*?)```/s.exec(docs) ?? [];
const fromBridge = "http://127.0.0.1:8765/pages.js";

const compilerOptions = {
  target: "es2022",
  module: "esnext",
  moduleResolution: "bundler",
  lib: ["es2022", "dom"],
  ...{ strict: true, noEmit: true, types: [] },
};

/** A project with the package installed from its tarball. */
function createProject(): string {
  if (!existsSync(join(root, "packages/pages/dist/index.d.ts"))) {
    throw new Error("the packages have no types: run `pnpm -r build:types` before");
  }
  const project = scratchDirectory();
  pnpm(["pack", "--pack-destination", project], join(root, "packages/pages"));
  const [tarball = ""] = readdirSync(project);
  writeFileSync(join(project, "package.json"), JSON.stringify({ private: true, type: "module" }));
  npm(["install", "--no-audit", "--no-fund", "--offline", `./${tarball}`], project);
  mkdirSync(join(project, "src"));
  writeFileSync(
    join(project, "index.html"),
    '<!doctype html><title>Shop</title><h1>Shop</h1><script type="module" src="/src/main.ts"></script>',
  );
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  return project;
}

it.skipIf(chromiumPath === undefined)(
  `the package works in a Vite project, with types, over hot updates and built${chromiumNote}`,
  async () => {
    const project = createProject();
    const port = await freePort();
    const site = `http://127.0.0.1:${port}`;
    const bridge = await startTestBridge({ pagesOrigins: [site] });
    const code = shown
      .replace(fromBridge, "@ccbridge/pages")
      .replace("connect({", `connect({ url: "${bridge.pagesUrl}",`)
      .replace('document.querySelector("h1")', "document.querySelector('h1')!");
    expect(code).toContain('from "@ccbridge/pages"');
    const file = join(project, "src/main.ts");
    const check = () => execFileSync(process.execPath, [tsc, "-p", project], { encoding: "utf8" });
    writeFileSync(file, code.replace("= text;", "= text.toFixed();"));
    expect(check).toThrow(expect.objectContaining({ stdout: expect.stringContaining("toFixed") }));
    writeFileSync(file, code);
    expect(check()).toBe("");

    const options = ["--host", "127.0.0.1", "--port", String(port), "--strictPort"];
    const run = (...args: string[]) =>
      spawnProgram([...args, ...options], {}, [process.execPath, vite], { cwd: project });
    const server = run("dev");
    await server.line((line) => line.includes(site));
    const page = await (await startChromium()).newPage();
    await page.goto(site);
    const client = await connectClient(bridge.mcpUrl);
    const tool = async () =>
      (await client.listTools()).tools.find(({ name }) => name === "set_heading");
    const setHeading = async (text: string) => {
      const call = { name: "set_heading", arguments: { text } };
      expect(((await client.callTool(call)) as CallToolResult).isError).not.toBe(true);
      expect(await page.locator("h1").textContent()).toBe(text);
    };
    await vi.waitFor(async () => expect(await tool()).toBeDefined());
    await setHeading("Hello");

    writeFileSync(file, `${code.replace("Changes the", "Writes the")}\nimport.meta.hot?.accept();`);
    await vi.waitFor(async () => expect((await tool())?.description).toContain("Writes"));
    writeFileSync(file, `${code.replace("Changes the", "Sets the")}\nimport.meta.hot?.accept();`);
    await vi.waitFor(async () => expect((await tool())?.description).toContain("Sets"));
    expect(bridge.pages.list()).toHaveLength(1);
    await setHeading("Hot");
    await server.kill("SIGTERM");

    execFileSync(process.execPath, [vite, "build", "--logLevel", "error"], { cwd: project });
    const preview = run("preview");
    await preview.line((line) => line.includes(site));
    await page.goto(site);
    await vi.waitFor(async () => expect((await tool())?.description).toContain("Sets"));
    await setHeading("Built");
  },
);
