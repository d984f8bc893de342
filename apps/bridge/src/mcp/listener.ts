import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type Config, settings } from "../config/settings.js";
import { capConnections } from "../http/connections.js";
import { Credentials, requestCredential } from "../http/credentials.js";
import { registerGuard } from "../http/guard.js";
import { ErrorCode, errorBody, type JsonRpcMessage } from "../http/json-rpc.js";
import { limitPipelining } from "../http/pipelining.js";
import { serverOptions } from "../http/server-options.js";
import { limits } from "../limits.js";
import type { Logger } from "../logging.js";
import type { PeerLog } from "../peer-log.js";
import { readMessages } from "./read-messages.js";
import { supportedProtocolVersions } from "./sdk/index.js";
import { Sessions } from "./sessions.js";
import { parseAccept } from "./transport/exchange.js";
import type { HttpTransport, ServeSession } from "./transport/http-transport.js";
import { Outlets } from "./transport/outlets.js";

export interface McpListener {
  app: FastifyInstance;
  sessions: Sessions;
}

export interface McpListenerOptions {
  config: Config;
  log: Logger;
  peerLog: PeerLog;
  serve: ServeSession;
  /** The facts of GET /health beside those of this listener. */
  health(): Record<string, unknown>;
}

/** The HTTP side of MCP: `/mcp` and `/health`. Builds; never listens. */
export function createMcpListener(options: McpListenerOptions): McpListener {
  const { config, log, peerLog, serve } = options;
  const app = Fastify({
    bodyLimit: config.bodyLimitBytes,
    ...serverOptions(config.requestTimeoutMs),
  });
  const caps = { perAddress: config.mcpMaxPerAddress, total: limits.mcpConnections };
  capConnections(app.server, { ...caps, setting: settings.mcpMaxPerAddress.env }, peerLog);
  const { maxSessions, sessionIdleMs } = config;
  const sessions = new Sessions({ maxSessions, sessionIdleMs, serve });
  const door: Door = { sessions, outlets: new Outlets() };
  limitPipelining(app);
  registerGuard(app, config);

  // The body stays text, so that its size is Fastify's concern and broken JSON ours.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "string" }, (_, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error: Error & { statusCode?: number }, _, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, "request failed");
    const message = status >= 500 ? "Internal error" : error.message;
    return fail(reply, status, ErrorCode.refused, message);
  });
  app.setNotFoundHandler((_, reply) =>
    fail(reply, 404, ErrorCode.refused, "Nothing is here. MCP is at /mcp, health at /health."),
  );

  app.route({
    method: ["GET", "HEAD"],
    url: "/health",
    handler: async () => ({ ok: true, ...options.health(), sessions: sessions.size }),
  });

  const credentials = new Credentials({
    tokens: config.mcpTokens,
    log: peerLog,
    isKnown: ({ headers }, credential) =>
      sessions.isKnown(String(headers["mcp-session-id"]), credential),
  });
  credentials.register(app);
  const onRequest = credentials.require;
  app.post("/mcp", { onRequest }, (request, reply) => handlePost(door, request, reply));
  app.get("/mcp", { onRequest }, (request, reply) => handleGet(door, request, reply));
  app.delete("/mcp", { onRequest }, (request, reply) => handleDelete(sessions, request, reply));
  app.route({
    method: ["PUT", "PATCH", "HEAD", "OPTIONS"],
    url: "/mcp",
    // A body of any type must not turn the 405 into a 415.
    onRequest: async (_, reply) => {
      reply.header("Allow", "GET, POST, DELETE");
      return fail(reply, 405, ErrorCode.refused, "Use POST, GET or DELETE.");
    },
    handler: async () => {},
  });
  app.addHook("onClose", () => sessions.close());
  return { app, sessions };
}

/** What the routes of this listener work with. */
interface Door {
  sessions: Sessions;
  outlets: Outlets;
}

async function handlePost(
  { sessions, outlets }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const accepts = parseAccept(request.headers.accept);
  if (!accepts.json && !accepts.events) {
    return fail(reply, 406, ErrorCode.refused, "Accept application/json and text/event-stream.");
  }
  const received = readMessages(request.body as string);
  if ("code" in received) return fail(reply, 400, received.code, received.message);
  const { messages, kinds, batch } = received;

  let transport = sessionOf(sessions, request, reply, messages[0]);
  if (transport === "failed") return reply;
  if (kinds.includes("initialize")) {
    if (transport !== undefined) {
      return fail(reply, 400, ErrorCode.invalidRequest, "This session is initialized already.");
    }
    if (messages.length > 1) {
      return fail(reply, 400, ErrorCode.invalidRequest, "Initialize must come alone.");
    }
    const credential = requestCredential(request);
    transport = await sessions.open({ address: request.ip, credential });
    if (transport === undefined) {
      reply.header("Retry-After", "30");
      return fail(reply, 503, ErrorCode.refused, "Too many sessions are busy. Try again later.");
    }
  } else if (transport === undefined) {
    return missingSession(reply, messages[0]);
  }

  if (!kinds.some((kind) => kind === "request" || kind === "initialize")) {
    transport.take(messages);
    return reply.code(202).send();
  }
  const reused = messages.find(({ id }) => id !== undefined && transport.isOpen(id));
  if (reused !== undefined) {
    const message = "A request with this id is still open.";
    return fail(reply, 400, ErrorCode.invalidRequest, message, reused.id);
  }
  if (!transport.hasRoomFor(messages.length)) {
    const message = `This session has ${limits.callsPerSession} calls open, which is the limit.`;
    return fail(reply, 429, ErrorCode.refused, message, messages[0]?.id);
  }
  transport.serve(messages, outlets.open(reply), { accepts, batch });
  return undefined;
}

function handleGet(
  { sessions, outlets }: Door,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  if (!parseAccept(request.headers.accept).events) {
    return fail(
      reply,
      406,
      ErrorCode.refused,
      "Accept text/event-stream. This is for MCP clients.",
    );
  }
  const transport = sessionOf(sessions, request, reply);
  if (transport === "failed") return reply;
  if (transport === undefined) return missingSession(reply);
  if (!transport.listen(() => outlets.open(reply))) {
    return fail(reply, 409, ErrorCode.refused, "This session has its stream already.");
  }
  return reply;
}

async function handleDelete(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const transport = sessionOf(sessions, request, reply);
  if (transport === "failed") return reply;
  if (transport === undefined) return missingSession(reply);
  await sessions.end(transport.sessionId);
  return reply.code(200).send();
}

/** The session that a request names; undefined when it names none, "failed" when that was answered. */
function sessionOf(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  message?: JsonRpcMessage,
): HttpTransport | undefined | "failed" {
  const version = request.headers["mcp-protocol-version"];
  // Clients of the next generation ask with a version we do not know; they want their answer at once.
  if (message?.method === "server/discover") return undefined;
  if (version !== undefined && !supportedProtocolVersions.has(String(version))) {
    const known = [...supportedProtocolVersions].join(", ");
    const text = `Unsupported MCP-Protocol-Version. This bridge knows ${known}.`;
    fail(reply, 400, ErrorCode.refused, text, message?.id);
    return "failed";
  }
  const id = request.headers["mcp-session-id"];
  if (id === undefined) return undefined;
  const transport = sessions.get(String(id));
  if (transport === undefined) {
    fail(reply, 404, ErrorCode.sessionNotFound, "Session not found. Initialize anew.", message?.id);
    return "failed";
  }
  return transport;
}

function missingSession(reply: FastifyReply, message?: JsonRpcMessage): FastifyReply {
  if (message?.method === "server/discover") {
    const text = "Method not found: this bridge starts with initialize.";
    return fail(reply, 400, ErrorCode.methodNotFound, text, message.id);
  }
  const text = "The Mcp-Session-Id header is missing. Initialize first.";
  return fail(reply, 400, ErrorCode.refused, text, message?.id);
}

function fail(
  reply: FastifyReply,
  status: number,
  code: number,
  message: string,
  id?: string | number,
): FastifyReply {
  return reply
    .code(status)
    .type("application/json")
    .send(errorBody(code, message, id ?? null));
}
