import { limits } from "../../config/limits.js";
import type { JsonRpcMessage, RequestId } from "../../http/errors.js";
import type { ResponseWriter } from "../../http/response-writer.js";
import {
  type Received,
  SESSION_ENDED,
  type SessionTransport,
  Use,
} from "../sdk/session-transport.js";
import { type Accepts, EventStream, Exchange } from "./exchange.js";
import { serialize } from "./messages.js";

export class HttpTransport implements SessionTransport {
  readonly sessionId: string;
  onmessage?: SessionTransport["onmessage"];
  onclose?: SessionTransport["onclose"];
  readonly #open = new Map<RequestId, Exchange>();
  #listening: EventStream | undefined;
  #asked = false;
  #closed = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  get use(): Use {
    for (const exchange of this.#open.values()) if (exchange.isOpen) return Use.calling;
    if (this.#listening?.isOpen) {
      return this.#listening.unreadBytes > 0 ? Use.unread : Use.listening;
    }
    return this.#asked ? Use.idle : Use.none;
  }

  get openCalls(): number {
    let calls = 0;
    for (const exchange of this.#open.values()) if (exchange.isOpen) calls += 1;
    return calls;
  }

  isOpen(id: RequestId): boolean {
    return this.#open.has(id);
  }

  hasRoomFor(calls: number): boolean {
    return this.#open.size + calls <= limits.callsPerSession;
  }

  /** Receives messages without requests. */
  take(messages: readonly JsonRpcMessage[]): void {
    for (const message of messages) this.#deliver(message);
  }

  serve({ messages, ids, initializes, batch }: Received, writer: ResponseWriter, accepts: Accepts) {
    const exchange = new Exchange(writer, {
      accepts,
      batch,
      sessionId: this.sessionId,
      ids: [...ids],
    });
    for (const id of ids) this.#open.set(id, exchange);
    this.#asked ||= !initializes;
    for (const message of messages) this.#deliver(message, exchange);
  }

  listen(writer: () => ResponseWriter): boolean {
    if (this.#listening?.isOpen) return false;
    this.#listening = new EventStream(writer(), { "mcp-session-id": this.sessionId });
    return true;
  }

  send(message: JsonRpcMessage, call?: RequestId): boolean {
    if (message.method === undefined && message.id !== undefined) {
      const exchange = this.#open.get(message.id);
      this.#open.delete(message.id);
      exchange?.answer(message.id, message);
      return exchange !== undefined;
    }
    if (call !== undefined) return this.#open.get(call)?.notify(message) === true;
    if (!this.#listening?.isOpen) return false;
    const text = serialize(message);
    if (text !== undefined) this.#listening.send(text);
    return text !== undefined;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    const open = [...this.#open];
    this.#open.clear();
    for (const [id, exchange] of open) exchange.fail(id, SESSION_ENDED);
    this.#listening?.end();
    this.#listening = undefined;
  }

  #deliver(message: JsonRpcMessage, exchange?: Exchange): void {
    this.onmessage?.(message, exchange);
    if (message.method === "notifications/cancelled") this.#onCancelled(message);
  }

  #onCancelled(message: JsonRpcMessage): void {
    const id = message.params?.requestId as RequestId | undefined;
    if (id === undefined) return;
    const exchange = this.#open.get(id);
    this.#open.delete(id);
    exchange?.abandon(id);
  }
}
