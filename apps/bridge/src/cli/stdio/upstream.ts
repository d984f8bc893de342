import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { request as encryptedRequest } from "node:https";
import type { JsonRpcMessage, RequestId } from "../../http/errors.js";

const GOODBYE_MS = 500;
/** The bridge writes to its stream more often. */
const SILENCE_MS = 90_000;
const PROBE_MS = 30_000;
const MAX_REFUSAL_LENGTH = 65_536;

/** A message without a valid response. */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  /** `no` when the bridge certainly did not process the message, so that it may be sent again. */
  readonly acted: "no" | "unknown";
  readonly isRefusal: boolean;

  constructor(message: string, acted: "no" | "unknown", { isRefusal = false } = {}) {
    super(message);
    this.acted = acted;
    this.isRefusal = isRefusal;
  }
}

export type Receive = (message: JsonRpcMessage) => void;

export interface UpstreamOptions {
  url: string;
  credential: string | undefined;
  /** A ticket is good for one bridge: when it is refused, another bridge is at the address. */
  isTicket: boolean;
  receive: Receive;
  /** The bridge, or what is between, ended the stream of notifications. */
  onSilence?: () => void;
}

/**
 * One MCP session with a bridge over HTTP. The SDK's client transport does not report whether a
 * failed request may have run, nor that a stream ended without the response; a proxy needs both.
 */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #requests = new Set<ClientRequest>();
  #sessionId: string | undefined;
  #protocolVersion: string | undefined;
  #initialized = false;
  #listening = false;
  #closed = false;

  constructor(options: UpstreamOptions) {
    this.#options = options;
  }

  async send(message: JsonRpcMessage, receive: Receive = this.#options.receive): Promise<void> {
    const response = await this.#request("POST", JSON.stringify(message));
    if (isRequest(message) && !isMcp(response)) {
      response.destroy();
      throw new UpstreamError("another program answers there", "no");
    }
    this.#sessionId ??= header(response, "mcp-session-id");
    let answered = false;
    const pass: Receive = (received) => {
      if (isAnswer(received) && received.id === message.id) {
        answered = true;
        if (message.method === "initialize") this.#protocolVersion = negotiated(received);
      }
      receive(received);
    };
    await readMessages(response, pass);
    if (message.method === "notifications/initialized") this.#initialized = true;
    if (isRequest(message) && !answered) {
      throw new UpstreamError("the connection ended without the answer", "unknown");
    }
    if (this.#initialized) void this.#listen();
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const open of this.#requests) open.destroy();
    if (this.#sessionId === undefined) return;
    const deadline = setTimeout(() => {
      for (const open of this.#requests) open.destroy();
    }, GOODBYE_MS);
    await this.#request("DELETE").then(
      (response) => response.resume(),
      () => {},
    );
    clearTimeout(deadline);
  }

  async #listen(): Promise<void> {
    if (this.#listening) return;
    this.#listening = true;
    let isRefusal = false;
    try {
      const stream = await this.#request("GET");
      stream.setTimeout(SILENCE_MS, () => stream.destroy());
      await readMessages(stream, this.#options.receive);
    } catch (error) {
      // The next message shows whether the bridge is gone.
      isRefusal = !(error instanceof UpstreamError) || error.isRefusal;
    }
    this.#listening = false;
    if (!isRefusal && !this.#closed) this.#options.onSilence?.();
  }

  #request(method: "GET" | "POST" | "DELETE", body?: string): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      let connected = false;
      const { url, credential, isTicket } = this.#options;
      const dial = url.startsWith("https:") ? encryptedRequest : request;
      const outgoing = dial(url, {
        method,
        // One connection per request: when a reused one breaks, it is unknown whether the bridge
        // read the request.
        agent: false,
        headers: this.#headers(body),
      });
      this.#requests.add(outgoing);
      outgoing.once("socket", (socket) => {
        socket.setKeepAlive(true, PROBE_MS);
        socket.once("connect", () => {
          connected = true;
        });
      });
      outgoing.once("error", (error: NodeJS.ErrnoException) => {
        const acted = connected ? "unknown" : "no";
        reject(new UpstreamError(error.message || (error.code ?? "no connection"), acted));
      });
      outgoing.once("close", () => this.#requests.delete(outgoing));
      outgoing.once("response", (response) => {
        if (isOk(response)) resolve(response);
        else refusal(response, isTicket && credential !== undefined).then(reject, reject);
      });
      outgoing.end(body);
    });
  }

  #headers(body: string | undefined): Record<string, string | number> {
    const { credential } = this.#options;
    return {
      accept: "application/json, text/event-stream",
      ...(body === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
      ...(this.#sessionId === undefined ? {} : { "mcp-session-id": this.#sessionId }),
      ...(this.#protocolVersion === undefined
        ? {}
        : { "mcp-protocol-version": this.#protocolVersion }),
    };
  }
}

export function isRequest(
  message: JsonRpcMessage,
): message is JsonRpcMessage & { id: RequestId; method: string } {
  return message.id !== undefined && message.method !== undefined;
}

function isAnswer(message: JsonRpcMessage): boolean {
  return message.id !== undefined && message.method === undefined;
}

function negotiated(answer: JsonRpcMessage): string | undefined {
  const { result } = answer as { result?: { protocolVersion?: unknown } };
  return typeof result?.protocolVersion === "string" ? result.protocolVersion : undefined;
}

function isOk({ statusCode = 500 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300;
}

function isMcp(response: IncomingMessage): boolean {
  const type = header(response, "content-type") ?? "";
  return type.startsWith("application/json") || type.startsWith("text/event-stream");
}

function header(response: IncomingMessage, name: string): string | undefined {
  const value = response.headers[name];
  return typeof value === "string" ? value : undefined;
}

async function refusal(response: IncomingMessage, showedTicket: boolean): Promise<Error> {
  const status = response.statusCode ?? 0;
  const text = await readText(response, MAX_REFUSAL_LENGTH).catch(() => "");
  let error: { code?: unknown; message?: unknown } | undefined;
  try {
    error = (JSON.parse(text) as { error?: typeof error }).error;
  } catch {
    // Not from the bridge; only the status is used.
  }
  const { code, message = `HTTP status ${status}` } = error ?? {};
  // An unknown session, a ticket of an earlier bridge, a closing bridge, or none: the message was
  // not processed.
  const anotherBridge = status === 404 || status === 503 || (status === 401 && showedTicket);
  const elsewhere = anotherBridge || typeof code !== "number";
  return elsewhere
    ? new UpstreamError(String(message), "no", { isRefusal: true })
    : new RefusedError(String(message), code);
}

export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly code: number;

  constructor(message: string, code: number) {
    super(message);
    this.code = code;
  }
}

async function readText(response: IncomingMessage, maxLength = Infinity): Promise<string> {
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) {
    text += chunk;
    if (text.length > maxLength) break;
  }
  return text;
}

async function readMessages(response: IncomingMessage, receive: Receive): Promise<void> {
  try {
    if (header(response, "content-type")?.startsWith("text/event-stream")) {
      await readEvents(response, receive);
    } else {
      const text = await readText(response);
      if (text !== "") receive(JSON.parse(text) as JsonRpcMessage);
    }
  } catch (error) {
    throw new UpstreamError((error as Error).message, "unknown");
  }
}

async function readEvents(response: IncomingMessage, receive: Receive): Promise<void> {
  let rest = "";
  for await (const chunk of response.setEncoding("utf8")) {
    const events = `${rest}${chunk}`.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const data = event
        .split("\n")
        .flatMap((line) => (line.startsWith("data:") ? [line.slice(5)] : []));
      if (data.length > 0) receive(JSON.parse(data.join("\n")) as JsonRpcMessage);
    }
  }
}
