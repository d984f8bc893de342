import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { builtInKinds } from "@ccbridge/mcp-tools";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const registry = "packages/registry/src";
const tools = "packages/mcp-tools/src";
const bridge = "apps/bridge/src";

/** Folders and files that serve all kinds. */
const neutral = [
  registry,
  ...["core", "jobs", "offers", "resources", "format", "history", "alerts"],
  ...["offered-tools.ts", "permissions.ts", "resource-list.ts", "instructions.ts"],
  ...["calls", "alerts", "history", "monitor"].map((folder) => `${bridge}/${folder}`),
  ...["handlers", "sdk", "sessions"].map((folder) => `${bridge}/mcp/${folder}`),
].map((place) => (place.includes("/") ? place : `${tools}/${place}`));

const ofKinds = [`${registry}/kinds/`, `${registry}/testing/`, `${registry}/index.ts`];

/** What may name a kind all the same, and why. */
const allowed: Readonly<Record<string, string>> = {
  [`${tools}/core/kind-services.ts`]: "what the bridge hands to the tools of single kinds",
  [`${bridge}/calls/caller.ts`]: "computers= is how a token's line names its providers",
  [`${bridge}/calls/open-calls.ts`]: "CC_COMPUTER_RATE is the name of a setting",
  [`${bridge}/history/keep-calls.ts`]: "names of arguments that are worth a summary",
  [`${bridge}/history/keep-history.ts`]: "trails of turtles are kept over a restart",
  [`${bridge}/history/keep-states.ts`]: "trails of turtles are kept over a restart",
  [`${bridge}/monitor/tracks.ts`]: "where turtles were",
  [`${bridge}/mcp/handlers/session.ts`]: "a client may name a session of web pages",
  [`${bridge}/mcp/sessions/sessions.ts`]: "a client may name a session of web pages",
  [`${bridge}/monitor/metrics/metrics.ts`]: "metrics of each server",
};

const shared = ["get-job", "cancel-job", "list-jobs", "list-offered-tools"];
const toolNames = builtInKinds
  .flatMap((kind) => Object.values(kind.tools).flat())
  .map(({ name }) => name)
  .filter((name) => !shared.includes(name));
const nouns = [
  "\\w*computer\\w*",
  "\\w*turtle\\w*",
  "minecraft",
  "web pages?",
  "isPage",
  "isServer",
];
const words = new RegExp(`(?<![\\w-])(?:${[...toolNames, ...nouns].join("|")})(?![\\w-])`, "i");

function filesIn(place: string): string[] {
  if (place.endsWith(".ts")) return [place];
  return readdirSync(join(root, place), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .filter((file) => !ofKinds.some((path) => file.startsWith(path)));
}

function namesIn(file: string): string[] {
  return readFileSync(join(root, file), "utf8")
    .split("\n")
    .flatMap((line, index) => {
      const [name] = words.exec(line) ?? [];
      return name === undefined ? [] : `${file}:${index + 1} names ${name}`;
    });
}

it("code that serves all kinds names no kind and none of its tools", () => {
  const files = neutral.flatMap(filesIn);
  expect(files.length).toBeGreaterThan(130);
  expect(files.filter((file) => !(file in allowed)).flatMap(namesIn)).toEqual([]);
  expect(Object.keys(allowed).filter((file) => namesIn(file).length === 0)).toEqual([]);
  expect(namesIn(`${tools}/kinds/computer/jobs/report.ts`).join()).toContain("exec-lua");
});
