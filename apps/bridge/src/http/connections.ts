import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey } from "../net/address-key.js";
import type { PeerLog } from "../peer-log.js";

export interface ConnectionCaps {
  perAddress: number;
  total: number;
  /** The setting to name to whoever is refused. */
  setting: string;
}

/** Bounds the connections of a listener, of each address and in total. */
export function capConnections(server: Server, caps: ConnectionCaps, log: PeerLog): void {
  const counts = new Map<string, number>();
  // The kernel would queue them for ever; like this they are closed as they come.
  server.maxConnections = caps.total;
  server.on("drop", (data) => {
    const address = addressKey(data?.remoteAddress);
    log.warn({ address, port: data?.localPort }, "connection refused: too many in total");
  });
  server.on("connection", (socket) => {
    const address = addressKey(socket.remoteAddress);
    const count = (counts.get(address) ?? 0) + 1;
    counts.set(address, count);
    socket.once("close", () => {
      const left = (counts.get(address) ?? 1) - 1;
      if (left > 0) counts.set(address, left);
      else counts.delete(address);
    });
    if (count <= caps.perAddress) return;
    log.warn({ address, setting: caps.setting }, "connection refused: too many of one address");
    refuse(socket, caps);
  });
}

/** Nobody waits for a whole request of such a peer, but a person at its other end may read why. */
function refuse(socket: Socket, { setting, perAddress }: ConnectionCaps): void {
  const body = `This address has ${perAddress} connections here, which is the limit (${setting}).\n`;
  socket.on("error", () => {});
  socket.write(
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 30\r\n" +
      `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
