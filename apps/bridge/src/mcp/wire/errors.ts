import type { FastifyReply } from "fastify";
import { errorBody, RpcErrorCode } from "../../http/errors.js";

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
