import type { Channel } from "@ccbridge/registry";
import type { FastifyRequest } from "fastify";
import type { RawData, WebSocket } from "ws";
import { bearerToken } from "../http/tokens.js";

/** A WebSocket as the registry sees it. */
export class SocketChannel implements Channel {
  readonly socket: WebSocket;
  readonly #maxBufferedBytes: number;
  /** Who is told what comes. */
  listener: SocketListener | undefined;
  /** Why the socket ended, if it was not closed in order. */
  failure: string | undefined;

  constructor(socket: WebSocket, maxBufferedBytes: number) {
    this.socket = socket;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.bufferedBytes <= this.#maxBufferedBytes) return this.socket.send(text);
    // A peer that does not read would not read a goodbye either.
    this.failure = `it did not read: ${this.bufferedBytes} bytes waited`;
    this.socket.terminate();
  }

  /** Answers a ping of a peer that reads; one that does not gets no more to leave unread. */
  pong(data: Buffer): void {
    if (this.bufferedBytes === 0 && this.socket.readyState === this.socket.OPEN) {
      this.socket.pong(data);
    }
  }

  ping(): void {
    if (this.bufferedBytes === 0 && this.socket.readyState === this.socket.OPEN) this.socket.ping();
  }

  close(code: number, reason: string): void {
    // A close frame holds 123 bytes of reason.
    this.socket.close(code, Buffer.from(reason).subarray(0, 120));
  }
}

/** Whoever is told what a socket receives. */
export interface SocketListener {
  receive(text: string): void;
  receiveBinary(): void;
  closed(reason: string): void;
  /** The socket at the other end gave a sign of life, for dialects that have no words for it. */
  alive?(): void;
}

const channelKey = Symbol("channel");

/** A socket that knows its channel: thousands are idle, so they share their listeners. */
interface FedSocket extends WebSocket {
  [channelKey]?: SocketChannel;
}

function onMessage(this: FedSocket, data: RawData, isBinary: boolean): void {
  const listener = this[channelKey]?.listener;
  if (isBinary) listener?.receiveBinary();
  else listener?.receive(data.toString());
}

function onPing(this: FedSocket, data: Buffer): void {
  this[channelKey]?.pong(data);
  this[channelKey]?.listener?.alive?.();
}

function onPong(this: FedSocket): void {
  this[channelKey]?.listener?.alive?.();
}

/** A socket that fails also closes; the reason is told there. */
function onError(this: FedSocket, error: Error): void {
  const channel = this[channelKey];
  if (channel !== undefined) channel.failure ??= error.message;
}

function onClose(this: FedSocket, code: number): void {
  const channel = this[channelKey];
  channel?.listener?.closed(channel.failure ?? `socket closed with ${code}`);
}

/** Listens to everything at once, before anything else is awaited: a frame that comes early is not lost. */
export function feed(listener: SocketListener, channel: SocketChannel): void {
  const socket: FedSocket = channel.socket;
  channel.listener = listener;
  socket[channelKey] = channel;
  // @fastify/websocket's error listener keeps the whole HTTP request alive for as long as the socket.
  socket.removeAllListeners("error");
  socket.on("message", onMessage);
  socket.on("ping", onPing);
  if (listener.alive !== undefined) socket.on("pong", onPong);
  socket.on("error", onError);
  socket.on("close", onClose);
}

/** The token that came with a connection: in its header, or in its address. */
export function connectionToken(request: FastifyRequest): string | undefined {
  const query = request.query as { token?: string | string[] };
  const fromUrl = Array.isArray(query.token) ? query.token[0] : query.token;
  return bearerToken(request.headers.authorization) ?? fromUrl;
}
