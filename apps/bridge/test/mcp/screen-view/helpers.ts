import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SCREEN_VIEW_URI, type ScreenView } from "@ccbridge/protocol/screen";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { onTestFinished } from "vitest";
import type { TestBridge } from "../../helpers/bridge.js";
import { scratchDirectory } from "../../helpers/scratch.js";

export const rendering = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};

export function plainView(): string {
  const file = join(scratchDirectory(), "screen-view.html");
  writeFileSync(file, "<!doctype html><title>view</title>");
  return file;
}

export async function connectHost(
  { mcpUrl }: Pick<TestBridge, "mcpUrl">,
  token?: string,
): Promise<Client> {
  const client = new Client({ name: "chat", version: "0" }, { capabilities: rendering });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  const headers: Record<string, string> =
    token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(
    new StreamableHTTPClientTransport(new URL(mcpUrl), { requestInit: { headers } }),
  );
  return client;
}

export async function pollView(
  client: Client,
  args: Record<string, unknown>,
): Promise<{ view: ScreenView | undefined; text: string; isError: boolean }> {
  const result = (await client.callTool({
    name: "read-screen",
    arguments: { view: {}, ...args },
  })) as CallToolResult;
  const [first] = result.content;
  return {
    view: result.structuredContent as ScreenView | undefined,
    text: first?.type === "text" ? first.text : "",
    isError: result.isError === true,
  };
}

export const viewUri = SCREEN_VIEW_URI;
