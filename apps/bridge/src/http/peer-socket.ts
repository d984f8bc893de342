import type { Socket } from "node:net";
import type { Channel } from "@ccbridge/registry";
import type { RawData, WebSocket } from "ws";
import { limits } from "../config/limits.js";
import { type IncomingBudget, noteRead, type Unfinished } from "./incoming.js";
import {
  flushWrites,
  MESSAGE_COST,
  queueWrite,
  type Reader,
  type UnreadBudget,
} from "./outgoing.js";

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
  closed(reason: string, isTooLarge: boolean): void;
  alive?(): void;
}

export interface SocketLimits {
  /** @default that of the listener */
  readonly maxMessageBytes?: number;
  readonly maxUnreadBytes: number;
}

export interface ListenerSockets {
  readonly maxMessageBytes: number;
  readonly unread: UnreadBudget;
  readonly incoming: IncomingBudget;
  readonly open: Set<PeerSocket>;
}

/** A WebSocket to a peer that may read slowly, never, or be gone. Nothing here throws. */
export class PeerSocket implements Channel, Reader, Unfinished {
  /** Must be set before anything is awaited, unless the socket is paused: a message may arrive early. */
  listener: SocketListener | undefined;
  readonly address: string;
  readonly #socket: WebSocket;
  readonly #connection: Socket;
  readonly #limits: SocketLimits;
  readonly #shared: ListenerSockets;
  #waiting = 0;
  #unfinished = 0;
  #chunks = 0;
  #consumed = 0;
  #failure: string | undefined;
  #isTooLarge = false;

  constructor(
    socket: WebSocket,
    connection: Socket,
    { address, limits, shared }: { address: string; limits: SocketLimits; shared: ListenerSockets },
  ) {
    this.address = address;
    this.#socket = socket;
    this.#connection = connection;
    this.#limits = limits;
    this.#shared = shared;
    shared.open.add(this);
    listenFor(this, socket, connection);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get isClosing(): boolean {
    return this.#socket.readyState === this.#socket.CLOSING;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  get unreadBytes(): number {
    const { bufferedBytes } = this;
    return bufferedBytes === 0 ? 0 : bufferedBytes + this.#waiting * MESSAGE_COST;
  }

  send(text: string, sent?: () => void): void {
    const { bufferedBytes } = this;
    if (bufferedBytes > this.#limits.maxUnreadBytes) {
      this.drop(`it did not read: ${bufferedBytes} bytes waited`);
    }
    if (!this.isOpen) return sent?.();
    const write = () => {
      // Messages are not counted down one by one: once nothing is buffered, all were sent.
      this.#waiting = this.bufferedBytes === 0 ? 1 : this.#waiting + 1;
      this.#socket.send(text, sent);
      this.#shared.unread.note(this);
    };
    queueWrite(text.length, write, this.#connection);
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

  get #maxMessageBytes(): number {
    return this.#limits.maxMessageBytes ?? this.#shared.maxMessageBytes;
  }

  onMessage(data: Buffer, isBinary: boolean): void {
    noteRead(this.#socket);
    this.#consumed += frameBytes(data.length);
    // A closing socket still reads.
    if (!this.isOpen) return;
    if (data.length > this.#maxMessageBytes) this.#refuseLarge();
    else if (isBinary) this.listener?.receiveBinary();
    else this.listener?.receive(data.toString());
  }

  onPing(data: Buffer): void {
    if (this.#hasReadAll) this.#socket.pong(data);
    this.onPong(data);
  }

  onPong(data: Buffer): void {
    this.#consumed += frameBytes(data.length);
    this.listener?.alive?.();
  }

  onError({ message, code }: Error & { code?: string }): void {
    if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH") this.#noteTooLarge();
    this.#failure ??= message;
  }

  onClosed(code: number): void {
    const { unread, incoming, open } = this.#shared;
    unread.release(this);
    incoming.release(this);
    open.delete(this);
    this.listener?.closed(this.#failure ?? `socket closed with ${code}`, this.#isTooLarge);
  }

  onData(length: number): void {
    const bytes = Math.max(0, this.#unfinished + length - this.#consumed);
    const isContinued = this.#consumed === 0;
    const hadRest = this.#unfinished > 0;
    this.#consumed = 0;
    // After the end of a message only the rest of this chunk can be held.
    this.#unfinished = isContinued ? bytes : Math.min(bytes, length);
    this.#chunks = isContinued ? this.#chunks + 1 : 1;
    // Nearly always: whole messages.
    if (!hadRest && this.#unfinished === 0) return;
    const { incoming } = this.#shared;
    const isOpen = this.#socket.readyState !== this.#socket.CLOSED;
    incoming.set(this, isOpen ? heldBytes(this.#unfinished, this.#chunks) : 0);
    incoming.shed();
    if (this.#unfinished > this.#maxMessageBytes + HEADER_BYTES) this.#refuseLarge();
  }

  #refuseLarge(): void {
    this.#noteTooLarge();
    this.close(TOO_LARGE, `a message may be ${this.#maxMessageBytes} bytes long`);
  }

  #noteTooLarge(): void {
    this.#isTooLarge = true;
    this.#failure ??= `its message is larger than the maximum size of ${this.#maxMessageBytes} bytes`;
  }
}

const peers = new WeakMap<WebSocket | Socket, PeerSocket>();

/** The listeners are the same for all sockets: closures would take 400 bytes of every idle link. */
function listenFor(peer: PeerSocket, socket: WebSocket, connection: Socket): void {
  peers.set(socket, peer);
  peers.set(connection, peer);
  socket.on("message", onMessage);
  socket.on("ping", onPing);
  socket.on("pong", onPong);
  socket.on("error", onError);
  socket.on("close", onClosed);
  // After ws's own listener.
  connection.on("data", onData);
}

function onData(this: Socket, chunk: Buffer): void {
  peers.get(this)?.onData(chunk.length);
}

function onMessage(this: WebSocket, data: RawData, isBinary: boolean): void {
  peers.get(this)?.onMessage(data as Buffer, isBinary);
}

function onPing(this: WebSocket, data: Buffer): void {
  peers.get(this)?.onPing(data);
}

function onPong(this: WebSocket, data: Buffer): void {
  peers.get(this)?.onPong(data);
}

function onError(this: WebSocket, error: Error): void {
  peers.get(this)?.onError(error);
}

function onClosed(this: WebSocket, code: number): void {
  peers.get(this)?.onClosed(code);
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
