import { createHash } from "node:crypto";
import type { ServerPolicy } from "@ccbridge/mcp-tools";
import type { Policy } from "@ccbridge/minecraft-agent/game";
import {
  CommandPatterns,
  commandTools,
  decodeFrame,
  MAX_FROM_SERVER_BYTES,
} from "@ccbridge/protocol/minecraft";
import { type Registry, type ServerLink, Servers } from "@ccbridge/registry";
import type { FastifyInstance, onRequestHookHandler } from "fastify";
import type { Clients } from "../auth/clients.js";
import { type GuessLimiter, refuseGuessers } from "../auth/guess-limiter.js";
import type { Client } from "../auth/rights/client.js";
import { connectionToken, TokenCheck } from "../auth/tokens.js";
import { HostCheck } from "../config/addresses.js";
import { limits } from "../config/limits.js";
import { splitPatterns } from "../config/server-settings.js";
import { type Config, settings } from "../config/settings.js";
import { refuseInText } from "../http/errors.js";
import { createListener, type HttpListener } from "../http/listener.js";
import type { PeerSocket, SocketListener } from "../http/peer-socket.js";
import type { Logger } from "../monitor/log.js";
import type { PeerLog } from "../monitor/peer-log.js";

/**
 * Decides what MCP clients may do on Minecraft servers: what the settings allow all clients, and
 * what the token of a client allows in addition. Commands are limited by patterns only.
 */
export class ServerPolicies {
  readonly #commonTools: readonly string[];
  readonly #patterns: CommandPatterns;
  readonly #clients: Clients;
  readonly #timeoutMs: number;

  constructor({ minecraftTools, minecraftCommands, minecraftTimeoutMs }: Config, clients: Clients) {
    this.#timeoutMs = minecraftTimeoutMs;
    this.#commonTools = [...minecraftTools, ...commandTools];
    this.#patterns = new CommandPatterns(splitPatterns(minecraftCommands));
    this.#clients = clients;
  }

  of({ rights }: Client): ServerPolicy {
    return {
      tools: new Set([...this.#commonTools, ...(rights.allow ?? [])]),
      checkCommand: (command) => {
        const checked = this.#patterns.check(command);
        return checked.ok ? undefined : checked.reason;
      },
      hint: "The bridge's owner allows tools with MINECRAFT_TOOLS, or allow= for one token, and commands with MINECRAFT_COMMANDS.",
      timeoutMs: this.#timeoutMs,
    };
  }

  /** For command computers, where the bridge is also the server's side: what at least one client may do. */
  get commandComputerPolicy(): Policy {
    const granted = this.#clients.list().flatMap(({ rights }) => rights.allow ?? []);
    return { tools: new Set([...this.#commonTools, ...granted]), patterns: this.#patterns };
  }
}

export interface ServerEndpointOptions {
  config: Config;
  registry: Registry;
  guesses: GuessLimiter;
  clients: Clients;
  log: Logger;
  peerLog: PeerLog;
  /** Serves a client that speaks the servers' protocol from the other end. */
  onGameClient(peer: PeerSocket, opening: GameClientOpening): void;
  mcpPort(): number;
}

/** A program with the token of a client that calls the tools of servers. */
export interface GameClientOpening {
  readonly client: Client;
  readonly credential: string;
  /** The message that brought the token, if the connection itself did not. */
  readonly first?: string | undefined;
}

export class ServerEndpoint {
  readonly servers: Servers;
  readonly #options: ServerEndpointOptions;
  readonly #tokens: TokenCheck;

  constructor(options: ServerEndpointOptions) {
    const { config, registry, guesses, log, peerLog } = options;
    this.#options = options;
    this.#tokens = new TokenCheck(config.minecraftTokens);
    this.servers = new Servers(registry, {
      timeoutMs: config.minecraftTimeoutMs,
      ownerOf: (token, { address }) => {
        if (guesses.waitMs(address, token) > 0) {
          peerLog.warn(
            { address },
            "server token not checked: too many wrong tokens from this address",
          );
          return { laterBecause: "Too many wrong tokens came from this address. Try again later." };
        }
        if (this.#tokens.required && this.#tokens.accepts(token)) {
          guesses.passed(address, token);
          return ownerOf(token);
        }
        guesses.failed(address);
        peerLog.warn({ address }, "server token refused");
        return undefined;
      },
      // Commands are logged where they are called; events and responses are too many.
      onForward: (message) =>
        message.type === "command"
          ? log.info(message, "forwarded")
          : log.debug(message, "forwarded"),
    });
  }

  get mcpPort(): number {
    return this.#options.mcpPort();
  }

  register(listener: HttpListener, url: string): void {
    const maxUnreadBytes = this.#options.config.maxBufferedBytes;
    listener.app.route({
      method: "GET",
      url,
      onRequest: this.#checkToken,
      handler: async (_, reply) => {
        const text = "Minecraft servers connect here by WebSocket.";
        return refuseInText(reply.header("Upgrade", "websocket"), 426, text);
      },
      wsHandler: (socket, request) => {
        const { server } = request.query as { server?: string | string[] };
        const channel = listener.accept(socket, request, { maxUnreadBytes });
        const token = connectionToken(request);
        const client = this.#clientOf(token, request.ip);
        if (token !== undefined && client !== undefined) {
          return this.#options.onGameClient(channel, { client, credential: token });
        }
        const link = this.servers.attach(channel, {
          address: request.ip,
          token,
          name: typeof server === "string" ? server : undefined,
        });
        channel.listener = token === undefined ? this.#firstMessage(channel, link) : link;
      },
    });
  }

  readonly #checkToken: onRequestHookHandler = (request, reply, done) => {
    if (!request.ws) return done();
    const token = connectionToken(request);
    if (this.#clientOf(token, request.ip) !== undefined) return done();
    if (!this.#tokens.required) {
      const text = "Set MINECRAFT_TOKENS on the bridge to link Minecraft servers.";
      refuseInText(reply, 403, text);
      return;
    }
    // A token may also come with the first message.
    if (token === undefined || this.#tokens.accepts(token)) return done();
    const { ip: address } = request;
    this.#options.guesses.failed(address);
    this.#options.peerLog.warn({ address }, "server token refused");
    const text = "AUTH_FAILED: the token is wrong. Use one of the bridge's MINECRAFT_TOKENS.";
    refuseInText(reply.header("WWW-Authenticate", "Bearer"), 401, text);
  };

  /** The client whose token it is. There must be one: without client tokens nothing says who calls. */
  #clientOf(token: string | undefined, address: string): Client | undefined {
    const { clients, guesses } = this.#options;
    if (token === undefined || !clients.required || this.#tokens.accepts(token)) return undefined;
    if (guesses.waitMs(address, token) > 0) return undefined;
    const client = clients.find(token);
    if (client !== undefined) guesses.passed(address, token);
    return client;
  }

  /** Decides by its first message whether a connection without a token is a server or a client. */
  #firstMessage(channel: PeerSocket, link: ServerLink): SocketListener {
    return {
      receive: (text) => {
        const { authToken } = decodeFrame(text, "mcp");
        const client = this.#clientOf(authToken, channel.address);
        channel.listener = link;
        if (authToken === undefined || client === undefined) return link.receive(text);
        link.release();
        this.#options.onGameClient(channel, { client, credential: authToken, first: text });
      },
      receiveBinary: () => link.receiveBinary(),
      closed: (reason) => link.closed(reason),
      alive: () => link.alive(),
    };
  }
}

/** Identifies the holder of a token without revealing the token. */
function ownerOf(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}

/** A listener for Minecraft servers only, for those whose URL cannot have a path. */
export async function createServerListener(
  endpoint: ServerEndpoint,
  { config, guesses, log }: { config: Config; guesses: GuessLimiter; log: PeerLog },
): Promise<FastifyInstance> {
  const listener = await createListener({
    connections: {
      perAddress: config.linkMaxPerAddress,
      total: limits.spareLinkConnections,
      setting: settings.linkMaxPerAddress.env,
      trustedProxies: config.trustedProxies,
    },
    requestTimeoutMs: limits.linkRequestMs,
    bodyLimit: 1_024,
    maxMessageBytes: MAX_FROM_SERVER_BYTES,
    maxUnreadBytes: limits.linkUnreadBytes,
    guard: serverGuard(new HostCheck(config.linkAllowedHosts)),
    admit: refuseGuessers(guesses),
    refuse: refuseInText,
    notFound: "There is nothing here.",
    log,
  });
  endpoint.register(listener, "*");
  listener.app.get("/health", async () => ({
    ok: true,
    name: "ccbridge",
    side: "servers",
    servers: endpoint.servers.list().length,
    mcpPort: endpoint.mcpPort,
  }));
  return listener.app;
}

function serverGuard(hosts: HostCheck): onRequestHookHandler {
  return ({ headers }, reply, done) => {
    if (!hosts.accepts(headers.host)) {
      refuseInText(reply, 403, "This Host is not allowed. Add it to CC_LINK_ALLOWED_HOSTS.");
    } else if (headers.origin !== undefined) {
      refuseInText(reply, 403, "Web pages may not use this port.");
    } else done();
  };
}
