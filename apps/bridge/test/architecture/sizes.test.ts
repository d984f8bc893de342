import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));

const MAX_PRODUCT_LINES = 400;
const MAX_TEST_LINES = 500;
const limits: Readonly<Record<string, number>> = { "apps/bridge/src/bridge.ts": 150 };

function limitOf(file: string): number {
  return limits[file] ?? (/(^|\/)test\/|\.test\./.test(file) ? MAX_TEST_LINES : MAX_PRODUCT_LINES);
}

it("no file is longer than a reader takes in", () => {
  const patterns = ["ts", "tsx", "js", "mjs", "css", "html", "lua", "java", "kt", "sh"];
  const listed = execFileSync("git", ["ls-files", "-z", ...patterns.map((end) => `*.${end}`)], {
    cwd: root,
    encoding: "utf8",
  });
  const files = listed.split("\0").filter((file) => file !== "" && !file.includes("/fixtures/"));
  expect(files.length).toBeGreaterThan(500);
  const tooLong = files
    .map((file) => ({ file, lines: readFileSync(join(root, file), "utf8").split("\n").length - 1 }))
    .filter(({ file, lines }) => lines > limitOf(file));
  expect(tooLong).toEqual([]);
});
