import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { limits } from "../../limits.js";
import { writeInTurn } from "../../net/turn.js";

/** Smaller ones are bounded by the number of calls. */
const WORTH_COUNTING = 16_384;

/** A peer to which something is being written. */
interface Reader {
  readonly unreadBytes: number;
  destroy(): void;
  onClose(listener: () => void): void;
}

/** The responses that are being written to all clients: what these have not read yet is bounded. */
export class Outlets {
  readonly #open = new Set<Reader>();

  /** Takes a response out of Fastify's hands. From here on it is written through its outlet only. */
  open(reply: FastifyReply): Outlet {
    reply.hijack();
    const outlet = new Outlet(this, reply.raw, reply.request.raw.socket);
    // A peer that hung up in the meantime is forgotten.
    if (!reply.raw.closed) this.#open.add(outlet);
    return outlet;
  }

  /** Counts another reader; its owner calls {@link check} after each write. */
  add(reader: Reader): void {
    this.#open.add(reader);
    reader.onClose(() => this.remove(reader));
  }

  /** A reader is gone, or has all that there was. */
  remove(reader: Reader): void {
    this.#open.delete(reader);
  }

  /** Keeps the bound after something was written. */
  check(written: Reader): void {
    if (written.unreadBytes < WORTH_COUNTING) return;
    let total = 0;
    let worst = written;
    for (const reader of this.#open) {
      total += reader.unreadBytes;
      if (reader.unreadBytes > worst.unreadBytes) worst = reader;
    }
    if (total > limits.unreadBytes) worst.destroy();
  }
}

const ignore = () => {};

/** One response to a client that may read slowly, never, or be gone. Writing never throws. */
export class Outlet {
  readonly #outlets: Outlets;
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  /** Who wants to know when it closes. Every call of a batch does, so Node's own list is too short. */
  readonly #onClose: (() => void)[] = [];
  #ended = false;

  constructor(outlets: Outlets, response: ServerResponse, socket: Socket) {
    this.#outlets = outlets;
    this.#response = response;
    this.#socket = socket;
    // A client that is gone shows as a close; without a listener it would end the process.
    response.on("error", ignore);
    response.on("close", () => {
      outlets.remove(this);
      for (const listener of this.#onClose.splice(0)) listener();
    });
  }

  get isOpen(): boolean {
    return !this.#ended && !this.#response.destroyed && !this.#response.writableEnded;
  }

  /** Bytes that the client has not taken yet. */
  get unreadBytes(): number {
    return this.#response.destroyed ? 0 : this.#response.writableLength;
  }

  /** Calls back when it closes, at once if it has. */
  onClose(listener: () => void): void {
    if (this.#response.closed) listener();
    else this.#onClose.push(listener);
  }

  head(status: number, headers: Record<string, string | number>): void {
    if (this.isOpen && !this.#response.headersSent) this.#response.writeHead(status, headers);
  }

  /** Sends the head of a stream at once. */
  flush(): void {
    if (this.isOpen) this.#response.flushHeaders();
  }

  /** Writes a part of a stream. A client that does not read loses the stream. */
  write(text: string): void {
    if (!this.isOpen) return;
    if (this.unreadBytes > limits.streamBytes) return this.destroy();
    this.#response.write(text);
    this.#outlets.check(this);
  }

  end(text?: string): void {
    if (!this.isOpen) return;
    this.#ended = true;
    writeInTurn(text?.length ?? 0, () => {
      this.#response.end(text);
      this.#outlets.check(this);
    });
  }

  destroy(): void {
    // A response that waits behind another one has no socket of its own yet.
    this.#response.destroy();
    this.#socket.destroy();
  }
}
