import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { root } from "../../scripts/package-managers.mjs";
import { owner, stamped, version } from "../stamp.mjs";

it("every file has the version of the bridge and the owner of the repository", () => {
  const stale = stamped().filter(({ before, after }) => before !== after);
  expect(
    stale.map(({ path }) => path),
    "run node packaging/stamp.mjs",
  ).toEqual([]);
});

it("a new version reaches the mods and everything that registries read", () => {
  const files = stamped({ version: "12.34.56-next.7", owner });
  const changed = files.filter(({ before, after }) => before !== after);
  expect(changed.map(({ path }) => path).sort()).toMatchSnapshot();
  for (const { path, after } of changed) {
    expect(after, path).toContain("12.34.56-next.7");
    const own = new RegExp(
      `version["']?\\s*[:=>]\\s*["']?${version.replaceAll(".", "\\.")}\\b`,
      "i",
    );
    expect(after, path).not.toMatch(own);
  }
});

it("no other file of the mods or of this folder repeats the version", () => {
  const listed = execFileSync(
    "git",
    ["grep", "-lF", "--untracked", version, "--", "mods", "packaging", ".claude-plugin", "*.json"],
    { cwd: root, encoding: "utf8" },
  );
  const known = new Set(
    stamped({ version: "12.34.56", owner }).flatMap(({ path, after }) =>
      after.includes("12.34.56") ? [path] : [],
    ),
  );
  const isOther =
    /^(?:apps|packages)\/[^/]+\/package\.json$|\/test\/|fixtures|test-servers|package-lock/;
  const unknown = listed.split("\n").filter((path) => path !== "" && !isOther.test(path));
  expect(unknown.filter((path) => !known.has(path))).toEqual([]);
});

it("the repository moves by its address in the root package.json", () => {
  const moved = stamped({ version, owner: "elsewhere" });
  const left = moved.filter(
    ({ path, after }) => path !== "package.json" && after.includes(`github.com/${owner}/ccbridge`),
  );
  expect(left.map(({ path }) => path)).toEqual([]);
  expect(moved.length).toBeGreaterThan(10);
});
