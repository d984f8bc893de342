import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { bundleLua, readLua, readModulesFrom } from "./bundle.js";

// Read from the sources, this module bundles the program when it is imported. The build replaces it
// with a module that contains these values as literals (see tsup.config.ts), so that the package needs
// neither Node nor the sources.

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}

const manifest: { version: string } = JSON.parse(readFileSync(here("../package.json"), "utf8"));

/** The version of the program, which is the version of this package. */
export const programVersion: string = manifest.version;

/** The in-game program, `mcp-computer.lua`, as one ASCII text. */
export const programText: string = bundleLua({
  entry: "mcp-computer",
  namespace: "mcp",
  version: programVersion,
  read: readModulesFrom(here("../../../lua")),
});

/** SHA-256 of {@link programText}, in hex. */
export const programSha256: string = createHash("sha256").update(programText).digest("hex");

/** The installer before an address is put into it. */
export const installerTemplate: string = readLua(here("../../../lua/install.lua"));
