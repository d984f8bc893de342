// The only folder that imports the MCP SDK.
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { JsonRpcMessage } from "../../http/errors.js";

export type { JSONRPCMessage, Transport };

/** The client side of stdio, loaded on demand: it costs start-up time. */
export async function stdioTransport(): Promise<Transport> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  return new StdioServerTransport();
}

export function asJsonRpc(message: JSONRPCMessage): JsonRpcMessage {
  return message as JsonRpcMessage;
}

/** The server of sessions. Loaded when it is first needed: it costs start-up time. */
export function loadSdk() {
  return import("./session-server.js");
}
