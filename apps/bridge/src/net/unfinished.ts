import type { Socket } from "node:net";

/** A WebSocket, as far as it matters here. */
interface Endable {
  terminate(): void;
}

interface Coming {
  readonly connection: Pick<Socket, "bytesRead">;
  /** What had come when the last message was whole, and at the last look. */
  whole: number;
  seen: number;
}

const LOOK_MS = 100;

/**
 * Bounds the messages that have not come in whole, of all WebSockets of a listener together. Each has a bound
 * of its own, but ws keeps the part that has come for as long as its peer likes, and nothing tells how much
 * that is: it is what was read since the last whole message.
 */
export class Unfinished {
  readonly #max: number;
  readonly #sockets = new Map<Endable, Coming>();
  #timer: NodeJS.Timeout | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  add(socket: Endable, connection: Coming["connection"]): void {
    const { bytesRead } = connection;
    this.#sockets.set(socket, { connection, whole: bytesRead, seen: bytesRead });
    this.#timer ??= setInterval(() => this.look(), LOOK_MS).unref();
  }

  /** A message has come in whole. */
  whole(socket: Endable): void {
    const coming = this.#sockets.get(socket);
    if (coming !== undefined) coming.whole = coming.connection.bytesRead;
  }

  remove(socket: Endable): void {
    this.#sockets.delete(socket);
    if (this.#sockets.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Keeps the bound: those go first that wait with the rest, and of these the longest. */
  look(): void {
    const open: { socket: Endable; bytes: number; waits: boolean }[] = [];
    let total = 0;
    for (const [socket, coming] of this.#sockets) {
      const { bytesRead } = coming.connection;
      const bytes = bytesRead - coming.whole;
      const waits = bytesRead === coming.seen;
      coming.seen = bytesRead;
      total += bytes;
      if (bytes > 0) open.push({ socket, bytes, waits });
    }
    if (total <= this.#max) return;
    open.sort((a, b) => Number(b.waits) - Number(a.waits) || b.bytes - a.bytes);
    for (const { socket, bytes } of open) {
      if (total <= this.#max) return;
      total -= bytes;
      this.remove(socket);
      socket.terminate();
    }
  }
}
