import type { Server } from "node:http";
import type { Socket } from "node:net";
import { proxyTrust } from "../config/trusted-proxies.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { addressKey } from "./address-key.js";

export interface ConnectionCaps {
  perAddress: number;
  total: number;
  /** The setting to name to a refused peer. */
  setting: string;
  /** Their connections belong to others, whom `capForwarded` counts. */
  trustedProxies: readonly string[];
}

/** How many connections each address has. */
class AddressCount {
  readonly #counts = new Map<string, number>();

  /** Counts one more, and returns how many there are. */
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

/** Bounds the connections of a listener, of each address and in total. */
export function capConnections(server: Server, caps: ConnectionCaps, log: PeerLog): void {
  const counts = new AddressCount();
  const isProxy = proxyTrust(caps.trustedProxies);
  // The kernel would queue them forever; this closes them on arrival.
  server.maxConnections = caps.total;
  server.on("drop", (data) => {
    const address = addressKey(data?.remoteAddress);
    log.warn({ address, port: data?.localPort }, "connection refused: too many in total");
  });
  server.on("connection", (socket) => {
    if (isProxy(socket.remoteAddress)) return;
    const address = addressKey(socket.remoteAddress);
    const count = counts.add(address);
    socket.on("close", () => counts.remove(address));
    if (count <= caps.perAddress) return;
    log.warn({ address, setting: caps.setting }, "connection refused: too many of one address");
    refuse(socket, caps);
  });
}

/** Answers before the request has arrived, with a reason for people to read. */
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
