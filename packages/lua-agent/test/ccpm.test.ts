import { createHash } from "node:crypto";
import { allowAll, createWorld } from "@ccbridge/cc-host";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { texts } from "../../../vitest.texts.js";
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
      description: z.string().max(200),
      latest: version,
      license: z.string(),
      tags: z.array(z.string().regex(/^[a-z0-9-]+$/)).max(10),
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
});

function registryProblems(manifest: CcpmRegistryVersion, hosts: readonly string[]): string[] {
  const problems: string[] = [];
  const paths = manifest.files.map((file) => file.path);
  for (const { path, url } of manifest.files) {
    const [top, owner, ...rest] = path.split("/");
    const isProgram = /^bin\/[A-Za-z0-9_-]+\.lua$/.test(path);
    const isOwn = (top === "lib" || top === "share") && owner === "mcp-computer" && rest.length > 0;
    const isLibrary = path === "lib/mcp-computer.lua";
    if (!isProgram && !isOwn && !isLibrary) problems.push(`${path} may not be installed`);
    if (!/^[A-Za-z0-9._/-]+$/.test(path) || /(^|\/)\.{0,2}(\/|$)/.test(path)) {
      problems.push(`${path} is not safe`);
    }
    if (!hosts.some((host) => url.startsWith(host))) problems.push(`${url} is not on a host`);
  }
  if (new Set(paths).size !== paths.length) problems.push("a path is listed twice");
  return problems;
}

const base = "http://bridge.example:3001/ccpm";
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
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

  it.each([
    ["of static files", undefined],
    ["of a bridge", { url: "http://bridge.example:3001", sha256 }],
  ])("%s passes the rules of the registry", (_name, bridge) => {
    const own = ccpmFiles({ baseUrl: base, bridge });
    const manifest = JSON.parse(
      own.get(`packages/mcp-computer/${programVersion}.json`)?.body ?? "",
    ) as CcpmRegistryVersion;
    const { hosts } = JSON.parse(own.get("index.json")?.body ?? "") as CcpmRegistryIndex;
    expect(registryProblems(manifest, hosts)).toEqual([]);
    for (const { url, sha256: hash } of manifest.files) {
      expect(sha256(own.get(url.slice(base.length + 1))?.body ?? "")).toBe(hash);
    }
  });

  it("has a checker here that sees what the registry would refuse", () => {
    const bad: CcpmRegistryVersion = {
      kind: "files",
      compat: { cc: ">=1.100" },
      files: [
        { path: "share/mcp-computer/startup.lua", sha256: "", url: "http://elsewhere.example/x" },
        { path: "../startup.lua", sha256: "", url: `${base}/x` },
      ],
    };
    expect(registryProblems(bad, [`${base}/`])).toEqual([
      texts.httpElsewhereExampleIsNot,
      "../startup.lua may not be installed",
      "../startup.lua is not safe",
    ]);
  });

  it("names files by url, path and the hash of the bytes served there", () => {
    expect(version.kind).toBe("files");
    expect(version.files.map((file) => file.path)).toContain("bin/mcp-computer.lua");
    for (const file of version.files) {
      const served = files.get(file.url.slice(base.length + 1));
      expect(sha256(served?.body ?? "")).toBe(file.sha256);
    }
    expect(version.compat.cc).toBe(">=1.100");
  });

  it("keeps earlier versions, highest first, and uses the highest as latest", () => {
    const earlier = ["1.9.0", "1.10.0", "1.10.0-beta.1"];
    const body = ccpmFiles({ baseUrl: base, earlierVersions: earlier }).get("index.json")?.body;
    const entry = (JSON.parse(body ?? "") as CcpmRegistryIndex).packages["mcp-computer"];
    expect(entry?.versions).toEqual(["1.10.0", "1.10.0-beta.1", "1.9.0", programVersion]);
    expect(entry?.latest).toBe("1.10.0");
  });

  it.each([
    ["CCPM", "/ccpm/bin/mcp-computer.lua", {}],
    ["the ccpm of TrapOS", "/programs/mcp-computer.lua", { "/trapos/ccpm.json": "{}" }],
  ])("is not started at boot unless asked, and is left to %s", async (manager, path, more) => {
    const bridge = await new ScriptedBridge().listen();
    const world = await createWorld({ httpRules: allowAll });
    try {
      const own = ccpmFiles({ baseUrl: base, bridge: { url: bridge.url, sha256 } });
      const url = version.files[0]?.url.slice(base.length + 1) ?? "";
      const computer = world.computer({
        advanced: true,
        label: "base-turtle",
        files: { [path]: own.get(url)?.body ?? "", ...more },
      });
      const boot = async () => {
        computer.unload();
        computer.load();
        await prompt(computer);
        await world.advance(1_000);
      };
      computer.turnOn();
      await prompt(computer);
      await boot();
      expect(bridge.links).toHaveLength(0);
      computer.type(`${path} status\n`);
      await shows(computer, "mcp-computer is not running.");
      await shows(computer, "starts at boot: no");
      computer.type(`clear\n${path} --autostart\n`);
      await shows(computer, "Starts at boot");
      await boot();
      await bridge.link(1);
      computer.type(`clear\n${path} status\n`);
      await shows(computer, "starts at boot: yes");
      // Of the installer, beside the package.
      computer.fs.write("/mcp-computer.lua", programText);
      computer.type(`clear\n${path} --uninstall\n`);
      await computer.idle();
      await world.advance(500);
      await shows(computer, `${path} belongs to ${manager}. Remove it with:`);
      await shows(computer, "ccpm uninstall mcp-computer");
      expect(computer.fs.exists(path)).toBe(true);
      expect(computer.fs.exists("/mcp-computer.lua")).toBe(false);
      expect(computer.fs.exists("/startup")).toBe(false);
      computer.fs.delete(path);
      await boot();
      expect(computer.screen.text()).toBe("CraftOS 1.9\n>");
    } finally {
      world.close();
      await bridge.close();
    }
  });

  it("is named by another copy of the program that is removed", async () => {
    const world = await createWorld({ httpRules: allowAll });
    const packaged = "/ccpm/bin/mcp-computer.lua";
    const own = { "/mcp-computer.lua": programText, [packaged]: programText };
    const computer = world.computer({ label: "base-turtle", files: own });
    computer.turnOn();
    await prompt(computer);
    computer.type("/mcp-computer --uninstall\n");
    await shows(computer, "removed /mcp-computer.lua");
    await shows(computer, "mcp-computer was removed from this computer.");
    await shows(computer, `${packaged} belongs to CCPM. Remove it with: ccpm uninstall`);
    expect(computer.fs.exists(packaged)).toBe(true);
    world.close();
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
