import { isDeepStrictEqual } from "node:util";
import { CC_FRAME_BYTES } from "@ccbridge/protocol";
import { MAX_FROM_SERVER_BYTES } from "@ccbridge/protocol/minecraft";
import type { Computers, Origin } from "@ccbridge/registry";
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from "fastify";
import type { WebSocket } from "ws";
import { type GuessLimiter, refuseGuessers } from "../auth/guess-limiter.js";
import { connectionToken } from "../auth/tokens.js";
import { HostCheck, hostName, isLiteralHost } from "../config/addresses.js";
import { limits } from "../config/limits.js";
import { publicNames } from "../config/public-urls.js";
import { type Config, settings } from "../config/settings.js";
import { refuseInText } from "../http/errors.js";
import { forwardedFor, isLocal } from "../http/forwarding.js";
import { createListener } from "../http/listener.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { registerAgentFiles } from "./agent-files.js";
import type { ServerEndpoint } from "./servers.js";

const SERVERS_PATH = "/minecraft";

export interface LinkListenerOptions {
  config: Config;
  computers: Computers;
  log: PeerLog;
  guesses: GuessLimiter;
  servers: ServerEndpoint;
}

/** Creates the listener for computers, on any path, and for Minecraft servers, without starting it. */
export async function createLinkListener(options: LinkListenerOptions): Promise<FastifyInstance> {
  const { config, computers, log, guesses, servers } = options;
  const listener = await createListener({
    connections: {
      perAddress: config.linkMaxPerAddress,
      total: config.maxLinks + limits.spareLinkConnections,
      setting: settings.linkMaxPerAddress.env,
      trustedProxies: config.trustedProxies,
    },
    requestTimeoutMs: limits.linkRequestMs,
    bodyLimit: 1_024,
    // ws has one limit for all paths. Computers get a smaller one below.
    maxMessageBytes: Math.max(config.maxFrameBytes, MAX_FROM_SERVER_BYTES),
    maxUnreadBytes: limits.linkUnreadBytes,
    guard: linkGuard(config),
    admit: refuseGuessers(guesses),
    refuse: refuseInText,
    notFound: "There is nothing here.",
    log,
  });
  const { app } = listener;
  servers.register(listener, SERVERS_PATH);

  const socketLimits = {
    maxMessageBytes: Math.max(config.maxFrameBytes, CC_FRAME_BYTES),
    maxUnreadBytes: config.maxBufferedBytes,
  };
  let latest: Origin | undefined;
  const wsHandler = (socket: WebSocket, request: FastifyRequest) => {
    const seen = originOf(request, config);
    // All computers of one Minecraft server have the same address, so they share one object.
    if (!isDeepStrictEqual(latest, seen)) latest = seen;
    const channel = listener.accept(socket, request, socketLimits);
    channel.listener = computers.attach(channel, latest ?? seen);
  };
  registerAgentFiles(app, {
    wsHandler,
    needsToken: config.linkTokens.length > 0,
    publicUrl: config.linkPublicUrl,
    isStopping: () => !computers.registry.takesLinks,
  });
  app.route({
    method: "GET",
    url: "*",
    handler: async (_, reply) => {
      const text =
        "This is the link port of ccbridge: computers in the game connect here by WebSocket.";
      return refuseInText(reply.header("Upgrade", "websocket"), 426, text);
    },
    wsHandler,
  });
  return app;
}

function linkGuard({ linkAllowedHosts, linkPublicUrl }: Config): onRequestHookHandler {
  const hosts = new HostCheck([...linkAllowedHosts, ...publicNames(linkPublicUrl)]);
  return (request, reply, done) => {
    if (!hosts.accepts(request.headers.host)) {
      refuseInText(reply, 403, "This Host is not allowed. Add it to CC_LINK_ALLOWED_HOSTS.");
    } else if (comesFromBrowser(request, linkPublicUrl)) {
      refuseInText(reply, 403, "Web pages may not use the link port.");
    } else done();
  };
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

// A computer sends no Origin, except before CC 1.101, where it sends the bridge's URL. A page could
// only do that through DNS rebinding, so such a computer must use an IP address or the public URL.
function comesFromBrowser({ headers }: FastifyRequest, publicUrl: string): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return false;
  const ownAddress =
    origin === publicUrl || (origin === `http://${host}` && isLiteralHost(hostName(host) ?? ""));
  return !(ownAddress && /^computercraft\//i.test(headers["user-agent"] ?? ""));
}
