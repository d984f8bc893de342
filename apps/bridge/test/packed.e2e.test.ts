import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { npm, npmCommand, pnpm, publicPackages, root } from "../../../scripts/package-managers.mjs";
import { fill, texts } from "../../../vitest.texts.js";
import { startLocalRegistry } from "./helpers/local-registry.js";
import { scratchDirectory } from "./helpers/scratch.js";
import { cleanEnv, health, spawnBridge, spawnProgram } from "./helpers/spawn-bridge.js";

const packages = publicPackages();
/** By path, because neither checker exports its command. */
const checker = (file: string) => join(root, "node_modules", file);
const checkers: Record<string, (tarball: string) => string[]> = {
  publint: (tarball) => [checker("publint/src/cli.js"), "run", tarball, "--strict"],
  attw: (tarball) => [
    ...[checker("@arethetypeswrong/cli/dist/index.js"), tarball],
    ...["--profile", "esm-only", "--no-color", "--quiet"],
    // The program itself: it exports nothing.
    ...["--exclude-entrypoints", "main"],
  ],
};

describe("the packages, packed and installed into an empty folder", () => {
  let project: string;

  beforeAll(() => {
    if (!existsSync(join(root, "packages/protocol/dist/index.d.ts"))) {
      throw new Error("the packages have no types: run `pnpm -r build:types` before");
    }
    // Outside the repository, so that nothing of the workspace is found by accident.
    project = realpathSync(mkdtempSync(join(tmpdir(), "ccbridge-installed-")));
    for (const { path } of packages) pnpm(["pack", "--pack-destination", project], path);
    writeFileSync(join(project, "package.json"), JSON.stringify({ private: true }));
    const tarballs = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    expect(tarballs).toHaveLength(packages.length);
    const quietly = ["--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"];
    npm(["install", ...quietly, ...tarballs.map((name) => `./${name}`)], project);
  });

  afterAll(() => {
    if (project !== undefined) rmSync(project, { recursive: true, force: true });
  });

  const installed = (name: string) => join(project, "node_modules", name);
  const manifestOf = (name: string) =>
    JSON.parse(readFileSync(join(installed(name), "package.json"), "utf8"));
  const command = () => [process.execPath, join(installed("ccbridge"), "bin/ccbridge.js")];

  it("run by `npx ccbridge` alone, in an empty folder on a machine that never saw them", async () => {
    const folder = scratchDirectory();
    const registry = await startLocalRegistry(
      packages.map(({ name }) => {
        const manifest = manifestOf(name);
        const file = `${name.replace("@", "").replace("/", "-")}-${manifest.version}.tgz`;
        return { name, manifest, tarball: join(project, file) };
      }),
      npm(["config", "get", "registry"], project).trim(),
    );
    onTestFinished(() => registry.close());
    const [file = "", ...first] = [...npmCommand("npx"), "-y", "ccbridge"];
    const env = cleanEnv({
      npm_config_registry: registry.url,
      npm_config_cache: scratchDirectory(),
    });
    const run = async (...args: string[]) =>
      (await promisify(execFile)(file, [...first, ...args], { cwd: folder, env })).stdout;

    expect((await run("--version")).trim()).toBe(manifestOf("ccbridge").version);
    const config = JSON.parse(await run("--print-client-config", "claude-desktop"));
    expect(config.mcpServers.ccbridge.args.slice(-3)).toEqual(["-y", "ccbridge", "--stdio"]);

    const ports = { MCP_PORT: "0", CC_LINK_PORT: "0" };
    const transport = new StdioClientTransport({
      command: file,
      args: [...first, "--stdio"],
      env: { ...env, ...ports },
      cwd: folder,
      stderr: "ignore",
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("exec-lua");
    await client.close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it.each(packages)("$name has what npm shows and the licence asks for", ({ name, path }) => {
    const manifest = manifestOf(name);
    expect(manifest.repository.directory).toBe(relative(root, path));
    expect(manifest.keywords.length).toBeGreaterThan(3);
    expect(manifest).toMatchObject({
      license: "MIT",
      homepage: expect.stringMatching(/^https:\/\/github\.com\/.+#readme$/),
      bugs: expect.stringMatching(/^https:\/\/github\.com\/.+\/issues$/),
    });
    const licence = readFileSync(join(installed(name), "LICENSE"), "utf8");
    expect(licence).toBe(readFileSync(join(root, "LICENSE"), "utf8"));
    // npm has no other files of the repository, so each link names a place on the web.
    const readme = readFileSync(join(installed(name), "README.md"), "utf8");
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = ""]) => target);
    expect(links.filter((target) => !/^https:\/\/|^#/.test(target))).toEqual([]);
    const files = links.flatMap(
      (target) => /ccbridge\/blob\/main\/([^#]+)/.exec(target)?.[1] ?? [],
    );
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  it("hold no sources, no tests and no versions of the workspace", () => {
    for (const { name } of packages) {
      const folder = installed(name);
      const files = readdirSync(folder);
      expect(files).not.toContain("src");
      expect(files).not.toContain("test");
      const manifest = readFileSync(join(folder, "package.json"), "utf8");
      expect(manifest).not.toMatch(/catalog:|workspace:|@ccbridge\/source/);
    }
  });

  it.each(Object.entries(checkers))("pass %s", (_, command) => {
    const tarballs = readdirSync(project).filter((name) => name.endsWith(".tgz"));
    for (const tarball of tarballs) {
      const [program = "", ...args] = command(join(project, tarball));
      const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
        encoding: "utf8",
      });
      expect(status, `${tarball}: ${stdout}${stderr}`).toBe(0);
    }
  });

  const libraries = packages.map(({ name }) => name).filter((name) => name !== "ccbridge");

  it.each(libraries)("%s can be imported", (name) => {
    const script = `import("${name}").then((all) => console.log(Object.keys(all).length))`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: project,
      encoding: "utf8",
    });
    expect(Number(printed)).toBeGreaterThan(0);
  });

  it("run: the bridge starts, serves the program for the game, and stops", async () => {
    const bridge = await spawnBridge([], {}, command());
    expect(await health(bridge.mcpUrl)).toMatchObject({ ok: true, computers: 0 });
    const installer = await fetch(`http://127.0.0.1:${bridge.linkPort}/install.lua`);
    expect(await installer.text()).toContain(`ws://127.0.0.1:${bridge.linkPort}`);
    expect(await bridge.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(bridge.stderr()).toBe("");
  });

  it("have their commands", async () => {
    const run = spawnProgram(["allow", project], {}, command());
    expect(await run.exited).toMatchObject({ code: 1 });
    expect(run.lines[0]).toBe(fill(texts.thereIsNoComputercraft, project));
  });
});
