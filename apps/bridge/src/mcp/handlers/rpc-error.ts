import { nearestName, ResourceNotFound, ToolError } from "@ccbridge/mcp-tools";
import { RpcErrorCode } from "../../http/errors.js";

/** MCP's code for an unknown URI. */
export const RESOURCE_NOT_FOUND = -32002;

/** An error of JSON-RPC. The SDK's own class puts a prefix before the message, and clients put it there again. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Runs a lookup; what it does not find becomes MCP's error. */
export function mapNotFound<T>(find: () => T, uri?: string): T {
  try {
    return find();
  } catch (error) {
    return throwNotFound(error, uri);
  }
}

export function throwNotFound(error: unknown, uri?: string): never {
  if (error instanceof ResourceNotFound && uri !== undefined) {
    throw new RpcError(RESOURCE_NOT_FOUND, error.message, { uri: uri.slice(0, 256) });
  }
  if (error instanceof ToolError) {
    throw new RpcError(RpcErrorCode.invalidParams, `${error.message} ${error.hint}`);
  }
  throw new RpcError(RpcErrorCode.invalidParams, (error as Error).message);
}

export function unknownNameError(what: string, name: string, names: Iterable<string>): RpcError {
  const known = [...names];
  const near = nearestName(name, known);
  const hint = near === undefined ? "" : ` Did you mean ${near}?`;
  return new RpcError(
    RpcErrorCode.invalidParams,
    `There is no ${what} "${name.slice(0, 64)}".${hint} The ${what}s are ${known.join(", ")}.`,
    { unknown: what },
  );
}
