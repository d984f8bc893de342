import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { MAX_FROM_SERVER_BYTES } from "@ccbridge/protocol/minecraft";
import { type Registry, Servers } from "@ccbridge/registry";
import websocket from "@fastify/websocket";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { type WebSocket, WebSocketServer } from "ws";
import { type Config, settings } from "../config/settings.js";
import { capConnections } from "../http/connections.js";
import type { FailureGate } from "../http/failures.js";
import { capForwarded } from "../http/forwarding.js";
import { limitPipelining } from "../http/pipelining.js";
import { serverOptions } from "../http/server-options.js";
import { TokenCheck } from "../http/tokens.js";
import { limits } from "../limits.js";
import type { Logger } from "../logging.js";
import { HostCheck } from "../net/hosts.js";
import type { PeerLog } from "../peer-log.js";
import { connectionToken, SocketRoom } from "./channel-socket.js";

export interface ServerEndpointOptions {
  config: Config;
  registry: Registry;
  /** Knows who showed wrong tokens. */
  gate: FailureGate;
  log: Logger;
  peerLog: PeerLog;
}

/**
 * Where Minecraft servers link. They send larger messages than computers, so their sockets are not those of
 * the listener; and without a token of the owner nobody gets in.
 */
export class ServerEndpoint {
  readonly servers: Servers;
  readonly #options: ServerEndpointOptions;
  readonly #tokens: TokenCheck;
  readonly #room: SocketRoom;
  readonly #sockets: WebSocketServer;

  constructor(options: ServerEndpointOptions) {
    const { config, registry, gate, log, peerLog } = options;
    this.#options = options;
    this.#tokens = new TokenCheck(config.minecraftTokens);
    this.#room = new SocketRoom(config.maxBufferedBytes);
    this.#sockets = new WebSocketServer({
      ...this.#room.options(MAX_FROM_SERVER_BYTES),
      noServer: true,
    });
    this.servers = new Servers(registry, {
      ownerOf: (token, { address }) => {
        const waitMs = gate.waitMs(address, token);
        if (waitMs === 0 && this.#tokens.required && this.#tokens.accepts(token)) {
          gate.passed(address, token);
          return ownerOf(token);
        }
        // What is not looked at is not a failure.
        if (waitMs === 0) gate.failed(address);
        peerLog.warn({ address }, "server token refused");
        return undefined;
      },
      // Commands are logged where they are called; events and answers are too many.
      onForward: (message) =>
        message.type === "command"
          ? log.info(message, "forwarded")
          : log.debug(message, "forwarded"),
    });
  }

  /** Sockets that were told to close, and have not. */
  get leaving(): number {
    return this.#room.leaving.size;
  }

  /** Serves a path of a listener, or every path. Other checks of the listener come first. */
  register(app: FastifyInstance, path?: string): void {
    app.addHook("onRequest", async (request, reply) => {
      const [wanted] = request.url.split("?");
      if (path !== undefined && wanted !== path) return;
      if (request.ws) return this.#upgrade(request, reply);
      if (path === undefined) return;
      return reply
        .code(426)
        .header("Upgrade", "websocket")
        .send("Minecraft servers connect here by WebSocket.\n");
    });
  }

  /** Drops what is left. */
  close(): void {
    this.#room.clear();
    this.#sockets.close();
  }

  #upgrade(request: FastifyRequest, reply: FastifyReply): FastifyReply | undefined {
    const { gate, peerLog } = this.#options;
    if (!this.#tokens.required) {
      return reply
        .code(403)
        .send("Set MINECRAFT_TOKENS on the bridge to link Minecraft servers.\n");
    }
    const { ip: address } = request;
    const token = connectionToken(request);
    // Without one it may come with the first message.
    if (token !== undefined && !this.#tokens.accepts(token)) {
      gate.failed(address);
      peerLog.warn({ address }, "server token refused");
      return reply
        .code(401)
        .header("WWW-Authenticate", "Bearer")
        .send("AUTH_FAILED: the token is wrong. Use one of the bridge's MINECRAFT_TOKENS.\n");
    }
    const { server: name } = request.query as { server?: string };
    reply.hijack();
    const { socket } = request.raw;
    reply.raw.detachSocket(socket);
    this.#sockets.handleUpgrade(request.raw, socket, Buffer.alloc(0), (connection) =>
      this.#attach(connection, socket, {
        address,
        token,
        name: typeof name === "string" ? name : undefined,
      }),
    );
    return reply;
  }

  #attach(
    socket: WebSocket,
    connection: Socket,
    origin: { address: string; token: string | undefined; name: string | undefined },
  ): void {
    const channel = this.#room.admit(socket, connection);
    channel.listener = this.servers.attach(channel, origin);
  }
}

/** Who has a token, without telling the token. */
function ownerOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** A listener for Minecraft servers alone, for those whose address cannot have a path. Never listens. */
export async function createServerListener(
  endpoint: ServerEndpoint,
  { config, gate, log }: { config: Config; gate: FailureGate; log: PeerLog },
): Promise<FastifyInstance> {
  const app = Fastify({
    ...serverOptions(limits.linkRequestMs, config.trustedProxies),
    bodyLimit: 1_024,
  });
  const caps = {
    perAddress: config.linkMaxPerAddress,
    total: limits.spareLinkConnections,
    setting: settings.linkMaxPerAddress.env,
    trustedProxies: config.trustedProxies,
  };
  capConnections(app.server, caps, log);
  await app.register(websocket);
  limitPipelining(app);
  capForwarded(app, caps, log);
  const hosts = new HostCheck(config.linkAllowedHosts);
  app.addHook("onRequest", async (request, reply) => {
    if (!hosts.accepts(request.headers.host)) {
      return reply.code(403).send("This Host is not allowed. Add it to CC_LINK_ALLOWED_HOSTS.\n");
    }
    if (request.headers.origin !== undefined) {
      return reply.code(403).send("Web pages may not use this port.\n");
    }
    const waitMs = request.ws ? gate.doorMs(request.ip, connectionToken(request)) : 0;
    if (waitMs > 0) {
      reply.header("Retry-After", String(Math.ceil(waitMs / 1_000)));
      return reply.code(429).send("Too many wrong tokens came from this address.\n");
    }
  });
  endpoint.register(app);
  app.get("/health", async () => ({
    ok: true,
    name: "ccbridge",
    side: "servers",
    servers: endpoint.servers.list().length,
  }));
  return app;
}
