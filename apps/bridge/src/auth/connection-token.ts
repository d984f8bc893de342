import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { refuseGuesser, refuseInText } from "../http/refusals.js";
import type { GuessLimiter } from "./guess-limiter.js";
import { bearerToken } from "./tokens.js";

export function connectionToken(request: FastifyRequest): string | undefined {
  const query = request.query as { token?: string | string[] };
  const fromUrl = Array.isArray(query.token) ? query.token[0] : query.token;
  return bearerToken(request.headers.authorization) ?? fromUrl;
}

export function refuseGuessers(guesses: GuessLimiter): onRequestHookHandler {
  return (request, reply, done) => {
    const waitMs = request.ws ? guesses.connectWaitMs(request.ip, connectionToken(request)) : 0;
    if (waitMs > 0) refuseGuesser(reply, waitMs, refuseInText);
    else done();
  };
}
