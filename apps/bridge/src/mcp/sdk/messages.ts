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
  if (isPlainCall(message)) return "request";
  if (isJSONRPCRequest(message)) {
    // The method first: a schema that does not match costs far more than one that does.
    const initialize = message.method === "initialize" && isInitializeRequest(message);
    return initialize ? "initialize" : "request";
  }
  if (isJSONRPCNotification(message)) return "notification";
  if (isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)) return "response";
  return "invalid";
}

/** A call of a tool, checked by hand just as the SDK's schema does: nearly all messages are one. */
function isPlainCall(message: unknown): boolean {
  if (typeof message !== "object" || message === null) return false;
  const { jsonrpc, id, method, params } = message as Record<string, unknown>;
  if (method !== "tools/call" || jsonrpc !== "2.0") return false;
  if (typeof id !== "string" && !Number.isSafeInteger(id)) return false;
  if (typeof params !== "object" || params === null || Array.isArray(params)) return false;
  // What else it holds is for the schema to judge.
  return !("_meta" in params) && Object.keys(message).length === 4;
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
