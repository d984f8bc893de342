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
    const socket: AskingSocket = request.raw.socket;
    const open = (socket[openKey] ?? 0) + 1;
    if (open > limits.pipelined || socket.destroyed) {
      reply.hijack();
      socket.destroy();
      return;
    }
    socket[openKey] = open;
    reply.raw.once("close", () => {
      socket[openKey] = (socket[openKey] ?? 1) - 1;
    });
    done();
  });
}
