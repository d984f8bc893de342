import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import type { Client } from "../access/client.js";
import type { Clients } from "../access/clients.js";
import { ErrorCode, errorBody } from "../http/json-rpc.js";
import { beginRequest, endRequest, openRequests } from "../http/pipelining.js";
import { bearerToken } from "../http/tokens.js";
import { addressKey } from "../net/address-key.js";
import type { HostCheck } from "../net/hosts.js";
import type { PeerLog } from "../peer-log.js";
import { supportedProtocolVersions } from "./message-kind.js";
import { readMessages } from "./read-messages.js";
import { isSessionless } from "./sessionless.js";
import type { Sessions } from "./sessions.js";
import { type Accepts, parseAccept } from "./transport/exchange.js";
import { HttpTransport } from "./transport/http-transport.js";
import type { Outlets } from "./transport/outlets.js";

/** Longer bodies come in several pieces, and then Fastify's share of the time does not matter. */
const MAX_BODY_BYTES = 16_384;

export interface PlainPostsOptions {
  sessions: Sessions;
  outlets: Outlets;
  clients: Clients;
  hosts: HostCheck;
  log: PeerLog;
}

/** A request whose head is in order. */
interface Post {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly client: Client;
  readonly accepts: Accepts;
}

/**
 * The calls of tools in open sessions, nearly all that a client ever sends, without Fastify: hooks, routing and
 * reading the body take a tenth of the bridge's time for such a call. Only what is plainly right is answered
 * here. Everything else is left to the routes, which make the same checks and say what is wrong.
 */
export class PlainPosts {
  readonly #options: PlainPostsOptions;
  /** Bodies that were read here before the request was left to the routes. */
  readonly #read = new WeakMap<IncomingMessage, Buffer>();

  constructor(options: PlainPostsOptions) {
    this.#options = options;
  }

  /** Puts itself in front of the routes of a listener. */
  register(app: FastifyInstance): void {
    const routes = app.server.listeners("request") as RequestListener[];
    app.server.removeAllListeners("request");
    app.server.on("request", (request, response) => {
      const pass = () => {
        for (const route of routes) route(request, response);
      };
      const post = this.#take(request, response);
      if (post === undefined) pass();
      else this.#receive(post, pass);
    });
    app.addHook("preParsing", ({ raw }, _, payload, done) => {
      const body = this.#read.get(raw);
      done(null, body === undefined ? payload : Readable.from([body]));
    });
  }

  /** Checks all that the routes check before they read the body. */
  #take(request: IncomingMessage, response: ServerResponse): Post | undefined {
    const { method, url, headers, socket } = request;
    if (method !== "POST" || url !== "/mcp" || !("mcp-session-id" in headers)) return undefined;
    if (headers["content-type"] !== "application/json" || headers.origin !== undefined) {
      return undefined;
    }
    if (headers["transfer-encoding"] !== undefined || headers.expect !== undefined) {
      return undefined;
    }
    const version = headers["mcp-protocol-version"];
    if (version !== undefined && !supportedProtocolVersions.has(String(version))) return undefined;
    if (!this.#options.hosts.accepts(headers.host) || openRequests(socket) > 0) return undefined;
    const accepts = parseAccept(headers.accept);
    if (!accepts.json && !accepts.events) return undefined;
    // A wrong token is left to the routes, which slow down guessing.
    const client = this.#options.clients.find(bearerToken(headers.authorization));
    return client && { request, response, client, accepts };
  }

  #receive(post: Post, pass: () => void): void {
    const { request } = post;
    const length = Number(request.headers["content-length"]);
    // The HTTP parser guarantees that exactly this many bytes follow.
    if (!(length > 0 && length <= MAX_BODY_BYTES)) return pass();
    const pieces: Buffer[] = [];
    let left = length;
    // Acts on the last byte: the end event comes one turn of the queue later.
    request.on("data", (piece: Buffer) => {
      pieces.push(piece);
      left -= piece.length;
      if (left > 0) return;
      const body = pieces.length === 1 ? piece : Buffer.concat(pieces);
      if (this.#serve(post, body.toString())) return;
      this.#read.set(request, body);
      pass();
    });
  }

  /** Serves a call; false when it is for the routes. */
  #serve({ request, response, client, accepts }: Post, text: string): boolean {
    const received = readMessages(text);
    if ("code" in received || received.batch) return false;
    const [message] = received.messages;
    if (message === undefined || message.id === undefined) return false;
    if (message.method !== "tools/call" || isSessionless(request, message)) return false;
    const { sessions, outlets, log } = this.#options;
    const { socket } = request;
    const transport = sessions.get(String(request.headers["mcp-session-id"]), client);
    if (!(transport instanceof HttpTransport)) return false;
    if (transport.isOpen(message.id) || !transport.hasRoomFor(1)) return false;
    if (!beginRequest(socket)) return false;
    const outlet = outlets.take(response, socket);
    outlet.onClose(() => endRequest(socket));
    try {
      transport.serve(received.messages, outlet, { accepts, batch: false });
    } catch (error) {
      log.error({ address: addressKey(socket.remoteAddress), err: error }, "request failed");
      outlet.head(500, { "content-type": "application/json" });
      outlet.end(errorBody(ErrorCode.internal, "Internal error", message.id));
    }
    return true;
  }
}
