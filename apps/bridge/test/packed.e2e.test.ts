import { execFileSync, spawnSync } from "node:child_process";
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
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { npm, npx, pnpm, publicPackages, root } from "../../../scripts/package-managers.mjs";
import { health, spawnBridge, spawnProgram } from "./helpers/spawn-bridge.js";

const packages = publicPackages();
/** By path, because neither checker exports its command. */
const checker = (file: string) => join(root, "node_modules", file);
const checkers: Record<string, (tarball: string) => string[]> = {
  publint: (tarball) => [checker("publint/src/cli.js"), "run", tarball, "--strict"],
  attw: (tarball) => [
    ...[checker("@arethetypeswrong/cli/dist/index.js"), tarball],
    ...["--profile", "esm-only", "--no-color", "--quiet"],
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

  const installedBridge = () => join(project, "node_modules/@ccbridge/bridge");

  it("are found by npx, which prints the version", () => {
    const { version } = JSON.parse(readFileSync(join(installedBridge(), "package.json"), "utf8"));
    expect(npx(["--no-install", "ccbridge", "--version"], project).trim()).toBe(version);
  });

  it("hold no sources, no tests and no versions of the workspace", () => {
    for (const { name } of packages) {
      const folder = join(project, "node_modules", name);
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

  it.each(packages.map(({ name }) => name))("%s can be imported", (name) => {
    const script = `import("${name}").then((all) => console.log(Object.keys(all).length))`;
    const printed = execFileSync(process.execPath, ["--input-type=module", "-e", script], {
      cwd: project,
      encoding: "utf8",
    });
    expect(Number(printed)).toBeGreaterThan(0);
  });

  it("run: the bridge starts, serves the program for the game, and stops", async () => {
    const command = [process.execPath, join(installedBridge(), "bin/ccbridge.js")];
    const bridge = await spawnBridge([], {}, command);
    expect(await health(bridge.mcpUrl)).toMatchObject({ ok: true, computers: 0 });
    const installer = await fetch(`http://127.0.0.1:${bridge.linkPort}/install.lua`);
    expect(await installer.text()).toContain(`ws://127.0.0.1:${bridge.linkPort}`);
    expect(await bridge.kill("SIGTERM")).toMatchObject({ code: 0 });
    expect(bridge.stderr()).toBe("");
  });

  it("have their commands", async () => {
    const command = [process.execPath, join(installedBridge(), "bin/ccbridge.js")];
    const run = spawnProgram(["allow", project], {}, command);
    expect(await run.exited).toMatchObject({ code: 1 });
    expect(run.lines[0]).toBe(`There is no computercraft-server.toml below ${project}.`);
  });
});
