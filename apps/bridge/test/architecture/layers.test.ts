import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it, onTestFinished } from "vitest";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

function refused(imports: Record<string, string>): string[] {
  const scratch = mkdtempSync(join(tmpdir(), "ccbridge-layers-"));
  onTestFinished(() => rmSync(scratch, { recursive: true }));
  const config = JSON.parse(readFileSync(join(root, "biome.json"), "utf8"));
  writeFileSync(
    join(scratch, "biome.json"),
    JSON.stringify({ ...config, vcs: { enabled: false } }),
  );
  for (const [file, module] of Object.entries(imports)) {
    mkdirSync(join(scratch, dirname(file)), { recursive: true });
    writeFileSync(join(scratch, file), `import { x } from "${module}";\n\nexport const y = x;\n`);
  }
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const rules = ["--only=style/noRestrictedImports", "--only=correctness/noNodejsModules"];
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [biome, "lint", ...rules, "--reporter=github", "--max-diagnostics=none", "."],
    { cwd: scratch, encoding: "utf8" },
  );
  return Object.keys(imports).filter((file) => `${stdout}${stderr}`.includes(`/${file},`));
}

it("lint refuses imports against the arrows, and only those", () => {
  const against = {
    "packages/protocol/src/a.ts": "@ccbridge/registry",
    "packages/protocol/src/b.ts": "ws",
    "packages/protocol/src/c.ts": "node:fs",
    "packages/registry/src/a.ts": "@ccbridge/mcp-tools",
    "packages/registry/src/b.ts": "@ccbridge/bridge",
    "packages/registry/src/c.ts": "fastify",
    "packages/registry/src/d.ts": "./kinds/computer/link.js",
    "packages/registry/src/port/a.ts": "../kinds/computer/provider.js",
    "packages/registry/src/jobs/a.ts": "../kinds/computer/provider.js",
    "packages/registry/src/jobs/b.ts": "fastify",
    "packages/registry/src/kinds/server/a.ts": "../computer/link.js",
    "packages/registry/src/kinds/server/b.ts": "ws",
    "packages/registry/src/kinds/server/c.ts": "../../local-port.js",
    "packages/store/src/a.ts": "@ccbridge/mcp-tools",
    "packages/store/src/b.ts": "fastify",
    "packages/cluster/src/a.ts": "@ccbridge/mcp-tools",
    "packages/cluster/src/b.ts": "fastify",
    "packages/mcp-tools/src/a.ts": "@ccbridge/bridge",
    "packages/mcp-tools/src/b.ts": "@modelcontextprotocol/sdk/server/index.js",
    "packages/mcp-tools/src/c.ts": "@ccbridge/registry/testing",
    "apps/minecraft-agent/src/a.ts": "@ccbridge/registry",
    "apps/minecraft-agent/src/b.ts": "fastify",
    "packages/pages/src/a.ts": "zod",
    "packages/pages/src/b.ts": "@ccbridge/protocol/btcp",
    "apps/bridge/src/mcp/a.ts": "@modelcontextprotocol/sdk/server/index.js",
  };
  const along = {
    "packages/protocol/src/ok.ts": "zod",
    "packages/registry/src/ok.ts": "@ccbridge/protocol",
    "packages/registry/src/index.ts": "./kinds/computer/link.js",
    "packages/registry/src/kinds/server/ok.ts": "../../session.js",
    "packages/registry/src/kinds/server/provider.ts": "../../port/port.js",
    "packages/registry/src/kinds/server/own.ts": "./link.js",
    "packages/registry/src/kinds/server/wire.ts": "@ccbridge/protocol/minecraft",
    "packages/store/src/ok.ts": "@ccbridge/registry",
    "packages/cluster/src/ok.ts": "@ccbridge/registry",
    "packages/mcp-tools/src/ok.ts": "@ccbridge/registry",
    "apps/minecraft-agent/src/ok.ts": "@ccbridge/protocol/minecraft",
    "packages/pages/src/ok.ts": "./tool.js",
    "apps/bridge/src/mcp/sdk/ok.ts": "@modelcontextprotocol/sdk/server/index.js",
    "apps/bridge/src/ok.ts": "@ccbridge/mcp-tools",
  };
  expect(refused({ ...against, ...along })).toEqual(Object.keys(against));
});
