import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import {
  type Bridge,
  type Config,
  defaultConfig,
  silentLogger,
  startBridge,
} from "../../src/index.js";

export interface TestBridge extends Bridge {
  config: Config;
  mcpUrl: string;
  linkUrl: string;
}

/** A bridge in this process on free ports, closed with the test. */
export async function startTestBridge(settings: Partial<Config> = {}): Promise<TestBridge> {
  const config: Config = {
    ...defaultConfig(),
    mcpPort: 0,
    linkHost: "127.0.0.1",
    linkPort: 0,
    ...settings,
  };
  const bridge = await startBridge({ config, log: silentLogger(), version: "1.2.3" });
  onTestFinished(() => bridge.close());
  return {
    ...bridge,
    config,
    mcpUrl: `http://127.0.0.1:${bridge.mcpPort}/mcp`,
    linkUrl: `ws://127.0.0.1:${bridge.linkPort}`,
  };
}

/** The SDK's own client, connected over HTTP. */
export async function connectClient(
  url: string,
  headers: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: "test", version: "0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  return client;
}

/** Calls a tool and returns the text of its answer beside the rest. */
export async function callTool(
  client: Client,
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<Client["callTool"]>[2] = {},
) {
  const result = await client.callTool({ name, arguments: args }, undefined, options);
  const { content, structuredContent, isError } = result as CallToolResult;
  const [first] = content;
  return { text: first?.type === "text" ? first.text : "", structuredContent, isError };
}
