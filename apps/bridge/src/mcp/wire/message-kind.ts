const versions = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

export const supportedProtocolVersions: ReadonlySet<string> = new Set(versions);

export type MessageKind = "request" | "initialize" | "notification" | "response" | "invalid";

/**
 * How the SDK's server classifies a message; what it would ignore is invalid. Written by hand after the SDK's
 * schemas: every message passes here, and the SDK is loaded only for the first client.
 */
export function messageKind(message: unknown): MessageKind {
  if (!isObject(message) || message.jsonrpc !== "2.0") return "invalid";
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
  if (!hasOnly(message, "id", "error") || !isObject(error)) return false;
  return Number.isSafeInteger(error.code) && typeof error.message === "string";
}

function isInitialize(params: unknown): boolean {
  if (!isObject(params)) return false;
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== "string" || !isObject(capabilities)) return false;
  if (!isObject(clientInfo)) return false;
  return typeof clientInfo.name === "string" && typeof clientInfo.version === "string";
}

const RELATED_TASK = "io.modelcontextprotocol/related-task";

function hasGoodMeta(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { _meta: meta } = value;
  if (meta === undefined) return true;
  if (!isObject(meta)) return false;
  const { progressToken, [RELATED_TASK]: task } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return false;
  return task === undefined || (isObject(task) && typeof task.taskId === "string");
}

function hasOnly(message: object, ...names: string[]): boolean {
  for (const key in message) if (key !== "jsonrpc" && !names.includes(key)) return false;
  return true;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is string | number {
  return typeof value === "string" || Number.isSafeInteger(value);
}
