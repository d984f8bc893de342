import { errorBody, type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import type { ResponseWriter } from "../../http/response-writer.js";
import type { Requester } from "../sdk/session-transport.js";
import { serialize } from "./messages.js";

/** Comments on a quiet stream, so that proxies keep it and a dead client is noticed. */
const KEEP_ALIVE_MS = 25_000;

const eventStreamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

export class EventStream {
  readonly #writer: ResponseWriter;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(writer: ResponseWriter, headers: Record<string, string>) {
    this.#writer = writer;
    writer.head(200, { ...eventStreamHeaders, ...headers });
    writer.flush();
    this.#keepAlive = setInterval(() => writer.write(": keep-alive\n\n"), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    writer.onClose(() => clearInterval(this.#keepAlive));
  }

  get isOpen(): boolean {
    return this.#writer.isOpen;
  }

  /** Backpressure: bytes that are not sent yet. */
  get unreadBytes(): number {
    return this.#writer.unreadBytes;
  }

  send(text: string, event = "message"): void {
    this.#writer.write(`event: ${event}\ndata: ${text}\n\n`);
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#writer.end();
  }

  onClose(listener: () => void): void {
    this.#writer.onClose(listener);
  }
}

export interface Accepts {
  json: boolean;
  events: boolean;
}

export function parseAccept(header: string | undefined): Accepts {
  if (header === undefined) return { json: false, events: false };
  const any = header.includes("*/*");
  return {
    json: any || header.includes("application/json"),
    events: any || header.includes("text/event-stream"),
  };
}

/**
 * One POST with requests, until all of them are answered. An answer goes out as plain JSON, which is
 * cheapest for both sides; only when a notification comes first does the answer become a stream.
 */
export class Exchange implements Requester {
  readonly #writer: ResponseWriter;
  readonly #sessionId: string;
  readonly #accepts: Accepts;
  readonly #batch: boolean;
  readonly #open: RequestId[];
  #answers: string[] = [];
  #stream: EventStream | undefined;

  constructor(
    writer: ResponseWriter,
    options: { sessionId: string; accepts: Accepts; batch: boolean; ids: RequestId[] },
  ) {
    this.#writer = writer;
    this.#sessionId = options.sessionId;
    this.#accepts = options.accepts;
    this.#batch = options.batch;
    this.#open = options.ids;
    if (!this.#accepts.json) this.#stream = this.#openStream();
  }

  get isOpen(): boolean {
    return this.#writer.isOpen;
  }

  get isAnswered(): boolean {
    return this.#open.length === 0;
  }

  /** Calls back if the client hangs up before it has all its answers. */
  onGone(listener: () => void): void {
    this.#writer.onClose(() => {
      if (!this.isAnswered) listener();
    });
  }

  answer(id: RequestId, message: JsonRpcMessage): void {
    const text = serialize(message);
    if (text !== undefined) this.#answer(id, text);
  }

  /** Sends a message before the answer; false when this client accepts no stream. */
  notify(message: JsonRpcMessage): boolean {
    const text = serialize(message);
    if (text === undefined || !this.isOpen) return false;
    if (this.#stream === undefined) {
      if (!this.#accepts.events) return false;
      this.#stream = this.#openStream();
      for (const answer of this.#answers) this.#stream.send(answer);
      this.#answers = [];
    }
    this.#stream.send(text);
    return true;
  }

  /** Ends a request without an answer, such as a cancelled one. */
  abandon(id: RequestId): void {
    if (!this.#open.includes(id)) return;
    if (this.#accepts.events) {
      this.#remove(id);
      if (this.#open.length > 0) return;
      this.#stream ??= this.#openStream();
      this.#finish();
    } else {
      this.#answer(id, errorBody(RpcErrorCode.cancelled, "Request cancelled", id));
    }
  }

  fail(id: RequestId, message: string): void {
    if (this.#open.includes(id)) this.#answer(id, errorBody(RpcErrorCode.refused, message, id));
  }

  #answer(id: RequestId, text: string): void {
    this.#remove(id);
    if (this.#stream !== undefined) this.#stream.send(text);
    else this.#answers.push(text);
    if (this.#open.length === 0) this.#finish();
  }

  #remove(id: RequestId): void {
    const index = this.#open.indexOf(id);
    if (index >= 0) this.#open.splice(index, 1);
  }

  #openStream(): EventStream {
    return new EventStream(this.#writer, { "mcp-session-id": this.#sessionId });
  }

  #finish(): void {
    if (this.#stream !== undefined) return this.#stream.end();
    const body = this.#batch ? `[${this.#answers.join(",")}]` : (this.#answers[0] ?? "");
    this.#writer.head(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "mcp-session-id": this.#sessionId,
    });
    this.#writer.end(body);
  }
}
