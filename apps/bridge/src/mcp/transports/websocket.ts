import type { FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { limits } from "../../config/limits.js";
import { errorBody, RpcErrorCode, SESSION_GONE } from "../../http/errors.js";
import type { PeerSocket } from "../../http/peer-socket.js";
import { openerOf } from "../sessions/sessions.js";
import { DuplexTransport, type Wire } from "./duplex-transport.js";
import { type RouteContext, serveFor } from "./http-routes.js";
import { readMessages } from "./messages.js";

/** The WebSocket subprotocol of MCP. Clients disconnect unless it is selected. */
export const SUBPROTOCOL = "mcp";

/** Pings on a quiet socket, so that proxies keep it and a dead client is noticed. */
const KEEP_ALIVE_MS = 25_000;

/** Serves an MCP client on a WebSocket: one message in each text frame, one session for each socket. */
export async function serveSocket(
  context: RouteContext,
  socket: WebSocket,
  request: FastifyRequest,
): Promise<void> {
  const { sessions, listener } = context;
  const peer = listener.accept(socket, request, { maxUnreadBytes: limits.streamBytes });
  keepAlive(peer);
  const opener = openerOf(request);
  const create = (id: string) => new DuplexTransport(id, wireOf(peer));
  // Nothing is read before the session is ready.
  peer.pause();
  const transport = await sessions.open(opener, create, serveFor(context, opener));
  peer.resume();
  if (transport === undefined) return peer.close(1_013, "too many sessions are busy");
  const ended = () => void sessions.end(transport.sessionId);
  if (!peer.isOpen) return ended();
  peer.listener = {
    receive(text) {
      const received = readMessages(text);
      if ("code" in received) peer.send(errorBody(received.code, received.message));
      else if (sessions.get(transport.sessionId, opener.client) === undefined) {
        peer.send(errorBody(RpcErrorCode.sessionNotFound, SESSION_GONE));
      } else transport.take(received.messages);
    },
    receiveBinary: () => peer.close(1_003, "MCP uses text frames"),
    closed: ended,
  };
}

export function keepAlive(peer: PeerSocket): void {
  const pings = setInterval(() => peer.ping(), KEEP_ALIVE_MS).unref();
  peer.onClose(() => clearInterval(pings));
}

export function wireOf(peer: PeerSocket): Wire {
  return {
    get isOpen() {
      return peer.isOpen;
    },
    get unreadBytes() {
      return peer.bufferedBytes;
    },
    send: (text) => peer.send(text),
    end: () => peer.close(1_001, "the session ended"),
    onClose: (listener) => peer.onClose(listener),
  };
}
