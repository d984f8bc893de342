import type { Socket } from "node:net";
import type { Channel } from "@ccbridge/registry";
import type { WebSocket } from "ws";
import { limits } from "../config/limits.js";
import { noteRead } from "./fair-reading.js";
import type { IncomingBudget, Unfinished } from "./incoming.js";
import { flushWrites, queueWrite } from "./outgoing.js";
import { MESSAGE_COST, type Reader, type UnreadBudget } from "./unread.js";

/** What ws keeps beside the bytes of an unfinished message, for each piece of data and for each fragment. */
const CHUNK_COST = 512;
const FRAGMENT_COST = 128;
const MIN_FRAGMENT_BYTES = 7;
/** Frame headers of a message in fragments. */
const HEADER_BYTES = 16_384;
/** What fits in a close frame beside its code. */
const MAX_REASON_BYTES = 123;
/** The close code for a message that is too large. */
const TOO_LARGE = 1_009;

/** Receives what arrives on a socket. */
export interface SocketListener {
  receive(text: string): void;
  receiveBinary(): void;
  closed(reason: string): void;
  /** The other end answered a ping, or sent one. */
  alive?(): void;
}

export interface PeerSocketOptions {
  /** The key of the peer's address. */
  readonly address: string;
  /** The longest message that the peer may send. */
  readonly maxMessageBytes: number;
  /** Bytes that may wait for the peer to read them. */
  readonly maxUnreadBytes: number;
  readonly unread: UnreadBudget;
  readonly incoming: IncomingBudget;
}

/** A WebSocket to a peer that may read slowly, never, or be gone. Nothing here throws. */
export class PeerSocket implements Channel, Reader, Unfinished {
  /** Must be set before anything is awaited, unless the socket is paused: a message may come early. */
  listener: SocketListener | undefined;
  readonly #socket: WebSocket;
  readonly #options: PeerSocketOptions;
  /** Messages that were written and not yet taken by the network. */
  #waiting = 0;
  /** Bytes of the message that is not whole, and the pieces that it came in. */
  #unfinished = 0;
  #chunks = 0;
  /** Bytes of the current piece that belong to whole messages. */
  #consumed = 0;
  /** Why the socket ended, if it was not closed in order. */
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
    // A socket that fails also closes, and the reason is passed on then.
    socket.on("error", ({ message }) => {
      this.#failure ??= message;
    });
    socket.on("close", (code) => {
      options.unread.release(this);
      options.incoming.release(this);
      this.listener?.closed(this.#failure ?? `socket closed with ${code}`);
    });
    // Called after ws has read the same piece: its events of whole messages have been emitted.
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

  /** Sends a message; `sent` is called when the network has taken it, or never will. */
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

  /** Pings a peer that reads; one that does not gets no more to leave unread. */
  ping(): void {
    if (this.#hasReadAll) this.#socket.ping();
  }

  close(code: number, reason: string): void {
    flushWrites();
    this.#socket.close(code, truncateReason(reason));
  }

  /** Ends the connection at once: a peer that does not read would not read a goodbye either. */
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
    // A socket that is closing still reads.
    if (!this.isOpen) return;
    if (data.length > this.#options.maxMessageBytes) this.#refuseLarge();
    else if (isBinary) this.listener?.receiveBinary();
    else this.listener?.receive(data.toString());
  }

  #onData(length: number): void {
    const bytes = Math.max(0, this.#unfinished + length - this.#consumed);
    const isContinued = this.#consumed === 0;
    this.#consumed = 0;
    // Behind the end of a message there is no more than the rest of this piece.
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

/** About what an unfinished message holds. How many fragments it has is not known. */
function heldBytes(bytes: number, chunks: number): number {
  if (bytes === 0) return 0;
  const fragments = Math.min(bytes / MIN_FRAGMENT_BYTES, limits.fragments);
  return bytes + chunks * CHUNK_COST + Math.ceil(fragments) * FRAGMENT_COST;
}

/** The length of a message with the headers of its frames; long ones may come in fragments. */
function frameBytes(payload: number): number {
  const header = payload < 126 ? 6 : payload < 65_536 ? 8 : 14;
  return payload + header + (payload >> 10);
}

/** As much of a reason as fits in a close frame, in whole characters. */
function truncateReason(reason: string): Buffer {
  const bytes = Buffer.alloc(MAX_REASON_BYTES);
  return bytes.subarray(0, new TextEncoder().encodeInto(reason, bytes).written);
}
