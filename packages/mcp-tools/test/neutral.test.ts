import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { builtInKinds } from "../src/index.js";

const src = fileURLToPath(new URL("../src", import.meta.url));

const neutral = ["core", "jobs", "offers", "resources", "format", "history"];

const allowed = ["core/grants.ts"];

const shared = ["get-job", "cancel-job", "list-jobs", "list-offered-tools"];

const toolNames = builtInKinds
  .flatMap(({ tools }) => Object.values(tools).flat())
  .map(({ name }) => name)
  .filter((name) => !shared.includes(name));

const nouns = [
  "computer\\w*",
  "turtles?",
  "minecraft",
  "web pages?",
  "isPage",
  "isServer",
  "servers?",
];
const words = new RegExp(`(?<![\\w-])(?:${[...toolNames, ...nouns].join("|")})(?![\\w-])`, "i");

function namesIn(file: string): string[] {
  return readFileSync(join(src, file), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const [name] = words.exec(line) ?? [];
      return name === undefined ? [] : `${file}:${index + 1} names ${name}`;
    });
}

it("folders that serve all kinds name no kind and none of its tools", () => {
  const files = neutral.flatMap((folder) =>
    readdirSync(join(src, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name}`),
  );
  const found = files.filter((file) => !allowed.includes(file)).flatMap(namesIn);
  expect(found).toEqual([]);
  expect(namesIn("core/grants.ts").length).toBeGreaterThan(5);
  expect(namesIn("kinds/computer/jobs/report.ts").join()).toContain("exec-lua");
});
