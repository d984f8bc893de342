import { errorBody, type JsonRpcMessage, RpcErrorCode } from "../../http/json-rpc.js";

/**
 * The text of a message. Not everything can be written as JSON (too deep, too long, circular): then a call is
 * answered with an error, since it must be answered, and a notification is left out.
 */
export function serialize(message: JsonRpcMessage): string | undefined {
  try {
    return JSON.stringify(message);
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
