import { exceededLimit } from "@ccbridge/protocol";
import { limits } from "../../config/limits.js";
import { type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import { messageKind } from "./message-kind.js";
import type { Received } from "./session-transport.js";

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
