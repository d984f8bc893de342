import { isRecord } from "../json-schema.js";
import { MAX_ERROR_LENGTH } from "./constants.js";
import { cutText } from "./text.js";

export const PageErrorCode = {
  toolNotFound: "TOOL_NOT_FOUND",
  invalidParams: "INVALID_PARAMS",
  capabilityDenied: "CAPABILITY_DENIED",
  executionError: "EXECUTION_ERROR",
  timeout: "TIMEOUT",
} as const;

export interface PageError {
  code: string;
  message: string;
}

export const RpcCode = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

const rpcCodes = new Map<string, number>([
  [PageErrorCode.toolNotFound, RpcCode.methodNotFound],
  [PageErrorCode.invalidParams, RpcCode.invalidParams],
]);

const words = new Map<number, string>([
  [RpcCode.methodNotFound, PageErrorCode.toolNotFound],
  [RpcCode.invalidParams, PageErrorCode.invalidParams],
  [-32_001, PageErrorCode.timeout],
  [-32_004, PageErrorCode.toolNotFound],
  [-32_005, PageErrorCode.invalidParams],
  [-32_006, PageErrorCode.capabilityDenied],
]);

const wordPattern = /^[A-Z][A-Z0-9_]{0,63}$/;

export interface RpcError {
  code: number;
  message: string;
  data: { btcpCode: string };
}

/** Codes without a JSON-RPC number become internal errors. */
export function toRpcError({ code, message }: PageError): RpcError {
  return {
    code: rpcCodes.get(code) ?? RpcCode.internalError,
    message,
    data: { btcpCode: code },
  };
}

export function readError(error: unknown): PageError {
  if (!isRecord(error)) return { code: PageErrorCode.executionError, message: messageOf(error) };
  return { code: codeOf(error), message: messageOf(error.message) };
}

function codeOf({ code, data }: Record<string, unknown>): string {
  const ownCode = isRecord(data) ? data.btcpCode : undefined;
  for (const word of [ownCode, code]) {
    if (typeof word === "string" && wordPattern.test(word)) return word;
  }
  return (typeof code === "number" ? words.get(code) : undefined) ?? PageErrorCode.executionError;
}

function messageOf(message: unknown): string {
  const text = typeof message === "string" ? cutText(message, MAX_ERROR_LENGTH).trim() : "";
  return text === "" ? "The page gave no reason." : text;
}
