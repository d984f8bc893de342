import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { JSONRPCMessage } from "@modelcontextprotocol/sdk/types.js";
import type { JsonRpcMessage } from "../../http/json-rpc.js";

export type { JSONRPCMessage, Transport };

/** The client's end of stdio. Loaded only where it is used: it costs start-up time. */
export async function stdioTransport(): Promise<Transport> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  return new StdioServerTransport();
}

/** For code that passes messages on without looking into them. */
export function asJsonRpc(message: JSONRPCMessage): JsonRpcMessage {
  return message as JsonRpcMessage;
}
