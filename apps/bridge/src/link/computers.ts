import { CC_FRAME_BYTES } from "@ccbridge/protocol";
import type { Channel, Computers } from "@ccbridge/registry";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { type Config, settings } from "../config/settings.js";
import { capConnections } from "../http/connections.js";
import type { FailureGate } from "../http/failures.js";
import { limitPipelining } from "../http/pipelining.js";
import { serverOptions } from "../http/server-options.js";
import { bearerToken } from "../http/tokens.js";
import { limits } from "../limits.js";
import { HostCheck, hostName, isLiteralHost } from "../net/hosts.js";
import type { PeerLog } from "../peer-log.js";
import { registerAgentFiles } from "./agent-files.js";

export interface LinkListenerOptions {
  config: Config;
  computers: Computers;
  log: PeerLog;
  /** Knows who showed wrong tokens. */
  gate: FailureGate;
}

/** The WebSocket side, on any path. Turns each socket into a channel of a computer; never listens. */
export async function createLinkListener(options: LinkListenerOptions): Promise<FastifyInstance> {
  const { config, computers, log, gate } = options;
  const app = Fastify({ ...serverOptions(limits.linkRequestMs), bodyLimit: 1_024 });
  const caps = {
    perAddress: config.linkMaxPerAddress,
    total: config.maxLinks + limits.spareLinkConnections,
    setting: settings.linkMaxPerAddress.env,
  };
  capConnections(app.server, caps, log);
  limitPipelining(app);
  // Known to ws, though not to its types.
  const closing = { closeTimeout: limits.goodbyeMs };
  await app.register(websocket, {
    options: {
      maxPayload: Math.max(config.maxFrameBytes, CC_FRAME_BYTES),
      // CC's side of deflate has a history of faults.
      perMessageDeflate: false,
      // Answered below, and only to a peer that reads.
      autoPong: false,
      ...closing,
    },
    // The registry says goodbye with a code of its own; what is left is dropped.
    preClose(done) {
      for (const socket of this.websocketServer.clients) socket.terminate();
      this.websocketServer.close();
      done();
    },
  });

  const hosts = new HostCheck(config.linkAllowedHosts);
  app.addHook("onRequest", async (request, reply) => {
    if (!hosts.accepts(request.headers.host)) {
      return reply.code(403).send("This Host is not allowed. Add it to CC_LINK_ALLOWED_HOSTS.\n");
    }
    if (comesFromBrowser(request)) {
      return reply.code(403).send("Web pages may not use the link port.\n");
    }
    const waitMs = request.ws ? gate.waitMs(request.ip) : 0;
    if (waitMs > 0) {
      reply.header("Retry-After", String(Math.ceil(waitMs / 1_000)));
      return reply.code(429).send("Too many wrong tokens came from this address.\n");
    }
  });

  // The response of an upgrade is never written, but its socket would keep it, and the whole HTTP
  // request with it, for as long as the link lives.
  app.addHook("preHandler", async (request, reply) => {
    const { socket } = reply.raw;
    if (request.ws && socket !== null) reply.raw.detachSocket(socket);
  });

  const wsHandler = (socket: WebSocket, request: FastifyRequest) =>
    attach(computers, new SocketChannel(socket, config.maxBufferedBytes), request);
  registerAgentFiles(app, { wsHandler, needsToken: config.linkTokens.length > 0 });
  app.route({
    method: "GET",
    url: "*",
    handler: async (_, reply) =>
      reply
        .code(426)
        .header("Upgrade", "websocket")
        .send(
          "This is the link port of ccbridge: computers in the game connect here by WebSocket.\n",
        ),
    wsHandler,
  });
  return app;
}

/**
 * A CC computer sends no Origin, except before 1.101, where it sends the bridge's own address. A page
 * could only do that from a name that somebody pointed here, so such a computer must use an address.
 */
function comesFromBrowser({ headers }: FastifyRequest): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  const ownAddress = origin === `http://${host}` && isLiteralHost(hostName(host) ?? "");
  return !(ownAddress && /^computercraft\//i.test(headers["user-agent"] ?? ""));
}

/** All listeners are attached here, at once: a frame that comes early is not lost. */
function attach(computers: Computers, channel: SocketChannel, request: FastifyRequest): void {
  const { socket } = channel;
  // @fastify/websocket's error listener keeps the whole HTTP request alive for as long as the socket.
  socket.removeAllListeners("error");
  const link = computers.attach(channel, {
    address: request.ip,
    token: connectionToken(request),
  });
  socket.on("message", (data, isBinary) => {
    if (isBinary) link.receiveBinary();
    else link.receive(data.toString());
  });
  socket.on("ping", (data) => channel.pong(data));
  // A socket that fails also closes; the reason is told there.
  let failure: string | undefined;
  socket.on("error", (error) => {
    failure = error.message;
  });
  socket.on("close", (code) =>
    link.closed(channel.failure ?? failure ?? `socket closed with ${code}`),
  );
}

class SocketChannel implements Channel {
  readonly socket: WebSocket;
  readonly #maxBufferedBytes: number;
  /** Why this side ended the socket. */
  failure: string | undefined;

  constructor(socket: WebSocket, maxBufferedBytes: number) {
    this.socket = socket;
    this.#maxBufferedBytes = maxBufferedBytes;
  }

  get bufferedBytes(): number {
    return this.socket.bufferedAmount;
  }

  send(text: string): void {
    if (this.socket.readyState !== this.socket.OPEN) return;
    if (this.bufferedBytes <= this.#maxBufferedBytes) return this.socket.send(text);
    // A peer that does not read would not read a goodbye either.
    this.failure = `it did not read: ${this.bufferedBytes} bytes waited`;
    this.socket.terminate();
  }

  /** Answers a ping of a peer that reads; one that does not gets no more to leave unread. */
  pong(data: Buffer): void {
    if (this.bufferedBytes === 0 && this.socket.readyState === this.socket.OPEN) {
      this.socket.pong(data);
    }
  }

  close(code: number, reason: string): void {
    // A close frame holds 123 bytes of reason.
    this.socket.close(code, Buffer.from(reason).subarray(0, 120));
  }
}

function connectionToken(request: FastifyRequest): string | undefined {
  const query = request.query as { token?: string | string[] };
  const fromUrl = Array.isArray(query.token) ? query.token[0] : query.token;
  return bearerToken(request.headers.authorization) ?? fromUrl;
}
