import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { build } from "../../../scripts/build.mjs";

const MAX_BYTES = 150 * 1_024;
const MAX_VIEW_BYTES = 64 * 1_024;
const dist = fileURLToPath(new URL("../dist", import.meta.url));

it("the page without its editor stays small, and loads nothing from elsewhere", async () => {
  await build("apps/dashboard");
  const files = readdirSync(dist, { recursive: true, encoding: "utf8" }).filter((path) =>
    /^(?!screen-view).*\.(html|js|css|svg)$/.test(path),
  );
  const isEditor = (path: string) => /editor-/.test(path);
  expect(files.filter(isEditor)).toHaveLength(1);
  const sizeOf = (path: string) => gzipSync(readFileSync(join(dist, path))).length;
  const size = files.filter((path) => !isEditor(path)).reduce((sum, path) => sum + sizeOf(path), 0);
  expect(size).toBeLessThan(MAX_BYTES);
  const html = readFileSync(join(dist, "index.html"), "utf8");
  expect(html).not.toMatch(/https?:|<style|<script>|onload=/);
  // Build paths must not leak into the bundle.
  for (const path of files) {
    expect(readFileSync(join(dist, path), "utf8"), path).not.toContain("src/views/");
  }
});

it("the screen view is one small file that loads nothing", async () => {
  await build("apps/dashboard");
  const html = readFileSync(join(dist, "screen-view.html"), "utf8");
  expect(Buffer.byteLength(html)).toBeLessThan(MAX_VIEW_BYTES);
  expect(html).not.toMatch(
    /\b(src|href)=|@import|url\(|\bimport\(|\bfetch\(|XMLHttpRequest|WebSocket/,
  );
  expect(html.match(/<script/g)).toHaveLength(1);
});
