import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Config } from "../config/settings.js";
import { registerGuard, requireToken } from "../http/guard.js";
import { ErrorCode, errorBody, type JsonRpcMessage } from "../http/json-rpc.js";
import type { Logger } from "../logging.js";
import { messageKind, supportedProtocolVersions } from "./sdk/index.js";
import { Sessions } from "./sessions.js";
import { parseAccept } from "./transport/exchange.js";
import type { HttpTransport, ServeSession } from "./transport/http-transport.js";

export interface McpListener {
  app: FastifyInstance;
  sessions: Sessions;
}

export interface McpListenerOptions {
  config: Config;
  log: Logger;
  serve: ServeSession;
  /** The facts of GET /health beside those of this listener. */
  health(): Record<string, unknown>;
}

/** The HTTP side of MCP: `/mcp` and `/health`. Builds; never listens. */
export function createMcpListener(options: McpListenerOptions): McpListener {
  const { config, log, serve } = options;
  const app = Fastify({
    bodyLimit: config.bodyLimitBytes,
    exposeHeadRoutes: false,
    forceCloseConnections: true,
  });
  const sessions = new Sessions({ ...config, serve });
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

  const onRequest = requireToken(config);
  app.post("/mcp", { onRequest }, (request, reply) => handlePost(sessions, request, reply));
  app.get("/mcp", { onRequest }, (request, reply) => handleGet(sessions, request, reply));
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

async function handlePost(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const accepts = parseAccept(request.headers.accept);
  if (!accepts.json && !accepts.events) {
    return fail(reply, 406, ErrorCode.refused, "Accept application/json and text/event-stream.");
  }
  let body: unknown;
  try {
    body = JSON.parse(request.body as string);
  } catch {
    return fail(reply, 400, ErrorCode.parse, "Parse error: the body is not JSON.");
  }
  const batch = Array.isArray(body);
  const messages = (batch ? body : [body]) as JsonRpcMessage[];
  const kinds = messages.map(messageKind);
  if (messages.length === 0 || kinds.includes("invalid")) {
    return fail(
      reply,
      400,
      ErrorCode.invalidRequest,
      "Invalid request: not a JSON-RPC 2.0 message.",
    );
  }

  let transport = sessionOf(sessions, request, reply, messages[0]);
  if (transport === "failed") return reply;
  if (kinds.includes("initialize")) {
    if (transport !== undefined) {
      return fail(reply, 400, ErrorCode.invalidRequest, "This session is initialized already.");
    }
    if (messages.length > 1) {
      return fail(reply, 400, ErrorCode.invalidRequest, "Initialize must come alone.");
    }
    transport = await sessions.open();
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
  reply.hijack();
  transport.serve(messages, reply.raw, { accepts, batch });
  return undefined;
}

function handleGet(sessions: Sessions, request: FastifyRequest, reply: FastifyReply): FastifyReply {
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
  reply.hijack();
  if (!transport.listen(reply.raw)) {
    const body = errorBody(ErrorCode.refused, "This session has its stream already.");
    reply.raw.writeHead(409, { "content-type": "application/json" }).end(body);
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
