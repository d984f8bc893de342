import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
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
import { statesVersion } from "./sessionless.js";
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

/** Who a connection is, by what its last request showed. The next one nearly always shows the same. */
interface Peer {
  readonly host: string | undefined;
  readonly accept: string | undefined;
  readonly version: string | string[] | undefined;
  readonly authorization: string | undefined;
  readonly edition: number;
  readonly client: Client;
  readonly accepts: Accepts;
}

const peerKey = Symbol("peer");

interface RecognizedSocket extends Socket {
  [peerKey]?: Peer;
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
    const isOfSession = headers["mcp-session-id"] !== undefined;
    if (method !== "POST" || url !== "/mcp" || !isOfSession) return undefined;
    if (headers["content-type"] !== "application/json" || headers.origin !== undefined) {
      return undefined;
    }
    if (headers["transfer-encoding"] !== undefined || headers.expect !== undefined) {
      return undefined;
    }
    if (openRequests(socket) > 0) return undefined;
    const peer = this.#recognize(headers, socket);
    return peer && { request, response, client: peer.client, accepts: peer.accepts };
  }

  /** Checks what says who asks, once for each connection as long as it stays the same. */
  #recognize(headers: IncomingHttpHeaders, socket: RecognizedSocket): Peer | undefined {
    const { host, accept, authorization, "mcp-protocol-version": version } = headers;
    const { clients, hosts } = this.#options;
    const { edition } = clients;
    const known = socket[peerKey];
    if (
      known?.edition === edition &&
      known.host === host &&
      known.accept === accept &&
      known.version === version &&
      known.authorization === authorization
    ) {
      return known;
    }
    if (version !== undefined && !supportedProtocolVersions.has(String(version))) return undefined;
    const accepts = parseAccept(accept);
    if (!hosts.accepts(host) || !(accepts.json || accepts.events)) return undefined;
    // A wrong token is left to the routes, which slow down guessing.
    const client = clients.find(bearerToken(authorization));
    if (client === undefined) return undefined;
    const peer = { host, accept, version, authorization, edition, client, accepts };
    socket[peerKey] = peer;
    return peer;
  }

  #receive(post: Post, pass: () => void): void {
    const { request } = post;
    const length = Number(request.headers["content-length"]);
    // The HTTP parser guarantees that exactly this many bytes follow.
    if (!(length > 0 && length <= MAX_BODY_BYTES)) return pass();
    const pieces: Buffer[] = [];
    let left = length;
    const { push } = request;
    // Node's parser pushes the body into the request piece by piece, and null at its end. To read it as a stream
    // would take as long as to parse it; what is not taken here ends as it would.
    request.push = (piece: Buffer | null) => {
      if (piece === null) return push.call(request, null);
      pieces.push(piece);
      left -= piece.length;
      if (left > 0) return true;
      const body = pieces.length === 1 ? piece : Buffer.concat(pieces);
      if (this.#serve(post, body.toString())) return true;
      this.#read.set(request, body);
      pass();
      return true;
    };
  }

  /** Serves a call; false when it is for the routes. */
  #serve({ request, response, client, accepts }: Post, text: string): boolean {
    const received = readMessages(text);
    if ("code" in received || received.batch) return false;
    const [message] = received.messages;
    if (message === undefined || message.id === undefined) return false;
    if (message.method !== "tools/call" || statesVersion(message)) return false;
    const { sessions, outlets, log } = this.#options;
    const { socket } = request;
    const sessionId = request.headers["mcp-session-id"];
    if (typeof sessionId !== "string") return false;
    const transport = sessions.get(sessionId, client);
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
