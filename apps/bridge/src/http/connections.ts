import type { Server } from "node:http";
import type { Socket } from "node:net";
import { addressKey } from "../net/address-key.js";
import { proxyTrust } from "../net/trusted-proxies.js";
import type { PeerLog } from "../peer-log.js";

export interface ConnectionCaps {
  perAddress: number;
  total: number;
  /** The setting to name to a refused peer. */
  setting: string;
  /** Their connections belong to others, whom `capForwarded` counts. */
  trustedProxies: readonly string[];
}

/** The open connections of one address. Thousands are open for long: they share this, and one listener. */
class Crowd {
  readonly #crowds: Map<string, Crowd>;
  readonly #address: string;
  count = 0;

  constructor(crowds: Map<string, Crowd>, address: string) {
    this.#crowds = crowds;
    this.#address = address;
  }

  /** One of them has ended. */
  leave(): void {
    this.count -= 1;
    if (this.count === 0) this.#crowds.delete(this.#address);
  }
}

const crowdKey = Symbol("crowd");

/** A connection that is counted. */
interface CountedSocket extends Socket {
  [crowdKey]?: Crowd;
}

function leave(this: CountedSocket): void {
  this[crowdKey]?.leave();
}

/** Leaves it to the caller to say when a connection has ended: one listener less for each that lasts. */
export function takeOver(socket: CountedSocket): { leave(): void } | undefined {
  socket.off("close", leave);
  return socket[crowdKey];
}

/** Bounds the connections of a listener, of each address and in total. */
export function capConnections(server: Server, caps: ConnectionCaps, log: PeerLog): void {
  const crowds = new Map<string, Crowd>();
  const isProxy = proxyTrust(caps.trustedProxies);
  // The kernel would queue them forever; like this they are closed as they come.
  server.maxConnections = caps.total;
  server.on("drop", (data) => {
    const address = addressKey(data?.remoteAddress);
    log.warn({ address, port: data?.localPort }, "connection refused: too many in total");
  });
  server.on("connection", (socket: CountedSocket) => {
    if (isProxy(socket.remoteAddress)) return;
    const address = addressKey(socket.remoteAddress);
    const crowd = crowds.get(address) ?? new Crowd(crowds, address);
    crowd.count += 1;
    crowds.set(address, crowd);
    socket[crowdKey] = crowd;
    socket.on("close", leave);
    if (crowd.count <= caps.perAddress) return;
    log.warn({ address, setting: caps.setting }, "connection refused: too many of one address");
    refuse(socket, caps);
  });
}

/** The bridge does not wait for a whole request of such a peer, but sends the reason, which a person may read. */
function refuse(socket: Socket, { setting, perAddress }: ConnectionCaps): void {
  const body = `This address has ${perAddress} connections here, which is the limit (${setting}).\n`;
  socket.on("error", () => {});
  socket.write(
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 30\r\n" +
      `Content-Type: text/plain\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}
