import type { FastifyReply } from "fastify";
import { errorBody, RpcErrorCode } from "./json-rpc.js";

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
