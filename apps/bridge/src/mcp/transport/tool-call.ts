import type { JsonRpcMessage, RequestId } from "../../http/json-rpc.js";

/** A tools/call that is as plain as nearly all of them are. */
export interface ToolCall {
  readonly id: RequestId;
  readonly name: string;
  readonly args: Record<string, unknown> | undefined;
  readonly progressToken: RequestId | undefined;
}

/** Tells the code that works on a call that it was cancelled, or that its client is gone. */
export type StopCall = (why: "cancelled" | "gone") => void;

/**
 * Reads a tools/call without the SDK, which checks each of them three times over. Whatever is not plainly
 * right is left to the SDK, so that its error messages stay the same.
 */
export function readToolCall({ id, method, params }: JsonRpcMessage): ToolCall | undefined {
  if (method !== "tools/call" || id === undefined || !isObject(params)) return undefined;
  const { name, arguments: args, _meta: meta, task } = params;
  if (typeof name !== "string" || task !== undefined) return undefined;
  if (args !== undefined && !isObject(args)) return undefined;
  if (meta === undefined) return { id, name, args, progressToken: undefined };
  if (!isObject(meta)) return undefined;
  const { progressToken } = meta;
  if (progressToken !== undefined && !isId(progressToken)) return undefined;
  // What else stands there may mean something to the SDK.
  if (Object.keys(meta).some((key) => key.startsWith("io.modelcontextprotocol/"))) return undefined;
  return { id, name, args, progressToken };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isId(value: unknown): value is RequestId {
  return typeof value === "string" || Number.isInteger(value);
}
