// @ts-check
// Writes the version of the bridge and the owner of the repository into every file that repeats them:
// node packaging/stamp.mjs. To move the repository, change it in the root package.json and run this.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

/** @param {string} path */
const readJson = (path) => JSON.parse(readFileSync(join(root, path), "utf8"));

/**
 * One number for the bridge, its agents and its mods. Changesets keeps the npm packages together; the program in the
 * game gets it when it is built.
 * @type {string}
 */
export const version = readJson("apps/bridge/package.json").version;

/** @type {string} */
export const owner =
  /github\.com\/([\w-]+)\//.exec(readJson("package.json").repository.url)?.[1] ?? "";

const ownVersion = '(?<=^\\s*"version": ")[^"]+';
const npxVersion = '(?<="ccbridge@)[^"]+';
const imageVersion = "(?<=/ccbridge:)\\S+";

/** Where the version is, other than in npm packages. @type {Record<string, string>} */
const versions = {
  "mods/core/pom.xml":
    "(?<=<groupId>dev\\.ccbridge</groupId>\\s+<artifactId>[^<]+</artifactId>\\s+<version>)[^<]+",
  "mods/fabric/build.gradle": "(?<=^\\s*version = ')[^']+",
  "mods/neoforge/build.gradle": "(?<=^\\s*version = ')[^']+",
  "mods/paper/build.gradle": "(?<=^\\s*version = ')[^']+",
  "packaging/mcp-registry/server.json": ownVersion,
  "packaging/mcpb/manifest.json": ownVersion,
  "packaging/claude-code/.claude-plugin/plugin.json": ownVersion,
  "packaging/claude-code/.mcp.json": npxVersion,
  ".claude-plugin/marketplace.json": ownVersion,
  "gemini-extension.json": `${ownVersion}|${npxVersion}`,
  "packaging/unicornpkg/mcp-computer.lua": '(?<=\\bversion = "|repo_ref = "v)[^"]+',
  "compose.yaml": imageVersion,
  "packaging/compose/minecraft.yaml": imageVersion,
  "packaging/compose/cluster.yaml": imageVersion,
  "examples/webmcp-extension/manifest.json": ownVersion,
  ".github/workflows/mods.yml": "(?<=\\*-)\\d+\\.\\d+\\.\\d+[\\w.-]*(?=\\.jar)",
};

/** The owner in the names of this project elsewhere. */
const owners =
  /(?<=(?:github\.com|raw\.githubusercontent\.com|ghcr\.io)\/|io\.github\.)[\w-]+(?=\/ccbridge\b)|(?<=avatars\.githubusercontent\.com\/)[\w-]+|(?<=repo_owner = ")[\w-]+/g;

/**
 * @typedef {{ path: string, before: string, after: string }} Stamped
 * @param {{ version: string, owner: string }} [wanted]
 * @returns {Stamped[]} all files that repeat one of them
 */
export function stamped(wanted = { version, owner }) {
  const patterns = [
    "*.json",
    "*.jsonc",
    "*.md",
    "*.yml",
    "*.yaml",
    "*.lua",
    "*.xml",
    "*.gradle",
    "Dockerfile",
  ];
  const listed = execFileSync("git", ["ls-files", "-co", "--exclude-standard", ...patterns], {
    cwd: root,
    encoding: "utf8",
  });
  return listed
    .split("\n")
    .filter((path) => path !== "" && existsSync(join(root, path)))
    .flatMap((path) => {
      const before = readFileSync(join(root, path), "utf8");
      const after = stampedText(path, before, wanted);
      return after === undefined ? [] : [{ path, before, after }];
    });
}

/**
 * @param {string} path
 * @param {string} text
 * @param {{ version: string, owner: string }} wanted
 */
function stampedText(path, text, wanted) {
  let after = text;
  const pattern = versions[path];
  if (pattern !== undefined) after = after.replace(new RegExp(pattern, "gm"), wanted.version);
  if (isPublicPackage(path, text)) after = withRepository(path, after, wanted.owner);
  // The root names the repository; all others follow.
  if (path !== "package.json") after = after.replace(owners, wanted.owner);
  return pattern === undefined && after.search(owners) < 0 ? undefined : after;
}

/**
 * @param {string} path
 * @param {string} text
 */
function isPublicPackage(path, text) {
  return (
    /^(?:apps|packages)\/[^/]+\/package\.json$/.test(path) && JSON.parse(text).private !== true
  );
}

/**
 * What npm shows beside a package.
 * @param {string} path
 * @param {string} text
 * @param {string} owner
 */
function withRepository(path, text, owner) {
  const repository = `https://github.com/${owner}/ccbridge`;
  const {
    name,
    version,
    description,
    keywords,
    homepage,
    bugs,
    license,
    repository: _,
    ...rest
  } = JSON.parse(text);
  const manifest = {
    name,
    version,
    description,
    keywords,
    homepage: `${repository}#readme`,
    bugs: `${repository}/issues`,
    license,
    repository: { type: "git", url: `git+${repository}.git`, directory: dirname(path) },
    ...rest,
  };
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const { path, before, after } of stamped()) {
    if (before === after) continue;
    writeFileSync(join(root, path), after);
    console.log(path);
  }
}
