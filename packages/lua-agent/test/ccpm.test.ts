import { createHash } from "node:crypto";
import { allowAll, createWorld } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { z } from "zod";
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
import { ScriptedBridge } from "./scripted-bridge.js";
import { prompt, shows } from "./start-agent.js";

// The formats as the two package managers read them; `satisfies` keeps the types in step.
const name = z.string().regex(/^[a-z0-9_-]+$/);
const version = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);
const TrapOsPackageSchema = z.strictObject({
  name,
  version,
  description: z.string(),
  dependencies: z.array(name),
  files: z.array(z.string().regex(/^(apis|programs|servers|startup)\/[\w./-]+\.lua$/)).min(1),
  autostart: z.array(z.string()),
}) satisfies z.ZodType<TrapOsPackage>;
const TrapOsIndexSchema = z.strictObject({
  packages: z.record(name, z.strictObject({ description: z.string(), version })),
}) satisfies z.ZodType<TrapOsIndex>;
const RegistryIndexSchema = z.strictObject({
  format: z.literal(1),
  hosts: z.array(z.url()).min(1),
  packages: z.record(
    name,
    z.strictObject({
      author: z.string(),
      description: z.string(),
      latest: version,
      license: z.string(),
      tags: z.array(z.string()),
      versions: z.array(version).min(1),
    }),
  ),
}) satisfies z.ZodType<CcpmRegistryIndex>;
const RegistryVersionSchema = z.strictObject({
  kind: z.literal("files"),
  compat: z.strictObject({ cc: z.string().regex(/^>=\d+\.\d+$/) }),
  files: z
    .array(
      z.strictObject({
        path: z.string().regex(/^(bin\/[\w-]+\.lua|(lib|share)\/mcp-computer[\w./-]*)$/),
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        url: z.url(),
      }),
    )
    .min(1),
  startup: z.string().optional(),
});

const base = "http://bridge.example:3001/ccpm";
const files = ccpmFiles({ baseUrl: `${base}/` });

function read<T>(path: string, schema: z.ZodType<T>): T {
  const file = files.get(path);
  if (!file) throw new Error(`no ${path}`);
  expect(file.contentType).toContain("application/json");
  return schema.parse(JSON.parse(file.body));
}

describe("the TrapOS index", () => {
  it("describes the package over files of the same tree", () => {
    const descriptor = read("packages/mcp-computer/ccpm.json", TrapOsPackageSchema);
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
    expect(read("packages/index.json", TrapOsIndexSchema).packages["mcp-computer"]?.version).toBe(
      programVersion,
    );
  });
});

describe("the CCPM registry", () => {
  const index = read("index.json", RegistryIndexSchema);
  const version: CcpmRegistryVersion = read(
    `packages/mcp-computer/${programVersion}.json`,
    RegistryVersionSchema as z.ZodType<CcpmRegistryVersion>,
  );

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

  it.each([
    ["links from a tab on an advanced computer", true],
    ["only says what to do on a normal one", false],
  ])("has a boot hook that does not stay: it %s", async (_name, advanced) => {
    const bridge = await new ScriptedBridge().listen();
    const world = await createWorld({ httpRules: allowAll });
    try {
      const installed = Object.fromEntries(
        version.files.map((file) => [
          `/ccpm/${file.path}`,
          files.get(file.url.slice(base.length + 1))?.body ?? "",
        ]),
      );
      const computer = world.computer({
        advanced,
        files: {
          ...installed,
          "/.settings": `{ ["mcp_computer.url"] = "${bridge.url}" }`,
          "/startup/00_ccpm.lua": `shell.run("/ccpm/${version.startup}")`,
        },
      });
      computer.turnOn();
      await prompt(computer);
      computer.type("id\n");
      await shows(computer, "This is computer #0");
      if (advanced) await bridge.link(1);
      else await shows(computer, "To link at boot: /ccpm/bin/mcp-computer.lua --autostart");
    } finally {
      world.close();
      await bridge.close();
    }
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
