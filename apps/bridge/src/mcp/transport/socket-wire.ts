import type { WebSocket } from "ws";
import { limits } from "../../limits.js";
import type { Wire } from "./duplex-transport.js";
import type { Outlets } from "./outlets.js";

/** Pings on a quiet socket, so that proxies keep it and a dead client is noticed. */
const KEEP_ALIVE_MS = 25_000;

/** A WebSocket to a client that may read slowly, never, or be gone. */
export class SocketWire implements Wire {
  readonly #socket: WebSocket;
  readonly #outlets: Outlets;

  constructor(socket: WebSocket, outlets: Outlets) {
    this.#socket = socket;
    this.#outlets = outlets;
    // A socket that fails also closes; without a listener it would end the process.
    socket.on("error", () => {});
    socket.on("ping", (data) => {
      if (this.isOpen && this.unreadBytes === 0) socket.pong(data);
    });
    const keepAlive = setInterval(() => {
      if (this.isOpen && this.unreadBytes === 0) socket.ping();
    }, KEEP_ALIVE_MS);
    keepAlive.unref();
    socket.once("close", () => clearInterval(keepAlive));
    outlets.add(this);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get unreadBytes(): number {
    return this.#socket.bufferedAmount;
  }

  send(text: string): void {
    if (!this.isOpen) return;
    if (this.unreadBytes > limits.streamBytes) return this.destroy();
    this.#socket.send(text);
    this.#outlets.check(this);
  }

  end(): void {
    this.#socket.close(1_001, "the session ended");
  }

  destroy(): void {
    this.#socket.terminate();
  }

  onClose(listener: () => void): void {
    this.#socket.once("close", listener);
  }
}
