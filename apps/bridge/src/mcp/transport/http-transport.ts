import type { ServerResponse } from "node:http";
import type { JsonRpcMessage, RequestId } from "../../http/json-rpc.js";
import { type Accepts, EventStream, Exchange } from "./exchange.js";

/** What may wait for a client that does not read its stream; more is dropped with the stream. */
const MAX_STREAM_BYTES = 1_048_576;

/** Serves the client on the other end of a transport. Called once per session. */
export type ServeSession = (transport: HttpTransport) => Promise<void>;

/**
 * The streamable HTTP transport of one MCP session, as the SDK's server wants a transport to be. It is
 * ours because the SDK's own turns every call into web streams and back, which costs more than the
 * whole rest of the bridge.
 */
export class HttpTransport {
  readonly sessionId: string;
  onmessage?: ((message: never, extra?: never) => void) | undefined;
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  readonly #exchanges = new Map<RequestId, Exchange>();
  #listening: EventStream | undefined;
  #closed = false;

  constructor(sessionId: string) {
    this.sessionId = sessionId;
  }

  /** Whether a client waits for something. */
  get busy(): boolean {
    return this.#exchanges.size > 0 || this.#listening !== undefined;
  }

  /** Calls that are not answered yet. */
  get openCalls(): number {
    return this.#exchanges.size;
  }

  async start(): Promise<void> {}

  isOpen(id: RequestId): boolean {
    return this.#exchanges.has(id);
  }

  /** Takes messages that want no answer. */
  take(messages: readonly JsonRpcMessage[]): void {
    for (const message of messages) {
      this.#deliver(message);
      if (message.method === "notifications/cancelled") this.#onCancelled(message);
    }
  }

  /** Takes messages with requests among them; the response is written when all are answered. */
  serve(
    messages: readonly JsonRpcMessage[],
    response: ServerResponse,
    options: { accepts: Accepts; batch: boolean },
  ): void {
    const ids = messages.flatMap(({ id, method }) =>
      id === undefined || method === undefined ? [] : [id],
    );
    const exchange = new Exchange(response, { ...options, sessionId: this.sessionId, ids });
    for (const id of ids) this.#exchanges.set(id, exchange);
    // A client that hangs up does not cancel: the work goes on, only its answer has nowhere to go.
    response.once("close", () => {
      for (const id of ids) if (this.#exchanges.get(id) === exchange) this.#exchanges.delete(id);
    });
    for (const message of messages) this.#deliver(message);
  }

  /** Opens the stream for what the server says by itself; false when there is one already. */
  listen(response: ServerResponse): boolean {
    if (this.#listening !== undefined) return false;
    const stream = new EventStream(response, this.sessionId);
    this.#listening = stream;
    response.once("close", () => {
      if (this.#listening === stream) this.#listening = undefined;
    });
    return true;
  }

  async send(
    message: JsonRpcMessage,
    options?: { relatedRequestId?: RequestId | undefined },
  ): Promise<void> {
    if (message.method === undefined && message.id !== undefined) {
      const exchange = this.#exchanges.get(message.id);
      this.#exchanges.delete(message.id);
      exchange?.answer(message.id, message);
    } else if (options?.relatedRequestId !== undefined) {
      this.#exchanges.get(options.relatedRequestId)?.notify(message);
    } else if (this.#listening !== undefined) {
      if (this.#listening.bufferedBytes > MAX_STREAM_BYTES) this.#listening.end();
      else this.#listening.send(message);
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.onclose?.();
    for (const [id, exchange] of this.#exchanges) exchange.abandon(id);
    this.#exchanges.clear();
    this.#listening?.end();
    this.#listening = undefined;
  }

  #deliver(message: JsonRpcMessage): void {
    // The SDK types a message by its own classes; the shape was checked by the listener.
    this.onmessage?.(message as never);
  }

  #onCancelled(message: JsonRpcMessage): void {
    const id = message.params?.requestId as RequestId | undefined;
    if (id === undefined) return;
    const exchange = this.#exchanges.get(id);
    this.#exchanges.delete(id);
    exchange?.abandon(id);
  }
}
