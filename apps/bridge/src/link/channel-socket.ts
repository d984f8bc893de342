import type { Socket } from "node:net";
import type { Channel } from "@ccbridge/registry";
import type { WebsocketPluginOptions } from "@fastify/websocket";
import type { FastifyRequest } from "fastify";
import { WebSocket } from "ws";
import { takeOver } from "../http/connections.js";
import { bearerToken } from "../http/tokens.js";
import { limits } from "../limits.js";
import { noteRead } from "../net/fair-reading.js";
import { type LateWriter, writeAll, writeInTurn, writeLate } from "../net/turn.js";
import { Unfinished } from "../net/unfinished.js";
import { type SlowReader, Unread } from "./unread.js";

/** Messages that may be longer than this are counted as they come: a computer's are not. */
const LONG = 262_144;

/** When this many late messages wait, they go out with the next message that is not late; or without one. */
const SOME_LATE = 4;
const MANY_LATE = 16;

/** What fits in a close frame beside its code. */
const MAX_REASON_BYTES = 123;

/** Receives what arrives on a socket. */
export interface SocketListener {
  receive(text: string): void;
  receiveBinary(): void;
  closed(reason: string): void;
  /** The socket at the other end gave a sign of life, for dialects that have no words for it. */
  alive?(): void;
}

/**
 * A WebSocket that is a channel of the registry. Thousands are idle, so it takes what ws tells by itself,
 * where listeners would be lists and closures for each of them.
 */
export class ChannelSocket extends WebSocket implements Channel, SlowReader, LateWriter {
  /** Receives what arrives. Must be set before anything is awaited: a frame may come early. */
  listener: SocketListener | undefined;
  /** The sockets that this is one of. */
  room: SocketRoom | undefined;
  /** Is told at the end that there is one connection less. */
  place: ReturnType<typeof takeOver>;
  /** Messages that nobody waits for. */
  late: string[] | undefined;
  /** Why the socket ended, if it was not closed in order. */
  #failure: string | undefined;

  get bufferedBytes(): number {
    return this.bufferedAmount;
  }

  override send(text: string): void {
    if (!this.takes(text)) return;
    writeInTurn(text.length, () => {
      if (this.late === undefined || this.late.length < SOME_LATE) return super.send(text);
      inOneWrite(this, () => {
        super.send(text);
        this.writeLate();
      });
    });
  }

  sendLate(text: string): void {
    if (!this.takes(text)) return;
    if (this.late === undefined) {
      this.late = [text];
      writeLate(this);
    } else if (this.late.push(text) >= MANY_LATE) this.writeLate();
  }

  writeLate(): void {
    const texts = this.late;
    this.late = undefined;
    // It may be over in the meantime.
    if (texts === undefined || this.readyState !== this.OPEN) return;
    inOneWrite(this, () => {
      for (const text of texts) super.send(text);
    });
  }

  /** Whether a message may be sent. A peer that does not read is dropped. */
  takes(text: string): boolean {
    if (this.readyState !== this.OPEN) return false;
    const { bufferedBytes } = this;
    if (bufferedBytes > (this.room?.maxBufferedBytes ?? 0)) {
      this.drop(`it did not read: ${bufferedBytes} bytes waited`);
      return false;
    }
    if (bufferedBytes > 0) this.room?.unread.note(this, text.length);
    return true;
  }

  /** A peer that does not read would not read a goodbye either. */
  drop(reason: string): void {
    this.#failure = reason;
    this.terminate();
  }

  /** Only to a peer that reads; one that does not gets no more to leave unread. */
  override ping(): void {
    if (reads(this)) super.ping();
  }

  override close(code?: number, reason?: string | Buffer): void {
    writeAll();
    if (this.readyState !== this.CLOSED) this.room?.leaving.add(this);
    super.close(code, typeof reason === "string" ? fitting(reason) : reason);
  }

  override emit(event: string | symbol, first?: unknown, second?: unknown): boolean {
    switch (event) {
      case "message":
        noteRead(this);
        this.room?.unfinished?.whole(this);
        if (second === true) this.listener?.receiveBinary();
        else this.listener?.receive(String(first));
        return true;
      case "ping":
        if (reads(this)) this.pong(first);
        this.listener?.alive?.();
        return true;
      case "pong":
        this.listener?.alive?.();
        return true;
      case "error":
        // A socket that fails also closes, and the reason is passed on then.
        this.#failure ??= (first as Error).message;
        return true;
      case "close":
        this.room?.leaving.delete(this);
        this.room?.unread.forget(this);
        this.room?.unfinished?.remove(this);
        this.place?.leave();
        this.listener?.closed(this.#failure ?? `socket closed with ${first}`);
        return true;
      default:
        return super.emit(event, first, second);
    }
  }
}

/** Has several messages written together. Where ws does not show its socket they are written one by one. */
function inOneWrite(socket: WebSocket, write: () => void): void {
  const { _socket: connection } = socket as unknown as { _socket?: Socket | null };
  connection?.cork();
  try {
    write();
  } finally {
    connection?.uncork();
  }
}

/** As much of a reason as fits in a close frame, in whole characters. */
function fitting(reason: string): Buffer {
  const bytes = Buffer.alloc(MAX_REASON_BYTES);
  return bytes.subarray(0, new TextEncoder().encodeInto(reason, bytes).written);
}

/** Whether the peer has read everything so far. Not a private method: each socket would keep a mark for it. */
function reads(socket: WebSocket): boolean {
  return socket.bufferedAmount === 0 && socket.readyState === socket.OPEN;
}

type SocketOptions = NonNullable<WebsocketPluginOptions["options"]>;

/** The sockets of one listener. Those in use are the registry's to know; here are those that are leaving. */
export class SocketRoom {
  /** Bytes that may wait for one peer to read them. */
  readonly maxBufferedBytes: number;
  /** Told to close, and not closed yet. */
  readonly leaving = new Set<ChannelSocket>();
  /** What all of them have not read. */
  readonly unread: Unread;
  /** What came of messages that are not whole, where these may be long. */
  unfinished: Unfinished | undefined;

  constructor(maxBufferedBytes: number, maxUnreadBytes: number = limits.linkUnreadBytes) {
    this.maxBufferedBytes = maxBufferedBytes;
    this.unread = new Unread(maxUnreadBytes);
  }

  /** For the WebSocket server that makes the sockets. */
  options(maxPayload: number): SocketOptions {
    if (maxPayload > LONG) this.unfinished = new Unfinished(limits.unfinishedBytes);
    // Known to ws, though not to its types.
    const closing = { closeTimeout: limits.goodbyeMs };
    return {
      // All that ws needs is a class; its types ask for the whole module.
      WebSocket: ChannelSocket as unknown as SocketOptions["WebSocket"],
      maxPayload,
      // CC's side of deflate has a history of faults.
      perMessageDeflate: false,
      // Answered by the socket itself, and only to a peer that reads.
      autoPong: false,
      clientTracking: false,
      ...closing,
    };
  }

  /** Takes in a new socket, and the connection that it is on. */
  admit(socket: WebSocket, connection: Socket): ChannelSocket {
    if (!(socket instanceof ChannelSocket)) throw new TypeError("a socket of another kind");
    socket.room = this;
    socket.place = takeOver(connection);
    this.unfinished?.add(socket, connection);
    // @fastify/websocket's error listener would keep the whole HTTP request for as long as the socket.
    socket.removeAllListeners();
    forget(socket, "_events");
    forget(connection, "_peername");
    return socket;
  }

  /** Drops peers that have not left. The registry has said goodbye to all of them before. */
  clear(): void {
    for (const socket of this.leaving) socket.terminate();
  }
}

/**
 * Drops what Node keeps with each socket and makes again when it is asked for: a table of listeners that an
 * idle channel never has, and the peer's address, which was read once. 270 bytes for each link.
 */
function forget(holder: object, name: "_events" | "_peername"): void {
  if (name in holder) (holder as Record<typeof name, unknown>)[name] = undefined;
}

/** The token that came with a connection: in its header, or in its address. */
export function connectionToken(request: FastifyRequest): string | undefined {
  const query = request.query as { token?: string | string[] };
  const fromUrl = Array.isArray(query.token) ? query.token[0] : query.token;
  return bearerToken(request.headers.authorization) ?? fromUrl;
}
