import type { FastifyInstance } from "fastify";
import type { Clients } from "../auth/clients.js";
import { Credentials, type TokenHook } from "../auth/credentials.js";
import { GuessLimiter } from "../auth/guess-limiter.js";
import { limits } from "../config/limits.js";
import { type Config, settings } from "../config/settings.js";
import { refuse } from "../http/errors.js";
import { isLocal } from "../http/forwarding.js";
import { mcpGuard } from "../http/guard.js";
import { createListener, type HttpListener } from "../http/listener.js";
import type { PeerSocket } from "../http/peer-socket.js";
import type { AgentOpening } from "../links/agent-admission.js";
import type { GameClientOpening } from "../links/servers.js";
import type { HealthFacts } from "../monitor/health.js";
import type { PeerLog } from "../monitor/peer-log.js";
import type { McpServices } from "./handlers/session.js";
import { loadSdk } from "./sdk/index.js";
import type { QuestionsElsewhere } from "./sdk/sessionless-handler.js";
import { Sessionless } from "./sessions/sessionless.js";
import { refuseBadSession, Sessions } from "./sessions/sessions.js";
import { serveAgent } from "./transports/agent.js";
import { serveGameClient } from "./transports/game-client.js";
import {
  handleGet,
  type RouteContext,
  registerStreamable,
  type ServeSession,
} from "./transports/http-routes.js";
import { registerLegacySse } from "./transports/sse.js";
import { SUBPROTOCOL, serveSocket } from "./transports/websocket.js";

export interface McpListener {
  listener: HttpListener;
  app: FastifyInstance;
  sessions: Sessions;
  sessionless: Sessionless;
  require: TokenHook;
  guesses: GuessLimiter;
  serveAgent(peer: PeerSocket, opening: AgentOpening): Promise<void>;
  serveGameClient(peer: PeerSocket, opening: GameClientOpening): Promise<void>;
}

/** What clients of several bridges need. */
interface ClusterSessions {
  readonly sessionPrefix: string;
  forwardFrom(app: FastifyInstance): void;
  healthAsked(isLocal: boolean): { readonly isStopping: boolean };
  /** What other bridges asked a client. */
  questions(client: string): QuestionsElsewhere;
  /** Where other bridges find the clients of this one, and what it asked them. */
  shareClients(sessions: Sessions, sessionless: Sessionless): void;
}

export interface McpListenerOptions {
  config: Config;
  clients: Clients;
  onRefused?(address: string): void;
  peerLog: PeerLog;
  /** Forwards requests of sessions that other bridges have. */
  cluster?: ClusterSessions | undefined;
  services: McpServices;
  /** Serves a session. @default with the SDK */
  serve?: ServeSession;
  health(): HealthFacts;
}

/** The HTTP side of MCP: `/mcp` in all its transports, and `/health`. Builds; never listens. */
export async function createMcpListener(options: McpListenerOptions): Promise<McpListener> {
  const { config, clients, peerLog, services, serve = withSdk(services) } = options;
  const listener = await createListener({
    connections: {
      perAddress: config.mcpMaxPerAddress,
      total: limits.mcpConnections,
      setting: settings.mcpMaxPerAddress.env,
      trustedProxies: config.trustedProxies,
    },
    requestTimeoutMs: config.requestTimeoutMs,
    bodyLimit: config.bodyLimitBytes,
    maxMessageBytes: config.bodyLimitBytes,
    maxUnreadBytes: limits.unreadBytes,
    subprotocol: SUBPROTOCOL,
    // The landing page, the files of the dashboard and /health need no token: the other routes name `require`.
    guard: mcpGuard(config),
    refuse,
    notFound: "There is nothing here. MCP is at /mcp, health at /health.",
    log: peerLog,
  });
  const { app, unread } = listener;
  const { maxSessions, sessionIdleMs } = config;
  const sessions = new Sessions({
    maxSessions,
    sessionIdleMs,
    idPrefix: options.cluster?.sessionPrefix ?? "",
  });
  const { cluster } = options;
  const questions = cluster && ((client: string) => cluster.questions(client));
  const sessionless = new Sessionless({ services, sessions, unread, questions });
  cluster?.shareClients(sessions, sessionless);
  const context: RouteContext = { listener, serve, sessions, sessionless };
  clients.onGone((gone) => {
    void sessions.endAllOf(gone);
    void sessionless.endAllOf(gone);
  });

  app.route({
    method: ["GET", "HEAD"],
    url: "/health",
    handler: async (request, reply) => {
      const { open, local } = options.health();
      const isOwn = isLocal(request, config);
      if (cluster?.healthAsked(isOwn).isStopping === true) reply.code(503);
      if (!isOwn) return { ok: true, ...open };
      return { ok: true, ...open, ...local, sessions: sessions.size };
    },
  });

  const guesses = new GuessLimiter();
  const credentials = new Credentials({
    clients,
    guesses,
    onRefused: (address) => options.onRefused?.(address),
    log: peerLog,
    isKnown: ({ headers }, credential) =>
      sessions.isKnown(String(headers["mcp-session-id"]), credential),
  });
  credentials.register(app);
  cluster?.forwardFrom(app);
  const onRequest = [credentials.require, refuseBadSession];
  registerStreamable(app, context, onRequest);
  registerLegacySse(app, context, onRequest);
  app.route({
    method: "GET",
    url: "/mcp",
    onRequest,
    handler: (request, reply) => handleGet(context, request, reply),
    wsHandler: (socket, request) => serveSocket(context, socket, request),
  });
  app.addHook("onClose", async () => {
    await Promise.all([sessions.close(), sessionless.close()]);
  });
  return {
    ...{ listener, app, sessions, sessionless, require: credentials.require, guesses },
    serveAgent: (peer, opening) => serveAgent(context, peer, opening),
    serveGameClient: (peer, opening) => serveGameClient(context, peer, opening),
  };
}

/** Loading the SDK would be a fifth of the start-up time, so it waits for the first client. */
function withSdk(services: McpServices): ServeSession {
  return async (transport, client) => {
    const { serveSession } = await loadSdk();
    serveSession(services, transport, client);
  };
}
