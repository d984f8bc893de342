import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../src", import.meta.url));

it("the core of the registry does not speak of computers' ids, Lua or frames", () => {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/^(kinds|testing|index\.ts)/.test(path));
  expect(files.length).toBeGreaterThan(25);
  const speaking = files.filter((path) =>
    /computerId|encodeFrame|exec-lua|\bLua\b/.test(readFileSync(join(root, path), "utf8")),
  );
  expect(speaking).toEqual([]);
});
