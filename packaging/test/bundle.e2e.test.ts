import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cleanEnv } from "../../apps/bridge/test/helpers/spawn-bridge.js";
import { mcpb, packBundle } from "../mcpb/pack.mjs";
import { version } from "../stamp.mjs";

describe("the bundle for Claude Desktop", () => {
  let scratch: string;
  let unpacked: string;

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "ccbridge-bundle-"));
    packBundle(join(scratch, "ccbridge.mcpb"));
    unpacked = join(scratch, "unpacked");
    mcpb(["unpack", join(scratch, "ccbridge.mcpb"), unpacked]);
  });

  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  it("is valid, small, and runs on every system: it holds no native file", () => {
    expect(mcpb(["validate", join(unpacked, "manifest.json")])).toContain("passes");
    expect(statSync(join(scratch, "ccbridge.mcpb")).size).toBeLessThan(20_000_000);
    const files = readdirSync(unpacked, { recursive: true, encoding: "utf8" });
    expect(files.filter((file) => /\.(?:node|so|dylib|dll|exe)$/.test(file))).toEqual([]);
  });

  it("starts as its manifest says, and serves a client over stdio", async () => {
    const { server, user_config: asked } = JSON.parse(
      readFileSync(join(unpacked, "manifest.json"), "utf8"),
    );
    const { command, args, env } = server.mcp_config as {
      command: string;
      args: string[];
      env: Record<string, string>;
    };
    const fill = (text: string) =>
      text
        .replace(/\$\{__dirname\}/, unpacked)
        .replace(/\$\{user_config\.(\w+)\}/, (_, name) => String(asked[name].default));
    const filled = Object.entries(env).map(([name, value]) => [name, fill(value)]);
    const transport = new StdioClientTransport({
      command: command === "node" ? process.execPath : command,
      args: args.map(fill),
      env: cleanEnv({ ...Object.fromEntries(filled), MCP_PORT: "0", CC_LINK_PORT: "0" }),
      stderr: "pipe",
    });
    const client = new Client({ name: "test", version: "1" });
    await client.connect(transport);
    expect(client.getServerVersion()).toMatchObject({ name: "ccbridge", version });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toContain("exec-lua");
    const { prompts } = await client.listPrompts();
    expect(prompts.map(({ name }) => name)).toContain("write-program");
    const { contents } = await client.readResource({ uri: "cc://guide" });
    expect(contents[0]).toMatchObject({ mimeType: "text/markdown" });
    await client.close();
  });
});
