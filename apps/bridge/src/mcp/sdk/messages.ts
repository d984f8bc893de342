import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  isInitializeRequest,
  isJSONRPCErrorResponse,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
  type JSONRPCMessage,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import type { JsonRpcMessage } from "../../http/json-rpc.js";

export type { JSONRPCMessage, Transport };

export const supportedProtocolVersions: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS);

export type MessageKind = "request" | "initialize" | "notification" | "response" | "invalid";

/** What the SDK's server will take a message for. Anything it would ignore is invalid. */
export function messageKind(message: unknown): MessageKind {
  if (isJSONRPCRequest(message)) {
    // The method first: a schema that does not match costs far more than one that does.
    const initialize = message.method === "initialize" && isInitializeRequest(message);
    return initialize ? "initialize" : "request";
  }
  if (isJSONRPCNotification(message)) return "notification";
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return "response";
  return "invalid";
}

/** The client's end of stdio. Loaded only where it is used: it costs start-up time. */
export async function stdioTransport(): Promise<Transport> {
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js");
  return new StdioServerTransport();
}

/** For code that passes messages on without looking into them. */
export function asJsonRpc(message: JSONRPCMessage): JsonRpcMessage {
  return message as JsonRpcMessage;
}
