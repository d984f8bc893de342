export type RequestId = string | number;

export interface JsonRpcMessage {
  jsonrpc: "2.0";
  id?: RequestId | undefined;
  method?: string;
  params?: Record<string, unknown> | undefined;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown } | undefined;
}

export const RpcErrorCode = {
  parse: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internal: -32_603,
  cancelled: -32_800,
  refused: -32_000,
  sessionNotFound: -32_001,
} as const;

export function errorBody(code: number, message: string, id: RequestId | null = null): string {
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id });
}
