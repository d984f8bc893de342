import type { ServerResponse } from "node:http";
import { ErrorCode, errorBody, type RequestId } from "../../http/json-rpc.js";

/** Comments on a quiet stream, so that proxies keep it and a dead client is noticed. */
const KEEP_ALIVE_MS = 25_000;

const eventStreamHeaders = {
  "content-type": "text/event-stream",
  "cache-control": "no-cache, no-transform",
  "x-accel-buffering": "no",
};

/** A stream of server-sent events to one client. */
export class EventStream {
  readonly #response: ServerResponse;
  readonly #keepAlive: NodeJS.Timeout;

  constructor(response: ServerResponse, sessionId: string) {
    this.#response = response;
    response.writeHead(200, { ...eventStreamHeaders, "mcp-session-id": sessionId });
    response.flushHeaders();
    this.#keepAlive = setInterval(() => response.write(": keep-alive\n\n"), KEEP_ALIVE_MS);
    this.#keepAlive.unref();
    response.once("close", () => clearInterval(this.#keepAlive));
  }

  /** Bytes that the client has not taken yet. */
  get bufferedBytes(): number {
    return this.#response.writableLength;
  }

  send(message: unknown): void {
    this.#response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    clearInterval(this.#keepAlive);
    this.#response.end();
  }
}

export interface Accepts {
  json: boolean;
  events: boolean;
}

/** What a client takes as an answer. */
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
export class Exchange {
  readonly #response: ServerResponse;
  readonly #sessionId: string;
  readonly #accepts: Accepts;
  readonly #batch: boolean;
  readonly #open: Set<RequestId>;
  #answers: unknown[] = [];
  #stream: EventStream | undefined;

  constructor(
    response: ServerResponse,
    options: { sessionId: string; accepts: Accepts; batch: boolean; ids: Iterable<RequestId> },
  ) {
    this.#response = response;
    this.#sessionId = options.sessionId;
    this.#accepts = options.accepts;
    this.#batch = options.batch;
    this.#open = new Set(options.ids);
    if (!this.#accepts.json) this.#stream = new EventStream(response, this.#sessionId);
  }

  /** Requests that still wait for their answer. */
  get openIds(): Iterable<RequestId> {
    return this.#open;
  }

  answer(id: RequestId, message: unknown): void {
    this.#open.delete(id);
    if (this.#stream !== undefined) this.#stream.send(message);
    else this.#answers.push(message);
    if (this.#open.size === 0) this.#finish();
  }

  notify(message: unknown): void {
    if (this.#stream === undefined) {
      if (!this.#accepts.events) return;
      this.#stream = new EventStream(this.#response, this.#sessionId);
      for (const answer of this.#answers) this.#stream.send(answer);
      this.#answers = [];
    }
    this.#stream.send(message);
  }

  /** Ends a request that will not be answered, as after a cancellation. */
  abandon(id: RequestId): void {
    if (!this.#open.has(id)) return;
    if (this.#accepts.events) {
      this.#open.delete(id);
      if (this.#open.size > 0) return;
      this.#stream ??= new EventStream(this.#response, this.#sessionId);
      this.#finish();
    } else {
      this.answer(id, JSON.parse(errorBody(ErrorCode.cancelled, "Request cancelled", id)));
    }
  }

  #finish(): void {
    if (this.#stream !== undefined) return this.#stream.end();
    const body = JSON.stringify(this.#batch ? this.#answers : this.#answers[0]);
    this.#response.writeHead(200, {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
      "mcp-session-id": this.#sessionId,
    });
    this.#response.end(body);
  }
}
