import Fastify, { type FastifyInstance } from "fastify";
import type { Clients } from "../access/clients.js";
import { type Config, settings } from "../config/settings.js";
import { limitBodies } from "../http/bodies.js";
import { capConnections } from "../http/connections.js";
import { Credentials, type TokenHook } from "../http/credentials.js";
import { FailureGate } from "../http/failures.js";
import { capForwarded, isLocal } from "../http/forwarding.js";
import { registerGuard } from "../http/guard.js";
import { ErrorCode } from "../http/json-rpc.js";
import { limitPipelining } from "../http/pipelining.js";
import { serverOptions } from "../http/server-options.js";
import { limits } from "../limits.js";
import type { PeerLog } from "../peer-log.js";
import { fail } from "./answers.js";
import { registerLegacySse } from "./legacy-sse.js";
import { loadSdk } from "./sdk/index.js";
import type { McpServices } from "./server/session.js";
import { Sessionless } from "./sessionless.js";
import { Sessions } from "./sessions.js";
import { type Door, handleGet, registerStreamable, type ServeSession } from "./streamable.js";
import { Outlets } from "./transport/outlets.js";
import { registerSockets, SOCKET_PATH, serveSocket } from "./websocket.js";

export interface McpListener {
  app: FastifyInstance;
  sessions: Sessions;
  sessionless: Sessionless;
  /** For routes that want a token. */
  require: TokenHook;
  /** Limits guesses of the tokens of MCP clients, wherever they are shown. */
  gate: FailureGate;
}

export interface McpListenerOptions {
  config: Config;
  clients: Clients;
  /** Told of each credential that was refused. */
  onRefused?(address: string): void;
  peerLog: PeerLog;
  services: McpServices;
  /** Serves a session. @default with the SDK */
  serve?: ServeSession;
  /** The facts of GET /health: for everybody, and for requests from this machine. */
  health(): { open: Record<string, unknown>; local: Record<string, unknown> };
}

/** The HTTP side of MCP: `/mcp` in all its transports, and `/health`. Builds; never listens. */
export async function createMcpListener(options: McpListenerOptions): Promise<McpListener> {
  const { config, clients, peerLog, services, serve = withSdk(services) } = options;
  const app = Fastify({
    bodyLimit: config.bodyLimitBytes,
    ...serverOptions(config.requestTimeoutMs, config.trustedProxies),
  });
  const caps = {
    perAddress: config.mcpMaxPerAddress,
    total: limits.mcpConnections,
    setting: settings.mcpMaxPerAddress.env,
    trustedProxies: config.trustedProxies,
  };
  capConnections(app.server, caps, peerLog);
  const { maxSessions, sessionIdleMs } = config;
  const sessions = new Sessions({ maxSessions, sessionIdleMs });
  const outlets = new Outlets();
  const sessionless = new Sessionless({ services, sessions, outlets });
  const door: Door = { serve, sessions, outlets, sessionless };
  clients.onGone((gone) => {
    void sessions.endAllOf(gone);
    void sessionless.endAllOf(gone);
  });
  limitPipelining(app);
  limitBodies(app, config.bodyLimitBytes);
  await registerSockets(app, config.bodyLimitBytes);
  capForwarded(app, caps, peerLog);
  registerGuard(app, config);

  // The body stays text, so that its size is Fastify's concern and broken JSON ours.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, { ip: address }, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) peerLog.error({ address, err: error }, "request failed");
    const message = status >= 500 ? "Internal error" : error.message;
    return fail(reply, status, ErrorCode.refused, message);
  });
  app.setNotFoundHandler((_, reply) =>
    fail(
      reply,
      404,
      ErrorCode.refused,
      "There is nothing here. MCP is at /mcp, health at /health.",
    ),
  );

  app.route({
    method: ["GET", "HEAD"],
    url: "/health",
    handler: async (request) => {
      const { open, local } = options.health();
      if (!isLocal(request, config)) return { ok: true, ...open };
      return { ok: true, ...open, ...local, sessions: sessions.size };
    },
  });

  const gate = new FailureGate();
  const credentials = new Credentials({
    clients,
    gate,
    onRefused: (address) => options.onRefused?.(address),
    log: peerLog,
    isKnown: ({ headers }, credential) =>
      sessions.isKnown(String(headers["mcp-session-id"]), credential),
  });
  credentials.register(app);
  const onRequest = credentials.require;
  registerStreamable(app, door, onRequest);
  registerLegacySse(app, door, onRequest);
  app.route({
    method: "GET",
    url: SOCKET_PATH,
    onRequest,
    handler: (request, reply) => handleGet(door, request, reply),
    wsHandler: (socket, request) => serveSocket(door, socket, request),
  });
  app.addHook("onClose", async () => {
    await Promise.all([sessions.close(), sessionless.close()]);
  });
  return { app, sessions, sessionless, require: onRequest, gate };
}

/** The SDK takes a fifth of the start of a bridge to load, so it comes with the first client, or a little before. */
function withSdk(services: McpServices): ServeSession {
  return async (transport, client) => {
    const { serveSession } = await loadSdk();
    await serveSession(services, transport, client);
  };
}
