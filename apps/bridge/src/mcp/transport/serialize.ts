import type { ContentBlock } from "@ccbridge/protocol/btcp";
import { ErrorCode, errorBody, type JsonRpcMessage } from "../../http/json-rpc.js";

/**
 * The text of a message. Not everything can be written as JSON (too deep, too long, circular): then a
 * call is answered with an error, since it must be answered, and a notification is left out.
 */
export function serialize(message: JsonRpcMessage): string | undefined {
  try {
    return plainAnswer(message) ?? JSON.stringify(message);
  } catch (error) {
    const { id, method } = message;
    if (id === undefined || method !== undefined) return undefined;
    const reason = error instanceof Error ? error.message : String(error);
    return errorBody(
      ErrorCode.internal,
      `The answer cannot be written as JSON (${reason}). Ask for less of it.`,
      id,
    );
  }
}

/** An answer that is a text and nothing else, as nearly all are: what is around the text is always the same. */
function plainAnswer(message: JsonRpcMessage & { result?: object }): string | undefined {
  const { id, result } = message;
  if (id === undefined || result === undefined || !hasOnly(result, "content")) return undefined;
  const { content } = result as { content?: ContentBlock[] };
  const block = content?.length === 1 ? content[0] : undefined;
  if (block?.type !== "text") return undefined;
  if (!hasOnly(block, "type", "text") || typeof block.text !== "string") return undefined;
  const text = JSON.stringify(block.text);
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":${text}}]}}`;
}

function hasOnly(value: object, first: string, second = first): boolean {
  for (const name in value) if (name !== first && name !== second) return false;
  return true;
}
