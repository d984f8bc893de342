import { isDeepStrictEqual } from "node:util";
import { CC_FRAME_BYTES } from "@ccbridge/protocol";
import type { Computers, Origin } from "@ccbridge/registry";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { publicNames } from "../config/public-urls.js";
import { type Config, settings } from "../config/settings.js";
import { capConnections } from "../http/connections.js";
import type { FailureGate } from "../http/failures.js";
import { capForwarded, forwardedFor, isLocal } from "../http/forwarding.js";
import { limitPipelining } from "../http/pipelining.js";
import { serverOptions } from "../http/server-options.js";
import { limits } from "../limits.js";
import { HostCheck, hostName, isLiteralHost } from "../net/hosts.js";
import type { PeerLog } from "../peer-log.js";
import { registerAgentFiles } from "./agent-files.js";
import { connectionToken, type SocketRoom } from "./channel-socket.js";
import type { ServerEndpoint } from "./servers.js";

/** Where Minecraft servers link. */
const SERVERS_PATH = "/minecraft";

export interface LinkListenerOptions {
  config: Config;
  computers: Computers;
  /** Where the sockets of computers are. */
  room: SocketRoom;
  log: PeerLog;
  /** Knows who showed wrong tokens. */
  gate: FailureGate;
  /** Where Minecraft servers link, on a path of its own. */
  servers: ServerEndpoint;
}

/** The WebSocket side, on any path. Turns each socket into a channel of a computer; never listens. */
export async function createLinkListener(options: LinkListenerOptions): Promise<FastifyInstance> {
  const { config, computers, room, log, gate, servers } = options;
  const app = Fastify({
    ...serverOptions(limits.linkRequestMs, config.trustedProxies),
    bodyLimit: 1_024,
  });
  const caps = {
    perAddress: config.linkMaxPerAddress,
    total: config.maxLinks + limits.spareLinkConnections,
    setting: settings.linkMaxPerAddress.env,
    trustedProxies: config.trustedProxies,
  };
  capConnections(app.server, caps, log);
  await app.register(websocket, {
    options: room.options(Math.max(config.maxFrameBytes, CC_FRAME_BYTES)),
    preClose(done) {
      room.clear();
      this.websocketServer.close();
      done();
    },
  });
  limitPipelining(app);
  capForwarded(app, caps, log);

  const hosts = new HostCheck([...config.linkAllowedHosts, ...publicNames(config.linkPublicUrl)]);
  app.addHook("onRequest", async (request, reply) => {
    if (!hosts.accepts(request.headers.host)) {
      return reply.code(403).send("This Host is not allowed. Add it to CC_LINK_ALLOWED_HOSTS.\n");
    }
    if (comesFromBrowser(request, config.linkPublicUrl)) {
      return reply.code(403).send("Web pages may not use the link port.\n");
    }
    const waitMs = request.ws ? gate.doorMs(request.ip, connectionToken(request)) : 0;
    if (waitMs > 0) {
      reply.header("Retry-After", String(Math.ceil(waitMs / 1_000)));
      return reply.code(429).send("Too many wrong tokens came from this address.\n");
    }
  });

  servers.register(app, SERVERS_PATH);

  // The response of an upgrade is never written, but its socket would keep it, and the whole HTTP
  // request with it, for as long as the link lives.
  app.addHook("preHandler", async (request, reply) => {
    const { socket } = reply.raw;
    if (request.ws && socket !== null) reply.raw.detachSocket(socket);
  });

  let latest: Origin | undefined;
  const wsHandler = (socket: WebSocket, request: FastifyRequest) => {
    const seen = originOf(request, config);
    // All computers of one Minecraft server come from one address: they share what is known of it.
    const origin = latest !== undefined && isDeepStrictEqual(latest, seen) ? latest : seen;
    latest = origin;
    // Last: Node would look up the address again, and keep it.
    const channel = room.admit(socket, request.raw.socket);
    channel.listener = computers.attach(channel, origin);
  };
  registerAgentFiles(app, {
    wsHandler,
    needsToken: config.linkTokens.length > 0,
    publicUrl: config.linkPublicUrl,
  });
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

/** What is known of a connection before its hello. */
function originOf(request: FastifyRequest, config: Config): Origin {
  return {
    address: request.ip,
    token: connectionToken(request),
    isLocal: isLocal(request, config),
    forwardedFor: forwardedFor(request),
  };
}

/**
 * A CC computer sends no Origin, except before 1.101, where it sends the bridge's own address. A page
 * could only do that from a name that somebody pointed here, so such a computer must use an address, or the
 * public address, which the owner set.
 */
function comesFromBrowser({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  const ownAddress =
    origin === publicUrl || (origin === `http://${host}` && isLiteralHost(hostName(host) ?? ""));
  return !(ownAddress && /^computercraft\//i.test(headers["user-agent"] ?? ""));
}
