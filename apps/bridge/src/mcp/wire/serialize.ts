import { wellFormed } from "@ccbridge/protocol";
import { errorBody, type JsonRpcMessage, RpcErrorCode } from "../../http/errors.js";

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

/** JSON without half characters: JavaScript writes them as `\\ud800`, and strict parsers refuse the whole message. */
function wellFormedJson(value: unknown): string {
  const text = JSON.stringify(value);
  if (!text.includes("\\ud")) return text;
  return JSON.stringify(value, (_, item) => {
    if (typeof item === "string") return wellFormed(item);
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    return Object.fromEntries(Object.entries(item).map(([key, each]) => [wellFormed(key), each]));
  });
}
