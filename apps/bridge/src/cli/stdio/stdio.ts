import { setTimeout as sleep } from "node:timers/promises";
import type { Bridge, BridgeOptions } from "../../bridge.js";
import { type JsonRpcMessage, type RequestId, RpcErrorCode } from "../../http/errors.js";
import {
  asJsonRpc,
  type JSONRPCMessage,
  stdioTransport,
  type Transport,
} from "../../mcp/sdk/index.js";
import { findOrStartBridge } from "./find-bridge.js";
import { findRemoteBridge } from "./remote-bridge.js";
import { isRequest, RefusedError, Upstream, UpstreamError } from "./upstream.js";

/** Time for pending responses after stdin was closed; SDK clients kill the process after 2 s. */
const LAST_ANSWERS_MS = 1_000;
const IN_FLIGHT_MS = 200;
/** Of a remote bridge whose notifications ended. */
const RETRY_MS = { first: 1_000, max: 30_000 };
const PING_ID = "ccbridge-stdio-ping";

export interface StdioSession {
  ended: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves the MCP client on stdin and stdout, always as a proxy to a bridge: the remote one of BRIDGE_URL, the one
 * that already runs on the MCP port, so that clients share it, or one that this process starts.
 */
export async function serveStdio(options: BridgeOptions): Promise<StdioSession> {
  const client = await stdioTransport();
  const proxy = new StdioProxy(client, options);
  await proxy.connect();
  client.onmessage = (message: JSONRPCMessage) => void proxy.forward(asJsonRpc(message));
  client.onerror = (error) => options.log.warn({ err: error }, "bad message from the client");
  const ended = new Promise<void>((resolve) => {
    const silent = () => void proxy.settled(LAST_ANSWERS_MS).then(resolve);
    process.stdin.once("end", silent);
    process.stdin.once("close", silent);
    // The client stopped reading. Without a listener the error would crash the process.
    process.stdout.on("error", () => resolve());
    client.onclose = resolve;
  });
  await client.start();
  return { ended, close: () => proxy.close() };
}

class StdioProxy {
  readonly #client: Transport;
  readonly #options: BridgeOptions;
  readonly #open = new Set<RequestId>();
  #bridge: Bridge | undefined;
  #url = "";
  #credential: string | undefined;
  #upstream: Promise<Upstream> | undefined;
  #handshake: JsonRpcMessage[] = [];
  readonly #subscriptions = new Map<unknown, JsonRpcMessage>();
  #greeting: Promise<void> = Promise.resolve();
  #onIdle: () => void = () => {};
  #closed = false;
  #isRemote = false;
  #reconnecting = false;

  constructor(client: Transport, options: BridgeOptions) {
    this.#client = client;
    this.#options = options;
  }

  connect(): Promise<Upstream> {
    const upstream = this.#findUpstream();
    this.#upstream = upstream;
    // The next message tries again.
    upstream.catch(() => this.#forget(upstream));
    return upstream;
  }

  /** Forwards a message of the client. Never rejects: a failed request gets an error response. */
  async forward(message: JsonRpcMessage): Promise<void> {
    const greeting = this.#greeting;
    if (isRequest(message)) this.#open.add(message.id);
    if (message.method === "notifications/cancelled") {
      // Cancelled requests get no response, from the bridge or from here.
      this.#settle(message.params?.requestId as RequestId);
    }
    const sending = greeting.then(() => this.#deliver(message));
    if (message.method === "initialize") this.#greeting = sending.catch(() => {});
    try {
      await sending;
    } catch (error) {
      const forgotten = isRequest(message) && !this.#open.has(message.id);
      if (this.#closed || forgotten) return;
      const { message: reason } = error as Error;
      this.#options.log.error({ reason, method: message.method }, "message not delivered");
      if (isRequest(message)) this.#receive(errorAnswer(message.id, error as Error, this.#url));
    }
  }

  settled(withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, withinMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
      if (this.#open.size === 0) this.#onIdle();
    });
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    const upstream = await this.#upstream?.catch(() => undefined);
    if (this.#bridge !== undefined) {
      await this.#bridge.close();
      await this.settled(IN_FLIGHT_MS);
    }
    for (const id of this.#open) this.#receive(errorAnswer(id, stopping, this.#url));
    await upstream?.close();
    await this.#client.close();
  }

  async #deliver(message: JsonRpcMessage): Promise<void> {
    const current = this.#upstream ?? this.connect();
    const upstream = await current;
    try {
      await upstream.send(message);
    } catch (error) {
      if (this.#closed || !(error instanceof UpstreamError) || error.acted !== "no") throw error;
      this.#options.log.warn({ reason: error.message }, "the bridge is gone; looking for another");
      this.#forget(current);
      const next = await (this.#upstream ?? this.connect());
      // Cancelled while waiting, so it must not run.
      if (isRequest(message) && message.id !== PING_ID && !this.#open.has(message.id)) return;
      await next.send(message);
    }
    if (message.method === "initialize") this.#handshake = [message];
    if (message.method === "notifications/initialized") {
      this.#handshake = [...this.#handshake.slice(0, 1), message];
    }
    const uri = message.params?.uri;
    if (message.method === "resources/subscribe") this.#subscriptions.set(uri, message);
    if (message.method === "resources/unsubscribe") this.#subscriptions.delete(uri);
  }

  /** A remote bridge may come back, or be reachable again, at any time: the client's subscriptions wait for it. */
  async #reconnect(): Promise<void> {
    if (this.#reconnecting) return;
    this.#reconnecting = true;
    const { log } = this.#options;
    for (let waitMs = RETRY_MS.first; !this.#closed; waitMs = Math.min(2 * waitMs, RETRY_MS.max)) {
      log.warn({ url: this.#url, retryMs: waitMs }, "the connection to the bridge ended");
      await sleep(waitMs, undefined, { ref: false });
      const isBack = await this.#deliver({ jsonrpc: "2.0", id: PING_ID, method: "ping" }).then(
        () => true,
        () => false,
      );
      if (isBack) break;
    }
    this.#reconnecting = false;
    if (this.#closed) return;
    log.info({ url: this.#url }, "connected to the bridge again");
    // What changed meanwhile was not announced.
    this.#notify("notifications/tools/list_changed");
    for (const uri of this.#subscriptions.keys()) {
      this.#notify("notifications/resources/updated", { uri });
    }
  }

  #notify(method: string, params?: Record<string, unknown>): void {
    this.#receive({ jsonrpc: "2.0", method, params });
  }

  #forget(upstream: Promise<Upstream>): void {
    if (this.#upstream === upstream) this.#upstream = undefined;
  }

  async #findUpstream(): Promise<Upstream> {
    if (this.#bridge === undefined) {
      const find = this.#options.config.bridgeUrl === "" ? findOrStartBridge : findRemoteBridge;
      const { url, bridge, credential, isRemote } = await find(this.#options);
      this.#url = url;
      this.#credential = credential;
      this.#bridge = bridge;
      this.#isRemote = isRemote === true;
      // The client disconnected while the bridge was starting.
      if (this.#closed) await bridge?.close();
    }
    const upstream = new Upstream({
      url: withPageSession(this.#url, this.#options.config.pageSession),
      credential: this.#credential,
      isTicket: !this.#isRemote,
      ...(this.#isRemote ? { onSilence: () => void this.#reconnect() } : {}),
      receive: (message) => this.#receive(message),
    });
    try {
      // The client already has the responses from the first handshake.
      for (const message of [...this.#handshake, ...this.#subscriptions.values()]) {
        await upstream.send(message, () => {});
      }
    } catch (error) {
      // The message was not sent, even if the handshake was.
      throw error instanceof UpstreamError ? new UpstreamError(error.message, "no") : error;
    }
    return upstream;
  }

  #receive(message: JsonRpcMessage): void {
    if (message.id === PING_ID && message.method === undefined) return;
    void this.#client.send(message as JSONRPCMessage);
    if (message.method === undefined && message.id !== undefined) this.#settle(message.id);
  }

  #settle(id: RequestId): void {
    this.#open.delete(id);
    if (this.#open.size === 0) this.#onIdle();
  }
}

function withPageSession(url: string, session: string): string {
  return session === "" ? url : `${url}?session=${encodeURIComponent(session)}`;
}

const stopping = new UpstreamError("this program is stopping", "unknown");

function errorAnswer(id: RequestId, error: Error, url: string): JsonRpcMessage {
  const code = error instanceof RefusedError ? error.code : RpcErrorCode.refused;
  const body = { code, message: explain(error, url) };
  return { jsonrpc: "2.0", id, error: body } as JsonRpcMessage;
}

function explain(error: Error, url: string): string {
  if (error instanceof RefusedError) return error.message;
  if (!(error instanceof UpstreamError)) {
    return `No bridge answers at ${url}, and none could be started here. ${error.message}`;
  }
  return error.acted === "no"
    ? `The bridge at ${url} does not answer (${error.message}). Try again; if that does not help, restart it.`
    : `The connection to the bridge at ${url} broke while this call was open (${error.message}). It may have run: look at the computer before you call again. The next call connects again.`;
}
