import { limits } from "../../config/limits.js";
import type { JsonRpcMessage, RequestId } from "../../http/json-rpc.js";
import { type Accepts, EventStream, Exchange } from "./exchange.js";
import type { ResponseWriter } from "./response-writer.js";
import { serialize } from "./serialize.js";
import {
  type Caller,
  type Received,
  SESSION_ENDED,
  type SessionTransport,
  Use,
} from "./session-transport.js";

/**
 * The streamable HTTP transport of one MCP session, for the SDK's server. The SDK's own converts every call to web
 * streams and back, which costs more than the rest of the bridge.
 */
export class HttpTransport implements SessionTransport {
  readonly sessionId: string;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  /** Unanswered calls, including those of disconnected clients: their ids are still in use. */
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

  async start(): Promise<void> {}

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

  /** Receives messages with requests; the response ends when all are answered. */
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

  /** Opens the stream for the server's own messages; false when there is one already. */
  listen(writer: () => ResponseWriter): boolean {
    if (this.#listening?.isOpen) return false;
    this.#listening = new EventStream(writer(), { "mcp-session-id": this.sessionId });
    return true;
  }

  async send(
    message: JsonRpcMessage,
    options?: { relatedRequestId?: RequestId | undefined },
  ): Promise<void> {
    if (message.method === undefined && message.id !== undefined) {
      const exchange = this.#open.get(message.id);
      this.#open.delete(message.id);
      exchange?.answer(message.id, message);
    } else if (options?.relatedRequestId !== undefined) {
      const isSent = this.#open.get(options.relatedRequestId)?.notify(message);
      // A request that cannot be sent must not be waited for.
      if (!isSent && message.id !== undefined) throw new Error("it takes nothing but the answer");
    } else if (this.#listening?.isOpen) {
      const text = serialize(message);
      if (text !== undefined) this.#listening.send(text);
    }
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
    const requestInfo: Caller | undefined = exchange && {
      headers: {},
      onGone: (listener) => exchange.onGone(listener),
    };
    // The SDK types a message by its own classes; the shape was checked by the listener.
    this.onmessage?.(message as never, { requestInfo } as never);
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
