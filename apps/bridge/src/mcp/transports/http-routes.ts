import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TokenHook } from "../../auth/credentials.js";
import { limits } from "../../config/limits.js";
import {
  fail,
  fullHouse,
  type JsonRpcMessage,
  RpcErrorCode,
  SESSION_GONE,
} from "../../http/errors.js";
import type { HttpListener } from "../../http/listener.js";
import { ResponseWriter } from "../../http/response-writer.js";
import type { ClientFacts } from "../handlers/session.js";
import type { SessionTransport } from "../sdk/session-transport.js";
import { isSessionless, type Sessionless } from "../sessions/sessionless.js";
import { clientOf, factsOf, type Opener, openerOf, type Sessions } from "../sessions/sessions.js";
import { parseAccept } from "./exchange.js";
import { HttpTransport } from "./http-transport.js";
import { readMessages, supportedProtocolVersions } from "./messages.js";

export interface RouteContext {
  listener: HttpListener;
  serve: ServeSession;
  sessions: Sessions;
  sessionless: Sessionless;
}

/** Serves the client on the other end of a transport. Called once per session. */
export type ServeSession = (transport: SessionTransport, client: ClientFacts) => Promise<void>;

export function serveFor({ serve }: RouteContext, opener: Opener) {
  return (transport: SessionTransport): Promise<void> => serve(transport, factsOf(opener));
}

export function registerStreamable(
  app: FastifyInstance,
  context: RouteContext,
  onRequest: TokenHook[],
): void {
  app.post("/mcp", { onRequest }, (request, reply) => handlePost(context, request, reply));
  app.delete("/mcp", { onRequest }, (request, reply) =>
    handleDelete(context.sessions, request, reply),
  );
  app.route({
    method: ["PUT", "PATCH", "HEAD", "OPTIONS"],
    url: "/mcp",
    // A body of any type must not turn the 405 into a 415.
    onRequest: async (_, reply) => {
      reply.header("Allow", "GET, POST, DELETE");
      return fail(reply, 405, RpcErrorCode.refused, "Use POST, GET or DELETE.");
    },
    handler: async () => {},
  });
}

async function handlePost(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const { sessions, listener, sessionless } = context;
  const accepts = parseAccept(request.headers.accept);
  if (!accepts.json && !accepts.events) {
    return fail(reply, 406, RpcErrorCode.refused, "Accept application/json and text/event-stream.");
  }
  const received = readMessages(request.body);
  if ("code" in received) return fail(reply, 400, received.code, received.message);
  const { messages, ids, batch } = received;
  if (!batch && isSessionless(request, messages[0])) {
    return sessionless.handle(request, reply, messages[0]);
  }

  let transport = sessionOf(sessions, request, reply, messages[0]);
  if (transport === "failed") return reply;
  if (received.initializes) {
    if (transport !== undefined) {
      return fail(reply, 400, RpcErrorCode.invalidRequest, "This session is already initialized.");
    }
    if (messages.length > 1) {
      return fail(reply, 400, RpcErrorCode.invalidRequest, "Initialize must be sent on its own.");
    }
    const opener = openerOf(request);
    transport = await sessions.open(
      opener,
      (id) => new HttpTransport(id),
      serveFor(context, opener),
    );
    if (transport === undefined) return fullHouse(reply);
  } else if (transport === undefined) {
    return missingSession(reply, messages[0]);
  }

  if (ids.length === 0) {
    transport.take(messages);
    return reply.code(202).send();
  }
  const reused = ids.find((id) => transport.isOpen(id));
  if (reused !== undefined) {
    const message = "A request with this id is still open.";
    return fail(reply, 400, RpcErrorCode.invalidRequest, message, reused);
  }
  if (!transport.hasRoomFor(ids.length)) {
    const message = `This session has ${limits.callsPerSession} calls open, which is the limit.`;
    return fail(reply, 429, RpcErrorCode.refused, message, messages[0]?.id);
  }
  transport.serve(received, new ResponseWriter(reply, listener.unread), accepts);
  return undefined;
}

export async function handleGet(
  { sessions, listener, sessionless }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  if (isSessionless(request)) return sessionless.handle(request, reply);
  if (!parseAccept(request.headers.accept).events) {
    return fail(
      reply,
      406,
      RpcErrorCode.refused,
      "Accept text/event-stream. This is for MCP clients.",
    );
  }
  const transport = sessionOf(sessions, request, reply);
  if (transport === "failed") return reply;
  if (transport === undefined) return missingSession(reply);
  if (!transport.listen(() => new ResponseWriter(reply, listener.unread))) {
    return fail(reply, 409, RpcErrorCode.refused, "This session already has its stream.");
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

function sessionOf(
  sessions: Sessions,
  request: FastifyRequest,
  reply: FastifyReply,
  message?: JsonRpcMessage,
): HttpTransport | undefined | "failed" {
  const version = request.headers["mcp-protocol-version"];
  // Newer clients probe with an unknown version and need the answer without a session.
  if (message?.method === "server/discover") return undefined;
  if (version !== undefined && !supportedProtocolVersions.has(String(version))) {
    const known = [...supportedProtocolVersions].join(", ");
    const text = `Unsupported MCP-Protocol-Version. This bridge supports ${known}.`;
    fail(reply, 400, RpcErrorCode.refused, text, message?.id);
    return "failed";
  }
  const id = request.headers["mcp-session-id"];
  if (id === undefined) return undefined;
  const transport = sessions.get(String(id), clientOf(request));
  if (!(transport instanceof HttpTransport)) {
    fail(reply, 404, RpcErrorCode.sessionNotFound, SESSION_GONE, message?.id);
    return "failed";
  }
  return transport;
}

function missingSession(reply: FastifyReply, message?: JsonRpcMessage): FastifyReply {
  if (message?.method === "server/discover") {
    const text = "Method not found: sessions of this bridge start with initialize.";
    return fail(reply, 400, RpcErrorCode.methodNotFound, text, message.id);
  }
  const text = "The Mcp-Session-Id header is missing. Initialize first.";
  return fail(reply, 400, RpcErrorCode.refused, text, message?.id);
}
