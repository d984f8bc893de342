import { mkdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildStale } from "../../../scripts/builds.mjs";
import { scratchDirectory } from "./helpers/scratch.js";

/** A workspace of a library, a program that needs it, and one that stands alone. */
function scratchWorkspace() {
  const workspace = scratchDirectory();
  const write = (path: string, text: string) => {
    const file = join(workspace, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  };
  const manifest = (folder: string, name: string, dependencies: Record<string, string> = {}) => {
    write(
      `${folder}/package.json`,
      JSON.stringify({ name, scripts: { build: "tsup" }, dependencies }),
    );
    write(`${folder}/src/index.ts`, `export const name = "${name}";`);
  };
  manifest("packages/library", "library");
  manifest("apps/program", "program", { library: "workspace:^", zod: "catalog:" });
  manifest("packages/alone", "alone");
  write("packages/private-tests/package.json", JSON.stringify({ name: "tests" }));
  mkdirSync(join(workspace, "packages/left-behind/node_modules"), { recursive: true });
  const builds: { name: string; types: boolean }[] = [];
  const run = (options: { names?: string[]; types?: boolean } = {}) =>
    buildStale({
      ...options,
      workspace,
      build: async ({ name, folder }, types) => {
        builds.push({ name, types });
        mkdirSync(join(folder, "dist"), { recursive: true });
        writeFileSync(join(folder, "dist/index.js"), "");
      },
    });
  return { workspace, write, builds, run };
}

describe("the build", () => {
  it("makes what is missing, once", async () => {
    const { run } = scratchWorkspace();
    expect(await run()).toEqual(["alone", "library", "program"]);
    expect(await run()).toEqual([]);
  });

  it("makes what changed and what needs it, and nothing else", async () => {
    const { run, write, workspace } = scratchWorkspace();
    await run();
    write("packages/library/src/index.ts", "export const name = 2;");
    expect(await run()).toEqual(["library", "program"]);
    write("apps/program/src/more.ts", "");
    expect(await run()).toEqual(["program"]);
    rmSync(join(workspace, "apps/program/src/more.ts"));
    expect(await run()).toEqual(["program"]);
    write("pnpm-lock.yaml", "changed");
    expect(await run()).toEqual(["alone", "library", "program"]);
  });

  it("is not misled by dates, tests and texts", async () => {
    const { run, write, workspace } = scratchWorkspace();
    await run();
    utimesSync(join(workspace, "packages/library/src/index.ts"), new Date(), new Date());
    write("packages/library/test/library.test.ts", "");
    write("packages/library/README.md", "");
    expect(await run()).toEqual([]);
  });

  it("rebuilds a result that somebody deleted", async () => {
    const { run, workspace } = scratchWorkspace();
    await run();
    rmSync(join(workspace, "packages/alone/dist"), { recursive: true });
    expect(await run()).toEqual(["alone"]);
  });

  it("builds declarations only when asked, and keeps existing ones", async () => {
    const { run, builds } = scratchWorkspace();
    await run({ names: ["alone"] });
    expect(await run({ names: ["alone"], types: true })).toEqual(["alone"]);
    expect(await run({ names: ["alone"] })).toEqual([]);
    expect(builds).toEqual([
      { name: "alone", types: false },
      { name: "alone", types: true },
    ]);
  });

  it("does not mistake a failed build for a good one", async () => {
    const { run, workspace, write } = scratchWorkspace();
    await run();
    write("packages/alone/src/index.ts", "broken");
    const failing = buildStale({
      workspace,
      build: () => Promise.reject(new Error("it does not compile")),
    });
    await expect(failing).rejects.toThrow("it does not compile");
    // Even when the sources are back to what was built before.
    write("packages/alone/src/index.ts", 'export const name = "alone";');
    expect(await run()).toEqual(["alone"]);
  });
});
