import { wellFormedJson } from "@ccbridge/protocol";
import type { FastifyReply } from "fastify";

export type RequestId = string | number;

export interface JsonRpcMessage {
  jsonrpc: "2.0";
  id?: RequestId | undefined;
  method?: string;
  params?: Record<string, unknown> | undefined;
  result?: unknown;
  error?: { code: number; message: string; data?: unknown } | undefined;
}

/** Clients show it to a person: most of them have a command that reconnects a server. */
export const SESSION_GONE =
  "The bridge was restarted, or this session ended: reconnect this server.";

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

export function errorBody(
  code: number,
  message: string,
  id: RequestId | null = null,
  data?: object,
): string {
  return wellFormedJson({ jsonrpc: "2.0", error: { code, message, data }, id });
}

export const TOO_MANY_GUESSES = "Too many wrong tokens came from this address. Try again later.";

export type Refuse = (reply: FastifyReply, status: number, message: string) => FastifyReply;

export const refuse: Refuse = (reply, status, message) =>
  reply.code(status).type("application/json").send(errorBody(RpcErrorCode.refused, message));

export const refuseInText: Refuse = (reply, status, message) =>
  reply.code(status).type("text/plain; charset=utf-8").send(`${message}\n`);

export function refuseGuesser(reply: FastifyReply, waitMs: number, answer = refuse): FastifyReply {
  reply.header("Retry-After", String(Math.ceil(waitMs / 1_000)));
  return answer(reply, 429, TOO_MANY_GUESSES);
}

export function fail(
  reply: FastifyReply,
  status: number,
  code: number,
  message: string,
  id?: string | number,
): FastifyReply {
  return reply
    .code(status)
    .type("application/json")
    .send(errorBody(code, message, id ?? null));
}

export function fullHouse(reply: FastifyReply): FastifyReply {
  reply.header("Retry-After", "30");
  return fail(reply, 503, RpcErrorCode.refused, "Too many sessions are busy. Try again later.");
}
