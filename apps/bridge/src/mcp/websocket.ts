import { DASHBOARD_PATH } from "@ccbridge/protocol/dashboard";
import websocket from "@fastify/websocket";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { ErrorCode, errorBody } from "../http/json-rpc.js";
import { limits } from "../limits.js";
import { noteRead } from "../net/fair-reading.js";
import { Unfinished } from "../net/unfinished.js";
import { fail } from "./answers.js";
import { openerOf } from "./opener.js";
import { readMessages } from "./read-messages.js";
import { type Door, serveFor } from "./streamable.js";
import { DuplexTransport } from "./transport/duplex-transport.js";
import { SocketWire } from "./transport/socket-wire.js";

/** The name under which MCP clients speak over a WebSocket; they hang up unless it is chosen. */
const SUBPROTOCOL = "mcp";

/** Where they connect. */
export const SOCKET_PATH = "/mcp";

const socketPaths: ReadonlySet<string | undefined> = new Set([SOCKET_PATH, DASHBOARD_PATH]);

/** Lets routes of this listener take WebSockets. The guard and the token are asked before. */
export async function registerSockets(app: FastifyInstance, maxPayload: number): Promise<void> {
  // Known to ws, though not to its types.
  const closing = { closeTimeout: limits.goodbyeMs };
  await app.register(websocket, {
    options: {
      maxPayload,
      perMessageDeflate: false,
      // Answered by the wire, and only to a peer that reads.
      autoPong: false,
      handleProtocols: (offered) => (offered.has(SUBPROTOCOL) ? SUBPROTOCOL : false),
      ...closing,
    },
    // The sessions say goodbye; what is left is dropped.
    preClose(done) {
      for (const socket of this.websocketServer.clients) socket.terminate();
      this.websocketServer.close();
      done();
    },
  });
  const unfinished = new Unfinished(limits.unfinishedBytes);
  app.websocketServer.on("connection", (socket, { socket: connection }) => {
    unfinished.add(socket, connection);
    socket.on("message", () => unfinished.whole(socket));
    socket.once("close", () => unfinished.remove(socket));
  });
  // Without this any other path would accept a socket only to close it.
  app.addHook("onRequest", async (request, reply) => {
    if (request.ws && !socketPaths.has(request.routeOptions.url)) {
      return fail(reply, 404, ErrorCode.refused, `WebSockets are served at ${SOCKET_PATH}.`);
    }
  });
}

/** Serves an MCP client on a WebSocket: one message in each text frame, one session for each socket. */
export async function serveSocket(
  door: Door,
  socket: WebSocket,
  request: FastifyRequest,
): Promise<void> {
  const { sessions, outlets } = door;
  // @fastify/websocket's error listener keeps the whole HTTP request alive for as long as the socket.
  socket.removeAllListeners("error");
  const wire = new SocketWire(socket, outlets);
  // What comes before the session is ready waits for it; the socket reads no further than that.
  const early: string[] = [];
  let take = (text: string) => {
    early.push(text);
    socket.pause();
  };
  socket.on("message", (data, isBinary) => {
    if (isBinary) socket.close(1_003, "MCP uses text frames");
    else take(data.toString());
  });
  const opener = openerOf(request);
  const create = (id: string) => new DuplexTransport(id, wire);
  const transport = await sessions.open(opener, create, serveFor(door, opener));
  if (transport === undefined) return socket.close(1_013, "too many sessions are busy");
  const ended = () => void sessions.end(transport.sessionId);
  if (!wire.isOpen) return ended();
  wire.onClose(ended);
  take = (text) => {
    noteRead(socket);
    const received = readMessages(text);
    if ("code" in received) wire.send(errorBody(received.code, received.message));
    else if (sessions.get(transport.sessionId, opener.client) === undefined) {
      wire.send(errorBody(ErrorCode.sessionNotFound, "The session ended. Connect again."));
    } else transport.take(received.messages);
  };
  for (const text of early) take(text);
  socket.resume();
}
