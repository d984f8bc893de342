import { randomUUID } from "node:crypto";
import {
  type AnswerFrame,
  decodeFrame,
  encodeError,
  encodeRequest,
  type Hello,
  HelloResultSchema,
  MAX_TO_SERVER_BYTES,
  REQUEST_TIMEOUT_MS,
  ServerCloseCode,
  ServerErrorCode,
} from "@ccbridge/protocol/minecraft";
import WebSocket from "ws";
import { Backoff } from "../backoff.js";
import type { Outbox } from "../events/outbox.js";
import type { Log } from "../logging.js";
import { Requests, type Serve } from "./requests.js";
import { shownUrl } from "./shown-url.js";
import { explainDialError, explainStatus } from "./try-bridge.js";

const HELLO_TIMEOUT_MS = 10_000;
const PING_MS = 15_000;
const LASTING_MS = 10_000;
/** Backpressure: stop sending while the socket buffers more than this. */
const MAX_BUFFERED_BYTES = 1_024 * 1_024;

export interface LinkOptions {
  url: string;
  token: string;
  attempts: number;
  retry: { firstMs: number; maxMs: number };
  /** After a refused token. @default 60000 */
  refusedMs?: number;
  log: Log;
  outbox: Outbox;
  hello(): Hello & { name: string };
  serve: Serve;
  onGivenUp?(): void;
  onLinked?(timeoutMs: number): void;
}

export class BridgeLink {
  readonly #options: LinkOptions;
  readonly #backoff: Backoff;
  readonly #requests: Requests;
  #socket: WebSocket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #greeting: { id: string; timer: ReturnType<typeof setTimeout> } | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #openedAt = 0;
  #ready = false;
  #acknowledges = false;
  #stopped = false;
  #warnedVersion = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#backoff = new Backoff(options.retry);
    this.#requests = new Requests({
      serve: options.serve,
      log: options.log,
      send: (text) => this.#send(text),
    });
  }

  get ready(): boolean {
    return this.#ready;
  }

  start(): void {
    const { url, token, log } = this.#options;
    const target = new URL(url);
    if (!target.searchParams.has("server")) {
      target.searchParams.set("server", this.#options.hello().name);
    }
    const socket = new WebSocket(target, {
      ...(token === "" ? {} : { headers: { Authorization: `Bearer ${token}` } }),
      handshakeTimeout: HELLO_TIMEOUT_MS,
      maxPayload: MAX_TO_SERVER_BYTES,
      perMessageDeflate: false,
    });
    this.#socket = socket;
    let reason: string | undefined;
    let refused = false;
    socket.on("open", () => this.#opened(socket));
    socket.on("message", (data, isBinary) => {
      if (socket !== this.#socket) return;
      if (isBinary) log.warn("ignored a binary message from the bridge");
      else this.#receive(data.toString());
    });
    socket.on("unexpected-response", (request, { statusCode }) => {
      refused = statusCode === 401 || statusCode === 403;
      reason = explainStatus(statusCode);
      request.destroy();
      socket.terminate();
    });
    socket.on("error", (error) => {
      reason ??= explainDialError(error);
    });
    socket.on("close", (code, text) => {
      if (socket !== this.#socket) return;
      const closeReason = text.toString().slice(0, 200);
      refused ||= code === ServerCloseCode.unauthorized || code === ServerCloseCode.nameTaken;
      this.#closed(reason ?? (closeReason === "" ? `closed with ${code}` : closeReason), refused);
    });
  }

  flush(): void {
    const { outbox, log } = this.#options;
    const socket = this.#socket;
    if (!this.#ready || socket === undefined) return;
    while (socket.bufferedAmount < MAX_BUFFERED_BYTES) {
      const event = outbox.next();
      if (event === undefined) break;
      socket.send(event.text, () => this.flush());
      const { eventType, seq } = event;
      log.info("forwarded", { type: "event", source: "minecraft", to: "bridge", eventType, seq });
    }
    if (!this.#acknowledges) outbox.forgetSent();
  }

  introduce(): void {
    const args = this.#options.hello();
    this.#send(
      encodeRequest({ source: "minecraft", id: randomUUID() }, { command: "hello", args }),
    );
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#retry);
    const socket = this.#socket;
    if (socket === undefined || socket.readyState === WebSocket.CLOSED) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => socket.terminate(), 1_000);
      socket.once("close", () => {
        clearTimeout(timer);
        resolve();
      });
      if (socket.readyState === WebSocket.OPEN)
        socket.close(ServerCloseCode.goingAway, "the agent stops");
      else socket.terminate();
    });
  }

  #opened(socket: WebSocket): void {
    this.#openedAt = performance.now();
    this.#warnedVersion = false;
    const id = randomUUID();
    const { token, hello } = this.#options;
    const authToken = token === "" ? undefined : token;
    this.#send(
      encodeRequest({ source: "minecraft", id }, { command: "hello", args: hello(), authToken }),
    );
    // A relay that does not know the hello forwards messages anyway.
    const timer = setTimeout(() => this.#greeted(undefined), HELLO_TIMEOUT_MS);
    this.#greeting = { id, timer };
    this.#watch(socket);
  }

  /** Heartbeat: detects a half-open connection. */
  #watch(socket: WebSocket): void {
    let alive = true;
    socket.on("pong", () => {
      alive = true;
    });
    this.#heartbeat = setInterval(() => {
      if (!alive) {
        socket.terminate();
        return;
      }
      alive = false;
      socket.ping();
    }, PING_MS);
  }

  #greeted(answer: AnswerFrame | undefined): void {
    if (this.#greeting === undefined) return;
    clearTimeout(this.#greeting.timer);
    this.#greeting = undefined;
    const { log, outbox, url } = this.#options;
    const outcome = answer?.outcome;
    if (outcome?.ok === false && outcome.code === ServerErrorCode.authFailed) {
      log.error("the bridge refused the token", { reason: outcome.message });
      this.#socket?.close(ServerCloseCode.unauthorized);
      return;
    }
    const result =
      outcome?.ok === true ? HelloResultSchema.safeParse(outcome.data).data : undefined;
    this.#acknowledges = result?.acknowledge === true;
    this.#requests.timeoutMs = result?.timeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#options.onLinked?.(this.#requests.timeoutMs);
    outbox.restart(result?.nextEvent);
    this.#ready = true;
    log.info("linked to the bridge", {
      url: shownUrl(url),
      name: result?.name,
      version: result?.version,
    });
    this.flush();
  }

  #receive(text: string): void {
    const { log, outbox } = this.#options;
    const decoded = decodeFrame(text, "mcp");
    if (decoded.foreignVersion && !this.#warnedVersion) {
      this.#warnedVersion = true;
      log.warn("the bridge speaks another version; trying to understand it anyway");
    }
    if (!decoded.ok) {
      const { id, reason } = decoded;
      log.warn("a message from the bridge is not valid", { reason });
      if (id !== undefined) {
        const message = `The message is not valid: ${reason}`;
        this.#send(
          encodeError({ source: "minecraft", id }, { code: ServerErrorCode.schemaError, message }),
        );
      }
      return;
    }
    const { frame } = decoded;
    if (frame.type === "command" || frame.type === "query") this.#requests.receive(frame);
    else if (frame.type !== "event") {
      if (frame.id === this.#greeting?.id) this.#greeted(frame);
      else if (outbox.acknowledge(frame.id)) this.flush();
    }
  }

  #send(text: string): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(text);
  }

  #closed(reason: string, refused: boolean): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#greeting?.timer);
    this.#greeting = undefined;
    this.#ready = false;
    this.#requests.unlinked();
    if (this.#stopped) return;
    const { log, attempts, refusedMs = 60_000, onGivenUp } = this.#options;
    const lasted = this.#openedAt > 0 && performance.now() - this.#openedAt > LASTING_MS;
    this.#openedAt = 0;
    if (lasted && !refused) this.#backoff.reset();
    if (attempts > 0 && this.#backoff.failures >= attempts) {
      log.error("the bridge cannot be reached; giving up", { reason, attempts });
      onGivenUp?.();
      return;
    }
    const waitMs = this.#backoff.next();
    const retryMs = refused ? Math.max(waitMs, refusedMs) : waitMs;
    log.warn("not linked to the bridge", { reason, retryMs });
    this.#retry = setTimeout(() => this.start(), retryMs);
  }
}
