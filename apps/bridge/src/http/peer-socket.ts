import type { Socket } from "node:net";
import type { Channel } from "@ccbridge/registry";
import type { WebSocket } from "ws";
import { limits } from "../config/limits.js";
import { noteRead } from "./fair-reading.js";
import type { IncomingBudget, Unfinished } from "./incoming.js";
import { flushWrites, queueWrite } from "./outgoing.js";
import { MESSAGE_COST, type Reader, type UnreadBudget } from "./unread.js";

const CHUNK_COST = 512;
const FRAGMENT_COST = 128;
const MIN_FRAGMENT_BYTES = 7;
const HEADER_BYTES = 16_384;
/** A close frame has 125 bytes, two of them for the code. */
const MAX_REASON_BYTES = 123;
const TOO_LARGE = 1_009;

export interface SocketListener {
  receive(text: string): void;
  receiveBinary(): void;
  closed(reason: string): void;
  alive?(): void;
}

export interface PeerSocketOptions {
  readonly address: string;
  readonly maxMessageBytes: number;
  readonly maxUnreadBytes: number;
  readonly unread: UnreadBudget;
  readonly incoming: IncomingBudget;
}

/** A WebSocket to a peer that may read slowly, never, or be gone. Nothing here throws. */
export class PeerSocket implements Channel, Reader, Unfinished {
  /** Must be set before anything is awaited, unless the socket is paused: a message may arrive early. */
  listener: SocketListener | undefined;
  readonly #socket: WebSocket;
  readonly #options: PeerSocketOptions;
  #waiting = 0;
  #unfinished = 0;
  #chunks = 0;
  #consumed = 0;
  #failure: string | undefined;

  constructor(socket: WebSocket, connection: Socket, options: PeerSocketOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on("message", (data: Buffer, isBinary) => this.#onMessage(data, isBinary));
    socket.on("ping", (data) => {
      this.#consumed += frameBytes(data.length);
      if (this.#hasReadAll) socket.pong(data);
      this.listener?.alive?.();
    });
    socket.on("pong", (data) => {
      this.#consumed += frameBytes(data.length);
      this.listener?.alive?.();
    });
    // A failed socket also closes, and the reason is reported then.
    socket.on("error", ({ message }) => {
      this.#failure ??= message;
    });
    socket.on("close", (code) => {
      options.unread.release(this);
      options.incoming.release(this);
      this.listener?.closed(this.#failure ?? `socket closed with ${code}`);
    });
    // Registered after ws's own listener, so that events of complete messages were already emitted.
    connection.on("data", (chunk) => this.#onData(chunk.length));
  }

  get address(): string {
    return this.#options.address;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  get unreadBytes(): number {
    return this.bufferedBytes + this.#waiting * MESSAGE_COST;
  }

  send(text: string, sent?: () => void): void {
    const { bufferedBytes } = this;
    if (bufferedBytes > this.#options.maxUnreadBytes) {
      this.drop(`it did not read: ${bufferedBytes} bytes waited`);
    }
    if (!this.isOpen) return sent?.();
    queueWrite(text.length, () => {
      this.#waiting += 1;
      this.#socket.send(text, () => {
        this.#waiting -= 1;
        sent?.();
      });
      this.#options.unread.note(this);
    });
  }

  /** Not sent to a peer that does not read: it would only add to the queue. */
  ping(): void {
    if (this.#hasReadAll) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    flushWrites();
    this.#socket.close(code, truncateReason(reason));
  }

  /** Terminates the connection: a peer that does not read would not read a close frame either. */
  drop(reason: string): void {
    this.#failure ??= reason;
    this.#socket.terminate();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  onClose(listener: () => void): void {
    this.#socket.once("close", listener);
  }

  get #hasReadAll(): boolean {
    return this.isOpen && this.bufferedBytes === 0;
  }

  #onMessage(data: Buffer, isBinary: boolean): void {
    noteRead(this.#socket);
    this.#consumed += frameBytes(data.length);
    // A closing socket still reads.
    if (!this.isOpen) return;
    if (data.length > this.#options.maxMessageBytes) this.#refuseLarge();
    else if (isBinary) this.listener?.receiveBinary();
    else this.listener?.receive(data.toString());
  }

  #onData(length: number): void {
    const bytes = Math.max(0, this.#unfinished + length - this.#consumed);
    const isContinued = this.#consumed === 0;
    this.#consumed = 0;
    // After the end of a message only the rest of this chunk can be held.
    this.#unfinished = isContinued ? bytes : Math.min(bytes, length);
    this.#chunks = isContinued ? this.#chunks + 1 : 1;
    const { incoming, maxMessageBytes } = this.#options;
    const isOpen = this.#socket.readyState !== this.#socket.CLOSED;
    incoming.set(this, isOpen ? heldBytes(this.#unfinished, this.#chunks) : 0);
    incoming.shed();
    if (this.#unfinished > maxMessageBytes + HEADER_BYTES) this.#refuseLarge();
  }

  #refuseLarge(): void {
    const { maxMessageBytes } = this.#options;
    this.#failure ??= `its message is larger than the maximum size of ${maxMessageBytes} bytes`;
    this.close(TOO_LARGE, `a message may be ${maxMessageBytes} bytes long`);
  }
}

function heldBytes(bytes: number, chunks: number): number {
  if (bytes === 0) return 0;
  const fragments = Math.min(bytes / MIN_FRAGMENT_BYTES, limits.fragments);
  return bytes + chunks * CHUNK_COST + Math.ceil(fragments) * FRAGMENT_COST;
}

function frameBytes(payload: number): number {
  const header = payload < 126 ? 6 : payload < 65_536 ? 8 : 14;
  return payload + header + (payload >> 10);
}

function truncateReason(reason: string): Buffer {
  const bytes = Buffer.alloc(MAX_REASON_BYTES);
  return bytes.subarray(0, new TextEncoder().encodeInto(reason, bytes).written);
}
