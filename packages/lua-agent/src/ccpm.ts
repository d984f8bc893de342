import {
  type CcpmRegistryIndex,
  type CcpmRegistryVersion,
  compactJson,
  compareVersions,
  type TrapOsIndex,
  type TrapOsPackage,
} from "./ccpm-formats.js";
import { knowingBridge } from "./installer.js";
import { programSha256, programText, programVersion } from "./program.js";

const NAME = "mcp-computer";
const DESCRIPTION = "Links this computer to a ccbridge, so that an AI client can work with it.";

export interface CcpmOptions {
  baseUrl: string;
  /** Without it the player has to name a bridge. */
  bridge?: CcpmBridge | undefined;
  earlierVersions?: readonly string[] | undefined;
}

export interface CcpmBridge {
  url: string;
  /** Hex. A parameter because the program differs per bridge and this package does not depend on Node. */
  sha256(text: string): string;
}

export interface CcpmFile {
  body: string;
  contentType: string;
}

/**
 * The program as a package, in both index styles side by side: every file by its path below
 * `baseUrl`. TrapOS reads `packages/index.json`, `packages/mcp-computer/ccpm.json` and `programs/`;
 * the CCPM client reads `index.json` and `packages/mcp-computer/<version>.json`. Neither starts it at boot: that is
 * the player's choice (`mcp-computer --autostart`).
 */
export function ccpmFiles(options: CcpmOptions): Map<string, CcpmFile> {
  const base = options.baseUrl.replace(/\/+$/, "");
  // A published version never changes, so its file has its own name.
  const program = `files/${NAME}/${programVersion}/${NAME}.lua`;
  const programFile = forBridge(programText, programSha256, options.bridge);
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
    files: [{ path: `bin/${NAME}.lua`, sha256: programFile.sha256, url: `${base}/${program}` }],
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
