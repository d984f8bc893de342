import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { TokenHook } from "../../auth/credentials.js";
import { fail, fullHouse, RpcErrorCode, SESSION_GONE } from "../../http/errors.js";
import { ResponseWriter } from "../../http/response-writer.js";
import { clientOf, openerOf } from "../sessions/sessions.js";
import { DuplexTransport } from "./duplex-transport.js";
import { EventStream, parseAccept } from "./exchange.js";
import { type RouteContext, serveFor } from "./http-routes.js";
import { readMessages } from "./messages.js";

const STREAM = "/mcp/sse";
const MESSAGES = "/mcp/messages";

/**
 * HTTP+SSE as MCP had it in 2024-11-05: a stream whose first event says where messages are posted. All
 * answers come on the stream. A client whose stream breaks opens another and continues without initialize,
 * which is why nothing here insists on one.
 */
export function registerLegacySse(
  app: FastifyInstance,
  context: RouteContext,
  onRequest: TokenHook[],
): void {
  app.get(STREAM, { onRequest }, (request, reply) => openStream(context, request, reply));
  app.post(MESSAGES, { onRequest }, (request, reply) => takeMessages(context, request, reply));
}

async function openStream(
  context: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply | undefined> {
  const { sessions, listener } = context;
  if (!parseAccept(request.headers.accept).events) {
    return fail(reply, 406, RpcErrorCode.refused, "Accept text/event-stream.");
  }
  const opener = openerOf(request);
  let stream: EventStream | undefined;
  const create = (id: string) => {
    stream = new EventStream(new ResponseWriter(reply, listener.unread), {});
    return new DuplexTransport(id, stream);
  };
  const transport = await sessions.open(opener, create, serveFor(context, opener));
  if (stream === undefined) return fullHouse(reply);
  if (transport === undefined) return void stream.end();
  // Last: a message that is posted before the session has its server would be lost.
  stream.send(`${MESSAGES}?sessionId=${transport.sessionId}`, "endpoint");
  const ended = () => void sessions.end(transport.sessionId);
  if (!stream.isOpen) ended();
  else stream.onClose(ended);
  return undefined;
}

function takeMessages(
  { sessions }: RouteContext,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const { sessionId } = request.query as { sessionId?: string | string[] };
  const transport = sessions.get(String(sessionId), clientOf(request));
  if (!(transport instanceof DuplexTransport)) {
    return fail(reply, 404, RpcErrorCode.sessionNotFound, SESSION_GONE);
  }
  const received = readMessages(request.body);
  if ("code" in received) return fail(reply, 400, received.code, received.message);
  transport.take(received.messages);
  return reply.code(202).send("Accepted");
}
