import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { compareVersions } from "../src/ccpm-formats.js";
import {
  type CcpmRegistryIndex,
  type CcpmRegistryVersion,
  ccpmFiles,
  programText,
  programVersion,
  type TrapOsIndex,
  type TrapOsPackage,
} from "../src/index.js";

const base = "http://bridge.example:3001/ccpm";
const files = ccpmFiles({ baseUrl: `${base}/` });

function read<T>(path: string): T {
  const file = files.get(path);
  if (!file) throw new Error(`no ${path}`);
  expect(file.contentType).toContain("application/json");
  return JSON.parse(file.body) as T;
}

describe("the TrapOS index", () => {
  it("describes the package over files of the same tree", () => {
    const descriptor = read<TrapOsPackage>("packages/mcp-computer/ccpm.json");
    expect(descriptor).toEqual({
      name: "mcp-computer",
      version: programVersion,
      description: expect.any(String),
      dependencies: [],
      files: ["programs/mcp-computer.lua"],
      autostart: [],
    });
    for (const path of descriptor.files) expect(files.get(path)?.body).toBe(programText);
  });

  it("lists the package", () => {
    expect(read<TrapOsIndex>("packages/index.json").packages["mcp-computer"]?.version).toBe(
      programVersion,
    );
  });
});

describe("the CCPM registry", () => {
  const index = read<CcpmRegistryIndex>("index.json");
  const version = read<CcpmRegistryVersion>(`packages/mcp-computer/${programVersion}.json`);

  it("lists versions, and hosts that cover every file", () => {
    expect(index.format).toBe(1);
    expect(index.packages["mcp-computer"]).toMatchObject({
      latest: programVersion,
      versions: [programVersion],
    });
    for (const file of version.files) {
      expect(index.hosts.some((host) => file.url.startsWith(host))).toBe(true);
    }
  });

  it("names files by url, path and the hash of the bytes served there", () => {
    expect(version.kind).toBe("files");
    expect(version.files.map((file) => file.path)).toContain("bin/mcp-computer.lua");
    for (const file of version.files) {
      const served = files.get(file.url.slice(base.length + 1));
      expect(
        createHash("sha256")
          .update(served?.body ?? "")
          .digest("hex"),
      ).toBe(file.sha256);
      expect(file.path).toMatch(/^(bin\/mcp-computer\.lua|share\/mcp-computer\/[\w.]+)$/);
    }
    expect(version.files.map((file) => file.path)).toContain(version.startup);
    expect(version.compat.cc).toBe(">=1.100");
  });

  it("keeps earlier versions, highest first, and takes the highest as latest", () => {
    const earlier = ["1.9.0", "1.10.0", "1.10.0-beta.1"];
    const body = ccpmFiles({ baseUrl: base, earlierVersions: earlier }).get("index.json")?.body;
    const entry = (JSON.parse(body ?? "") as CcpmRegistryIndex).packages["mcp-computer"];
    expect(entry?.versions).toEqual(["1.10.0", "1.10.0-beta.1", "1.9.0", programVersion]);
    expect(entry?.latest).toBe("1.10.0");
  });

  it("is compact JSON with sorted keys", () => {
    for (const [path, file] of files) {
      if (!path.endsWith(".json")) continue;
      expect(file.body).not.toMatch(/\s$|": |,\s"/);
      const keys = Object.keys(JSON.parse(file.body));
      expect(keys).toEqual([...keys].sort());
    }
  });
});

describe("compareVersions", () => {
  it("orders numbers as numbers and releases above their previews", () => {
    const versions = ["1.0.0", "0.9.10", "0.9.9", "1.0.0-beta.2", "1.0.0-beta.1"];
    expect(versions.sort(compareVersions)).toEqual([
      "0.9.9",
      "0.9.10",
      "1.0.0-beta.1",
      "1.0.0-beta.2",
      "1.0.0",
    ]);
  });
});
