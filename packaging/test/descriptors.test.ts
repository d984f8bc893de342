import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createWorld } from "@ccbridge/cc-host";
import { describe, expect, it, onTestFinished } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { loadCommand } from "../../apps/bridge/src/config/load.js";
import { settings } from "../../apps/bridge/src/config/settings.js";
import { root } from "../../scripts/package-managers.mjs";
import { fill, texts } from "../../vitest.texts.js";
import { mcpb } from "../mcpb/pack.mjs";
import { owner, version } from "../stamp.mjs";

const read = (path: string) => readFileSync(join(root, path), "utf8");
const json = (path: string) => JSON.parse(read(path));
const isSetting = (name: string) => Object.values(settings).some(({ env }) => env === name);

/** What the MCP registry demands of a server.json (its schema of 2025-12-11), for the parts that ours has. */
const input = { description: z.string(), isSecret: z.boolean().optional() };
const RegistryEntry = z.strictObject({
  $schema: z.literal(
    "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
  ),
  name: z
    .string()
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)
    .min(3)
    .max(200),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version: z.string().max(255),
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.literal("github"), subfolder: z.string() }),
  packages: z.array(
    z.strictObject({
      registryType: z.enum(["npm", "mcpb", "oci"]),
      identifier: z.string(),
      version: z.string().min(1),
      runtimeHint: z.string(),
      transport: z.strictObject({ type: z.literal("stdio") }),
      packageArguments: z.array(
        z.strictObject({ type: z.literal("positional"), value: z.string() }),
      ),
      environmentVariables: z.array(
        z.strictObject({
          name: z.string(),
          ...input,
          format: z.enum(["string", "number", "boolean", "filepath"]).optional(),
          default: z.string().optional(),
        }),
      ),
    }),
  ),
});

describe("server.json of the MCP registry", () => {
  const entry = RegistryEntry.parse(json("packaging/mcp-registry/server.json"));
  const [npm] = entry.packages;
  const manifest = json("apps/ccbridge/package.json");

  it("names the npm package that names it", () => {
    expect(manifest.mcpName).toBe(entry.name);
    expect(entry.name).toBe(`io.github.${owner}/ccbridge`);
    expect(npm).toMatchObject({ identifier: manifest.name, version: manifest.version });
    expect(entry.version).toBe(version);
    expect(existsSync(join(root, entry.repository.subfolder))).toBe(true);
  });

  it("starts the bridge with arguments and settings that it knows", () => {
    const argv = npm?.packageArguments.map(({ value }) => value) ?? [];
    const variables = npm?.environmentVariables ?? [];
    expect(variables.filter(({ name }) => !isSetting(name))).toEqual([]);
    const env = Object.fromEntries(variables.map((each) => [each.name, each.default]));
    expect(loadCommand({ argv, env })).toMatchObject({ action: "serve", stdio: true });
  });
});

describe("plugins and extensions", () => {
  it("the marketplace leads to the plugin, which has its own server and skill", () => {
    const [plugin] = json(".claude-plugin/marketplace.json").plugins;
    const folder = join(root, plugin.source);
    const manifest = JSON.parse(readFileSync(join(folder, ".claude-plugin/plugin.json"), "utf8"));
    expect(plugin).toMatchObject({ name: manifest.name, version: manifest.version });
    expect(existsSync(join(folder, "skills/computercraft-lua/SKILL.md"))).toBe(true);
  });

  it.each(["packaging/claude-code/.mcp.json", "gemini-extension.json"])(
    "%s starts this version over stdio",
    (path) => {
      const { command, args } = json(path).mcpServers.ccbridge;
      expect([command, ...args]).toEqual(["npx", "-y", `ccbridge@${version}`, "--stdio"]);
    },
  );

  it("the manifest of the bundle is valid, and its settings exist", () => {
    expect(mcpb(["validate", join(root, "packaging/mcpb/manifest.json")])).toContain("passes");
    const { server, user_config: asked } = json("packaging/mcpb/manifest.json");
    const env = server.mcp_config.env as Record<string, string>;
    expect(Object.keys(env).filter((name) => !isSetting(name))).toEqual([]);
    const used = Object.values(env).map((value) => /^\$\{user_config\.(\w+)\}$/.exec(value)?.[1]);
    expect(used.sort()).toEqual(Object.keys(asked).sort());
  });

  it("the Docker catalog's entry passes on to a bridge on the machine", () => {
    const entry = parse(read("packaging/docker-mcp/server.yaml"));
    expect(entry).toMatchObject({
      name: "ccbridge",
      type: "server",
      run: { command: ["--stdio"] },
    });
    expect(entry.about.title).toMatch(/^(?!.*(?:MCP|Server))[A-Z]/);
    expect(entry.source.commit).toMatch(/^[0-9a-f]{40}$/);
    expect(entry.config.secrets.map(({ env }: { env: string }) => isSetting(env))).toEqual([true]);
    const env = entry.config.env as { name: string; value: string }[];
    expect(env.filter(({ name }) => !isSetting(name))).toEqual([]);
    const parameters = env.map(({ value }) => /^\{\{ccbridge\.(\w+)\}\}$/.exec(value)?.[1]);
    expect(parameters).toEqual(Object.keys(entry.config.parameters.properties));
  });
});

describe("stores in the game", () => {
  const install = "lua/public/install.lua";

  it("PineStore's fields fit, and its command downloads a file of the repository", () => {
    const project = json("packaging/pinestore/project.json");
    expect(project.install_command.length).toBeLessThanOrEqual(150);
    expect(project.target_file.length).toBeLessThanOrEqual(30);
    expect(project.install_command).toBe(fill(texts.wgetRunHttpsRaw, owner, install));
    expect(existsSync(join(root, install))).toBe(true);
    expect(existsSync(join(root, "packaging/pinestore", project.description_markdown))).toBe(true);
  });

  it("unicornpkg can load the package, and its files exist", async () => {
    const world = await createWorld();
    onTestFinished(() => world.close());
    const files = {
      "/mcp-computer.lua": read("packaging/unicornpkg/mcp-computer.lua"),
      "/show.lua":
        'local file = fs.open("/out", "w") file.write(textutils.serialiseJSON(dofile("/mcp-computer.lua"))) file.close()',
    };
    const computer = world.computer({ files });
    computer.turnOn();
    await computer.idle();
    computer.type("show\n");
    await computer.until(() => computer.fs.exists("/out"));
    await computer.idle();
    const loaded = JSON.parse(computer.fs.read("/out"));
    expect(loaded).toMatchObject({
      name: "mcp-computer",
      version,
      unicornSpec: "v1.0.0",
      pkgType: "com.github",
      instdat: { repo_owner: owner, repo_name: "ccbridge", repo_ref: `v${version}` },
    });
    const tracked = execFileSync("git", ["ls-files", "-co", "--exclude-standard"], {
      cwd: root,
      encoding: "utf8",
    }).split("\n");
    expect(tracked).toEqual(expect.arrayContaining(Object.keys(loaded.instdat.filemaps)));
  });
});
