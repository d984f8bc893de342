import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleLua, readLua, readModulesFrom } from "./bundle.js";

// When run from sources, importing this module bundles the program. The build replaces it with
// literals (see tsup.config.ts), so that the package needs neither Node nor the sources.

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

const manifest: { version: string } = JSON.parse(readFileSync(here("../package.json"), "utf8"));

export const programVersion: string = manifest.version;

export const programText: string = bundleLua({
  entry: "mcp-computer",
  namespace: "mcp",
  version: programVersion,
  atStart: ["mcp.agent"],
  read: readModulesFrom(here("../../../lua")),
});

export const programSha256: string = createHash("sha256").update(programText).digest("hex");

/** The installer before an address is put into it. */
export const installerTemplate: string = readLua(here("../../../lua/install.lua"));
