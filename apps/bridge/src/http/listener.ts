import websocket from "@fastify/websocket";
import Fastify, {
  type FastifyInstance,
  type FastifyRequest,
  type onRequestHookHandler,
} from "fastify";
import type { WebSocket } from "ws";
import { addressKey, proxyTrust } from "../config/addresses.js";
import { limits } from "../config/limits.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { type ConnectionCaps, capConnections, limitPipelining } from "./connections.js";
import type { Refuse } from "./errors.js";
import { capForwarded } from "./forwarding.js";
import { IncomingBudget, limitBodies } from "./incoming.js";
import { UnreadBudget } from "./outgoing.js";
import { type ListenerSockets, PeerSocket, type SocketLimits } from "./peer-socket.js";

export interface ListenerOptions {
  readonly connections: ConnectionCaps;
  readonly requestTimeoutMs: number;
  readonly bodyLimit: number;
  /** For all routes; {@link HttpListener.accept} may set a smaller limit. */
  readonly maxMessageBytes: number;
  readonly maxUnreadBytes: number;
  readonly subprotocol?: string;
  readonly guard: onRequestHookHandler;
  /** Checks the token, after the guess limiter. Absent when not all routes need one. */
  readonly admit?: onRequestHookHandler;
  readonly refuse: Refuse;
  readonly notFound: string;
  readonly log: PeerLog;
}

declare module "fastify" {
  interface FastifyInstance {
    peerSockets: Set<PeerSocket>;
  }
}

export interface HttpListener {
  readonly app: FastifyInstance;
  readonly unread: UnreadBudget;
  accept(socket: WebSocket, request: FastifyRequest, limits: SocketLimits): PeerSocket;
}

/**
 * Creates the HTTP server of one port, without routes. Each request passes, in this order: the
 * limits on connections and pipelining, the guard (Host, Origin), the token, the upgrade check, the
 * budget for bodies.
 */
export async function createListener(options: ListenerOptions): Promise<HttpListener> {
  const { bodyLimit, requestTimeoutMs, refuse, log } = options;
  const { trustedProxies } = options.connections;
  const app = Fastify({
    bodyLimit,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
    requestTimeout: requestTimeoutMs,
    trustProxy: trustedProxies.length > 0 && proxyTrust(trustedProxies),
    // No route has a schema. The default compilers would take a tenth of the start-up time to load.
    schemaController: { compilersFactory: { buildValidator: noSchema, buildSerializer: noSchema } },
    http: {
      headersTimeout: requestTimeoutMs,
      // How often timeouts are checked.
      connectionsCheckingInterval: Math.min(Math.ceil(requestTimeoutMs / 4), 5_000),
    },
  });
  const incoming = new IncomingBudget(limits.incomingBytes);
  const unread = new UnreadBudget(options.maxUnreadBytes);
  const open = new Set<PeerSocket>();
  const { maxMessageBytes } = options;
  const shared: ListenerSockets = { maxMessageBytes, unread, incoming, open };
  app.decorate("peerSockets", open);
  capConnections(app.server, options.connections, log);
  await registerSockets(app, options);
  limitPipelining(app);
  capForwarded(app, options.connections, { refuse, log });
  app.addHook("onRequest", options.guard);
  if (options.admit !== undefined) app.addHook("onRequest", options.admit);
  refuseOtherUpgrades(app, refuse);
  limitBodies(app, incoming, { bodyLimit, refuse });
  releaseUpgrades(app);
  // Bodies stay text, so that broken JSON is answered by the route. Other types get 415.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, { ip: address }, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ address, err: error }, "request failed");
    return refuse(reply, status, status >= 500 ? "Internal error" : error.message);
  });
  app.setNotFoundHandler((_, reply) => refuse(reply, 404, options.notFound));
  return {
    app,
    unread,
    accept(socket, request, socketLimits) {
      // The plugin's listener holds the request; PeerSocket adds its own.
      socket.removeAllListeners("error");
      const address = addressKey(request.ip);
      return new PeerSocket(socket, request.raw.socket, { address, limits: socketLimits, shared });
    },
  };
}

function noSchema(): never {
  throw new Error("routes of this listener read their bodies without a schema of Fastify");
}

// Lets go of the response of an upgrade, which is never written: its socket would hold it, and the request, for
// as long as the WebSocket lives (3.5 KB for each).
function releaseUpgrades(app: FastifyInstance): void {
  app.addHook("preHandler", (request, reply, done) => {
    const { socket } = reply.raw;
    if (request.ws && socket !== null) reply.raw.detachSocket(socket);
    done();
  });
}

export function closingSockets(app: FastifyInstance | undefined): number {
  return [...(app?.peerSockets ?? [])].filter(({ isClosing }) => isClosing).length;
}

async function registerSockets(app: FastifyInstance, options: ListenerOptions): Promise<void> {
  const { maxMessageBytes, subprotocol, log } = options;
  // Options of ws that its types lack.
  const untyped = { closeTimeout: limits.goodbyeMs, maxFragments: limits.fragments };
  await app.register(websocket, {
    options: {
      ...untyped,
      maxPayload: maxMessageBytes,
      // ComputerCraft's deflate implementation has a history of bugs.
      perMessageDeflate: false,
      // `peerSockets` has them.
      clientTracking: false,
      // PeerSocket sends pongs, and only to a peer that reads.
      autoPong: false,
      handleProtocols: (offered) =>
        subprotocol !== undefined && offered.has(subprotocol) ? subprotocol : false,
    },
    errorHandler: (error, socket, { ip: address }) => {
      // A failed socket is already closing, and PeerSocket reports why. Otherwise a handler threw.
      if (socket.readyState !== socket.OPEN) return;
      log.error({ address, err: error }, "socket failed");
      socket.terminate();
    },
    // Sessions have already been closed; remaining sockets are dropped.
    preClose(done) {
      for (const socket of this.peerSockets) socket.drop("the bridge is shutting down");
      this.websocketServer.close();
      done();
    },
  });
}

function refuseOtherUpgrades(app: FastifyInstance, refuse: Refuse): void {
  const paths = new Set<string>();
  app.addHook("onRoute", ({ url, wsHandler }) => {
    if (wsHandler !== undefined) paths.add(url);
  });
  app.addHook("onRequest", (request, reply, done) => {
    const { url } = request.routeOptions;
    if (!request.ws || (url !== undefined && paths.has(url))) return done();
    refuse(reply, 404, "No WebSocket is served at this path.");
  });
}
