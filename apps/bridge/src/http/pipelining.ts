import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { limits } from "../limits.js";

const openKey = Symbol("open requests");

/** A connection, and how many of its requests are not answered. */
interface AskingSocket extends Socket {
  [openKey]?: number;
}

/**
 * Bounds what one connection may ask before it reads the answers. Node hands over every request of a
 * piece of data at once, and a small piece can hold hundreds that each have a large answer.
 */
export function limitPipelining(app: FastifyInstance): void {
  app.addHook("onRequest", (request, reply, done) => {
    // Nothing can follow it on its connection, and its response is never written.
    if (request.ws) return done();
    const { socket } = request.raw;
    if (!beginRequest(socket)) {
      reply.hijack();
      socket.destroy();
      return;
    }
    reply.raw.once("close", () => endRequest(socket));
    done();
  });
}

/** How many requests of a connection are not answered. */
export function openRequests(socket: AskingSocket): number {
  return socket[openKey] ?? 0;
}

/** Counts a request; false when it is one too many. */
export function beginRequest(socket: AskingSocket): boolean {
  const count = openRequests(socket) + 1;
  if (count > limits.pipelined || socket.destroyed) return false;
  socket[openKey] = count;
  return true;
}

/** A request that was counted is answered, or will never be. */
export function endRequest(socket: AskingSocket): void {
  socket[openKey] = openRequests(socket) - 1;
}
