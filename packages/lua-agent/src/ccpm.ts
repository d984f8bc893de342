import {
  type CcpmRegistryIndex,
  type CcpmRegistryVersion,
  compactJson,
  compareVersions,
  type TrapOsIndex,
  type TrapOsPackage,
} from "./ccpm-formats.js";
import { knowingBridge } from "./installer.js";
import {
  programSha256,
  programText,
  programVersion,
  startupSha256,
  startupText,
} from "./program.js";

const NAME = "mcp-computer";
/** Opens a tab for the program and returns, as a boot hook must. CCPM requires it in bin. */
const STARTUP_PATH = `bin/${NAME}-boot.lua`;
const DESCRIPTION = "Links this computer to a ccbridge, so that an AI client can work with it.";

export interface CcpmOptions {
  baseUrl: string;
  /** Without it the player has to name a bridge. */
  bridge?: CcpmBridge | undefined;
  /** The server of the index keeps the files of these. */
  earlierVersions?: readonly string[] | undefined;
}

export interface CcpmBridge {
  url: string;
  /**
   * Hex. A parameter because the program differs per bridge and this package does not depend on
   * Node.
   */
  sha256(text: string): string;
}

export interface CcpmFile {
  body: string;
  contentType: string;
}

/**
 * Both index formats, by path below `baseUrl`. TrapOS reads `packages/index.json`,
 * `packages/mcp-computer/ccpm.json` and `programs/`; the CCPM client reads `index.json` and
 * `packages/mcp-computer/<version>.json`.
 */
export function ccpmFiles(options: CcpmOptions): Map<string, CcpmFile> {
  const base = options.baseUrl.replace(/\/+$/, "");
  // A published version never changes, so its files have versioned paths.
  const program = `files/${NAME}/${programVersion}/${NAME}.lua`;
  const startup = `files/${NAME}/${programVersion}/${NAME}-boot.lua`;
  const { bridge } = options;
  const programFile = forBridge(programText, programSha256, bridge);
  const startupFile = forBridge(startupText, startupSha256, bridge);
  const versions = [...new Set([programVersion, ...(options.earlierVersions ?? [])])];
  versions.sort((a, b) => compareVersions(b, a));

  const trapOsPackage: TrapOsPackage = {
    name: NAME,
    version: programVersion,
    description: DESCRIPTION,
    dependencies: [],
    files: [`programs/${NAME}.lua`],
    autostart: [],
  };
  const trapOsIndex: TrapOsIndex = {
    packages: { [NAME]: { description: DESCRIPTION, version: programVersion } },
  };
  const registryVersion: CcpmRegistryVersion = {
    kind: "files",
    compat: { cc: ">=1.100" },
    files: [
      { path: `bin/${NAME}.lua`, sha256: programFile.sha256, url: `${base}/${program}` },
      { path: STARTUP_PATH, sha256: startupFile.sha256, url: `${base}/${startup}` },
    ],
    startup: STARTUP_PATH,
  };
  const registryIndex: CcpmRegistryIndex = {
    format: 1,
    hosts: [`${base}/`],
    packages: {
      [NAME]: {
        author: "ccbridge",
        description: DESCRIPTION,
        latest: versions[0] ?? programVersion,
        license: "MIT",
        tags: ["ai", "mcp", "remote"],
        versions,
      },
    },
  };

  return new Map([
    ["index.json", json(registryIndex)],
    [`packages/${NAME}/${programVersion}.json`, json(registryVersion)],
    [program, lua(programFile.text)],
    [startup, lua(startupFile.text)],
    ["packages/index.json", json(trapOsIndex)],
    [`packages/${NAME}/ccpm.json`, json(trapOsPackage)],
    [`programs/${NAME}.lua`, lua(programFile.text)],
  ]);
}

function forBridge(
  text: string,
  sha256: string,
  bridge: CcpmBridge | undefined,
): { text: string; sha256: string } {
  if (bridge === undefined) return { text, sha256 };
  const knowing = knowingBridge(text, bridge.url);
  return { text: knowing, sha256: bridge.sha256(knowing) };
}

function json(value: unknown): CcpmFile {
  return { body: compactJson(value), contentType: "application/json; charset=utf-8" };
}

function lua(body: string): CcpmFile {
  return { body, contentType: "text/plain; charset=utf-8" };
}
