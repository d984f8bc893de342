import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { limits } from "../limits.js";

/**
 * Bounds what one connection may ask before it reads the answers. Node hands over every request of a
 * piece of data at once, and a small piece can hold hundreds that each have a large answer.
 */
export function limitPipelining(app: FastifyInstance): void {
  const open = new WeakMap<Socket, number>();
  app.addHook("onRequest", (request, reply, done) => {
    // Nothing can follow it on its connection, and its response is never written.
    if (request.ws) return done();
    const { socket } = request.raw;
    const count = (open.get(socket) ?? 0) + 1;
    if (count > limits.pipelined || socket.destroyed) {
      reply.hijack();
      socket.destroy();
      return;
    }
    open.set(socket, count);
    reply.raw.once("close", () => {
      const left = (open.get(socket) ?? 1) - 1;
      if (left > 0) open.set(socket, left);
      else open.delete(socket);
    });
    done();
  });
}
