import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { expect, it } from "vitest";
import { parse } from "yaml";
import {
  builtProgram,
  cleanEnv,
  spawnBridge,
} from "../../apps/bridge/test/helpers/spawn-bridge.js";
import { root } from "../../scripts/package-managers.mjs";

const entry = parse(readFileSync(join(root, "packaging/docker-mcp/server.yaml"), "utf8"));

async function sessionsOf(mcpUrl: string, token: string): Promise<unknown> {
  const response = await fetch(new URL("/metrics", mcpUrl), {
    headers: { authorization: `Bearer ${token}` },
  });
  return /^ccbridge_sessions (\d+)$/m.exec(await response.text())?.[1];
}

it("the container of the Docker catalog passes on to the bridge of the machine, which is found by name", async () => {
  const token = "t".repeat(32);
  const bridge = await spawnBridge([], { MCP_TOKENS: token });
  // `localhost` takes the place of host.docker.internal, which only containers know.
  const values: Record<string, string> = { host: "localhost", port: String(bridge.mcpPort) };
  const env = (entry.config.env as { name: string; value: string }[]).map(({ name, value }) => [
    name,
    value.replace(/^\{\{ccbridge\.(\w+)\}\}$/, (_, parameter) => values[parameter] ?? ""),
  ]);
  const [secret] = entry.config.secrets;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [builtProgram(), ...entry.run.command],
    env: cleanEnv({ ...Object.fromEntries(env), [secret.env]: token }),
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1" });
  await client.connect(transport);
  expect((await client.listTools()).tools.length).toBeGreaterThan(10);
  expect(await sessionsOf(bridge.mcpUrl, token)).toBe("1");
  await client.close();
});
