import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyReply } from "fastify";
import { limits } from "../config/limits.js";
import { queueWrite, type Reader, type UnreadBudget } from "./outgoing.js";

/** A response with backpressure: a client that does not read is dropped. Writing never throws. */
export class ResponseWriter implements Reader {
  readonly #response: ServerResponse;
  readonly #socket: Socket;
  readonly #unread: UnreadBudget;
  readonly #onClose: (() => void)[] = [];
  #ended = false;

  /** Hijacks a reply: only this writer writes to it from here on. */
  constructor(reply: FastifyReply, unread: UnreadBudget) {
    reply.hijack();
    this.#response = reply.raw;
    this.#socket = reply.request.raw.socket;
    this.#unread = unread;
    // A client that is gone shows as a close; without a listener it would end the process.
    this.#response.on("error", () => {});
    this.#response.on("close", () => {
      unread.release(this);
      for (const listener of this.#onClose.splice(0)) listener();
    });
  }

  get isOpen(): boolean {
    return !this.#ended && !this.#response.destroyed && !this.#response.writableEnded;
  }

  get unreadBytes(): number {
    return this.#response.destroyed ? 0 : this.#response.writableLength;
  }

  onClose(listener: () => void): void {
    if (this.#response.closed) listener();
    else this.#onClose.push(listener);
  }

  head(status: number, headers: Record<string, string | number>): void {
    if (this.isOpen && !this.#response.headersSent) this.#response.writeHead(status, headers);
  }

  flush(): void {
    if (this.isOpen) this.#response.flushHeaders();
  }

  /** Writes a part of a stream; drops a client that does not read. */
  write(text: string): void {
    if (!this.isOpen) return;
    if (this.unreadBytes > limits.streamBytes) return this.drop();
    this.#response.write(text);
    this.#unread.note(this);
  }

  end(text?: string): void {
    if (!this.isOpen) return;
    this.#ended = true;
    queueWrite(text?.length ?? 0, () => {
      this.#response.end(text);
      this.#unread.note(this);
    });
  }

  drop(): void {
    // A pipelined response has no socket yet.
    this.#response.destroy();
    // A request that another bridge forwards has no socket.
    this.#socket.destroy?.();
  }
}
