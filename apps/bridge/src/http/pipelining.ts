import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { limits } from "../config/limits.js";

/**
 * Bounds the unanswered requests of one connection. Node parses all pipelined requests of a chunk
 * at once, and a small chunk can contain hundreds with a large response each.
 */
export function limitPipelining(app: FastifyInstance): void {
  const unanswered = new WeakMap<Socket, number>();
  app.addHook("onRequest", (request, reply, done) => {
    // No request can follow an upgrade on its connection.
    if (request.ws) return done();
    const { socket } = request.raw;
    const open = (unanswered.get(socket) ?? 0) + 1;
    if (open > limits.pipelined || socket.destroyed) {
      reply.hijack();
      socket.destroy();
      return;
    }
    unanswered.set(socket, open);
    reply.raw.once("close", () => unanswered.set(socket, (unanswered.get(socket) ?? 1) - 1));
    done();
  });
}
