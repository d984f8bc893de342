import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { addressKey, proxyTrust } from "../config/addresses.js";
import { limits } from "../config/limits.js";
import type { PeerLog } from "../monitor/peer-log.js";

export interface ConnectionCaps {
  perAddress: number;
  total: number;
  setting: string;
  trustedProxies: readonly string[];
}

class AddressCount {
  readonly #counts = new Map<string, number>();

  add(address: string): number {
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return count;
  }

  remove(address: string): void {
    const count = (this.#counts.get(address) ?? 0) - 1;
    if (count > 0) this.#counts.set(address, count);
    else this.#counts.delete(address);
  }
}

export function capConnections(server: Server, caps: ConnectionCaps, log: PeerLog): void {
  const counts = new AddressCount();
  const addresses = new WeakMap<Socket, string>();
  // One listener for all connections: a closure for each would stay as long as the connection.
  function onClose(this: Socket): void {
    counts.remove(addresses.get(this) ?? "");
  }
  const isProxy = proxyTrust(caps.trustedProxies);
  // Closes excess connections on arrival; the kernel would queue them forever.
  server.maxConnections = caps.total;
  server.on("drop", (data) => {
    const address = addressKey(data?.remoteAddress);
    log.warn({ address, port: data?.localPort }, "connection refused: too many in total");
  });
  server.on("connection", (socket) => {
    if (isProxy(socket.remoteAddress)) return;
    const address = addressKey(socket.remoteAddress);
    const count = counts.add(address);
    addresses.set(socket, address);
    socket.on("close", onClose);
    if (count <= caps.perAddress) return;
    log.warn({ address, setting: caps.setting }, "connection refused: too many from one address");
    refuse(socket, caps);
  });
}

/** Responds before the request has arrived, with a readable reason. */
function refuse(socket: Socket, { setting, perAddress }: ConnectionCaps): void {
  const body = `${tooManyConnections(perAddress, setting)}\n`;
  socket.on("error", () => {});
  socket.write(
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 30\r\n" +
      `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

export function tooManyConnections(perAddress: number, setting: string): string {
  return `This address has ${perAddress} connections here, which is the limit (${setting}).`;
}

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
