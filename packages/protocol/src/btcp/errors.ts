import { MAX_ERROR_LENGTH } from "./constants.js";
import { isRecord, plainText } from "./text.js";

/** Why a call failed, in the protocol's own words. Tools may use further ones of the same form. */
export const ErrorCode = {
  toolNotFound: "TOOL_NOT_FOUND",
  invalidParams: "INVALID_PARAMS",
  capabilityDenied: "CAPABILITY_DENIED",
  executionError: "EXECUTION_ERROR",
  timeout: "TIMEOUT",
} as const;

/** A failure as both ends see it. */
export interface PageError {
  /** A code of {@link ErrorCode}, or one that the tool made up. */
  code: string;
  message: string;
}

/** The codes of JSON-RPC that this wire uses by itself. */
export const RpcCode = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

const rpcCodes = new Map<string, number>([
  [ErrorCode.toolNotFound, RpcCode.methodNotFound],
  [ErrorCode.invalidParams, RpcCode.invalidParams],
]);

/** Numbers that clients send instead of words; what is not here is a failed execution. */
const words = new Map<number, string>([
  [RpcCode.methodNotFound, ErrorCode.toolNotFound],
  [RpcCode.invalidParams, ErrorCode.invalidParams],
  [-32_001, ErrorCode.timeout],
  [-32_004, ErrorCode.toolNotFound],
  [-32_005, ErrorCode.invalidParams],
  [-32_006, ErrorCode.capabilityDenied],
]);

const wordPattern = /^[A-Z][A-Z0-9_]{0,63}$/;

/** The JSON-RPC error of a failure: what an MCP client is answered. */
export interface RpcError {
  code: number;
  message: string;
  data: { btcpCode: string };
}

/** Translates a failure for MCP. Codes without a number of their own are internal errors. */
export function toRpcError({ code, message }: PageError): RpcError {
  return {
    code: rpcCodes.get(code) ?? RpcCode.internalError,
    message,
    data: { btcpCode: code },
  };
}

/** Reads whatever a page gave as `error`. The page's words stay, without control characters and cut. */
export function readError(error: unknown): PageError {
  if (!isRecord(error)) return { code: ErrorCode.executionError, message: messageOf(error) };
  return { code: codeOf(error), message: messageOf(error.message) };
}

function codeOf({ code, data }: Record<string, unknown>): string {
  const told = isRecord(data) ? data.btcpCode : undefined;
  for (const word of [told, code]) {
    if (typeof word === "string" && wordPattern.test(word)) return word;
  }
  return (typeof code === "number" ? words.get(code) : undefined) ?? ErrorCode.executionError;
}

function messageOf(message: unknown): string {
  const text = typeof message === "string" ? plainText(message, MAX_ERROR_LENGTH).trim() : "";
  return text === "" ? "The page gave no reason." : text;
}
