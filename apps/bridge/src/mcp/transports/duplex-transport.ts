import { limits } from "../../config/limits.js";
import { errorBody, type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import { SESSION_ENDED, type SessionTransport, Use } from "../sdk/session-transport.js";
import { serialize } from "./messages.js";

/** A full-duplex connection to a client: a WebSocket, or the stream of the older HTTP+SSE. */
export interface Wire {
  readonly isOpen: boolean;
  /** Backpressure: bytes that are not sent yet. */
  readonly unreadBytes: number;
  /** Sends the text of one message. Never throws; a client that does not read loses the wire. */
  send(text: string): void;
  end(): void;
  onClose(listener: () => void): void;
}

export class DuplexTransport implements SessionTransport {
  readonly sessionId: string;
  onmessage?: SessionTransport["onmessage"];
  onclose?: SessionTransport["onclose"];
  readonly #wire: Wire;
  readonly #open = new Set<RequestId>();
  #closed = false;

  constructor(sessionId: string, wire: Wire) {
    this.sessionId = sessionId;
    this.#wire = wire;
  }

  get use(): Use {
    if (this.#open.size > 0) return Use.calling;
    return this.#wire.unreadBytes > 0 ? Use.unread : Use.listening;
  }

  get openCalls(): number {
    return this.#open.size;
  }

  take(messages: readonly JsonRpcMessage[]): void {
    for (const message of messages) {
      const problem = this.#begin(message);
      if (problem === undefined) this.#deliver(message);
      else this.#wire.send(errorBody(RpcErrorCode.invalidRequest, problem, message.id));
    }
  }

  send(message: JsonRpcMessage): boolean {
    if (message.method === undefined && message.id !== undefined) this.#open.delete(message.id);
    const text = serialize(message);
    if (text !== undefined) this.#wire.send(text);
    return text !== undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    for (const id of this.#open)
      this.#wire.send(errorBody(RpcErrorCode.refused, SESSION_ENDED, id));
    this.#open.clear();
    this.#wire.end();
  }

  #begin({ id, method }: JsonRpcMessage): string | undefined {
    if (id === undefined || method === undefined) return undefined;
    if (this.#open.has(id)) return "A request with this id is still open.";
    if (this.#open.size >= limits.callsPerSession) {
      return `This session has ${limits.callsPerSession} calls open, which is the limit.`;
    }
    this.#open.add(id);
    return undefined;
  }

  #deliver(message: JsonRpcMessage): void {
    // When its client is gone the whole session ends, and every call with it.
    this.onmessage?.(message);
    // What is cancelled is not answered.
    if (message.method !== "notifications/cancelled") return;
    this.#open.delete(message.params?.requestId as RequestId);
  }
}
