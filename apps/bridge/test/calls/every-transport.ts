import type { ToolAnnotations } from "@ccbridge/mcp-tools";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import type { TestBridge } from "../helpers/bridge.js";
import { bearer, connectSessionless } from "./helpers.js";

export interface AnyClient {
  listTools(): Promise<{
    tools: { name: string; annotations?: Partial<ToolAnnotations> | undefined }[];
  }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listResources(): Promise<{ resources: { uri: string }[] }>;
  close(): Promise<void>;
}

export async function connectOver(transport: Transport): Promise<AnyClient> {
  const client = new Client({ name: "test", version: "0" });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client as AnyClient;
}

export const everyTransport = {
  HTTP: ({ mcpUrl }, token) =>
    connectOver(
      new StreamableHTTPClientTransport(new URL(mcpUrl), {
        requestInit: { headers: bearer(token) },
      }) as Transport,
    ),
  "HTTP+SSE": ({ mcpUrl }, token) =>
    connectOver(
      new SSEClientTransport(new URL(`${mcpUrl}/sse`), {
        requestInit: { headers: bearer(token) },
      }) as Transport,
    ),
  WebSocket: ({ mcpUrl }, token) => {
    vi.stubGlobal("WebSocket", WebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const url = new URL(`${mcpUrl.replace("http:", "ws:")}?token=${token}`);
    return connectOver(new WebSocketClientTransport(url) as Transport);
  },
  "without sessions": async (bridge, token) =>
    (await connectSessionless(bridge, token)) as unknown as AnyClient,
} satisfies Record<string, (bridge: TestBridge, token: string) => Promise<AnyClient>>;
