import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import type { build } from "../../../scripts/build.mjs";
import { scratchDirectory } from "./helpers/scratch.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const pages = "packages/pages";
const tsup = join(root, "node_modules/tsup/dist/cli-default.js");

it("a package is built again when a source changed or its build is gone, and not otherwise", async () => {
  const copy = scratchDirectory();
  const sources = ["src", "package.json", "tsconfig.json", "tsup.config.ts"];
  const shared = ["package.json", "pnpm-lock.yaml", "tsconfig.base.json", "tsup.base.ts"];
  for (const path of [
    ...shared,
    "scripts/build.mjs",
    ...sources.map((name) => join(pages, name)),
  ]) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"), "junction");
  const script: { build: typeof build } = await import(
    pathToFileURL(join(copy, "scripts/build.mjs")).href
  );
  const source = join(copy, pages, "src/index.ts");
  const made = async () => {
    await script.build(pages);
    return statSync(join(copy, pages, "dist/index.js")).mtimeMs;
  };

  const first = await made();
  expect(await made()).toBe(first);
  utimesSync(source, new Date(), new Date());
  expect(await made()).toBe(first);
  appendFileSync(source, "export const more = 1;\n");
  const second = await made();
  expect(second).toBeGreaterThan(first);
  rmSync(join(copy, pages, "dist"), { recursive: true });
  const third = await made();
  expect(third).toBeGreaterThan(second);

  // Types are added to a build; it stays as fresh as it was, so that nothing replaces it while it is used.
  const env = { ...process.env, npm_lifecycle_event: "build:types" };
  execFileSync(process.execPath, [tsup, "--silent"], { cwd: join(copy, pages), env });
  expect(existsSync(join(copy, pages, "dist/index.d.ts"))).toBe(true);
  expect(await made()).toBe(third);
  expect(existsSync(join(copy, pages, "dist/index.d.ts"))).toBe(true);

  appendFileSync(source, "export const = 1;\n");
  await expect(made()).rejects.toThrow(/packages\/pages cannot be built:[\s\S]*src\/index\.ts:\d+/);
  await expect(made()).rejects.toThrow("cannot be built");
});
