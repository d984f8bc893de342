import { exceededLimit, isRecord, wellFormedJson } from "@ccbridge/protocol";
import { limits } from "../../config/limits.js";
import { errorBody, type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import type { Received } from "../sdk/session-transport.js";

const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

export const supportedProtocolVersions: ReadonlySet<string> = new Set(versions);

type MessageKind = "request" | "initialize" | "notification" | "response" | "invalid";

/**
 * How the SDK's server classifies a message; what it would ignore is invalid. Written by hand after the SDK's
 * schemas: every message passes here, and the SDK is loaded only for the first client.
 */
function messageKind(message: unknown): MessageKind {
  if (!isRecord(message) || message.jsonrpc !== "2.0") return "invalid";
  const { id, method, params } = message;
  const hasId = id !== undefined;
  if (hasId && !isId(id)) return "invalid";
  if (method === undefined) return isResponse(message, hasId) ? "response" : "invalid";
  if (typeof method !== "string" || !hasOnly(message, "id", "method", "params")) return "invalid";
  if (params !== undefined && !hasGoodMeta(params)) return "invalid";
  // `id: undefined` is not a notification.
  if (!hasId) return "id" in message ? "invalid" : "notification";
  return method === "initialize" && isInitialize(params) ? "initialize" : "request";
}

function isResponse(message: Record<string, unknown>, hasId: boolean): boolean {
  if (message.error === undefined) {
    return hasId && hasOnly(message, "id", "result") && hasGoodMeta(message.result);
  }
  const { error } = message;
  if (!hasOnly(message, "id", "error") || !isRecord(error)) return false;
  return Number.isSafeInteger(error.code) && typeof error.message === "string";
}

function isInitialize(params: unknown): boolean {
  if (!isRecord(params)) return false;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isRecord(capabilities)) return false;
  if (!isRecord(clientInfo)) return false;
  return typeof clientInfo.name === "string" && typeof clientInfo.version === "string";
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";

function hasGoodMeta(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { _meta: meta } = value;
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const { progressToken, [RELATED_TASK]: task } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return false;
  return task === undefined || (isRecord(task) && typeof task.taskId === "string");
}

function hasOnly(message: object, ...names: string[]): boolean {
  for (const key in message) if (key !== "jsonrpc" && !names.includes(key)) return false;
  return true;
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}

export interface Refusal {
  code: number;
  message: string;
}

/** A single message below this size cannot cost much, whatever it contains. */
const SMALL = 4_096;

const NOT_JSON_RPC: Refusal = {
  code: RpcErrorCode.invalidRequest,
  message: "Invalid request: not a JSON-RPC 2.0 message.",
};

export function readMessages(text: unknown): Received | Refusal {
  if (typeof text !== "string")
    return { code: RpcErrorCode.parse, message: "The body is missing." };
  const batch = !text.startsWith("{") && /^\s*\[/.test(text);
  const problem = batch || text.length > SMALL ? checkShape(text, batch) : undefined;
  if (problem !== undefined) return { code: RpcErrorCode.invalidRequest, message: problem };
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return { code: RpcErrorCode.parse, message: "Parse error: the body is not JSON." };
  }
  const messages = (batch ? body : [body]) as JsonRpcMessage[];
  const ids: RequestId[] = [];
  let initializes = false;
  for (const message of messages) {
    const kind = messageKind(message);
    if (kind === "invalid") return NOT_JSON_RPC;
    initializes ||= kind === "initialize";
    const isRequest = kind === "request" || kind === "initialize";
    if (isRequest && message.id !== undefined) ids.push(message.id);
  }
  if (messages.length === 0) return NOT_JSON_RPC;
  if (new Set(ids).size < ids.length) {
    const message = "Invalid request: two requests of a batch have the same id.";
    return { code: RpcErrorCode.invalidRequest, message };
  }
  // A session keeps clientInfo and capabilities in memory.
  if (initializes && text.length > limits.helloLength) {
    const message = `An initialize message may be ${limits.helloLength} characters long at most.`;
    return { code: RpcErrorCode.invalidRequest, message };
  }
  return { messages, ids, initializes, batch };
}

function checkShape(text: string, batch: boolean): string | undefined {
  const items = batch ? limits.batchMessages : Infinity;
  const { jsonDepth: depth, jsonValues: values } = limits;
  switch (exceededLimit(text, { depth, items, values })) {
    case "items":
      return `A batch may hold at most ${items} messages.`;
    case "depth":
      return `A message may be nested at most ${limits.jsonDepth} levels deep.`;
    case "values":
      return `A message may hold at most ${values} values.`;
    case undefined:
      return undefined;
  }
}

/**
 * The text of a message. Not everything can be written as JSON (too deep, too long, circular): then a call is
 * answered with an error, since it must be answered, and a notification is left out.
 */
export function serialize(message: JsonRpcMessage): string | undefined {
  try {
    return wellFormedJson(message);
  } catch (error) {
    const { id, method } = message;
    if (id === undefined || method !== undefined) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return errorBody(
      RpcErrorCode.internal,
      `The answer cannot be written as JSON (${reason}). Ask for less of it.`,
      id,
    );
  }
}
