import type { CatalogOptions } from "@ccbridge/mcp-tools";
import {
  Computers,
  type ComputersOptions,
  Pages,
  type Registry,
  type Servers,
} from "@ccbridge/registry";
import type { FastifyInstance } from "fastify";
import type { Clients } from "../auth/clients.js";
import { GuessLimiter } from "../auth/guess-limiter.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import type { SeenSecrets } from "../auth/secrets/secrets.js";
import { linkTokenCheck } from "../auth/tokens.js";
import type { Audit } from "../calls/audit/audit.js";
import { takesPages } from "../config/listeners.js";
import { grantsFor, readGrants } from "../config/page-settings.js";
import { type Config, settings } from "../config/settings.js";
import { closingSockets } from "../http/listener.js";
import type { Logger } from "../monitor/log.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { CommandServers } from "./command-computers.js";
import { createLinkListener } from "./computers.js";
import { createPageListener, type PageListenerOptions } from "./pages.js";
import {
  createServerListener,
  ServerEndpoint,
  type ServerEndpointOptions,
  ServerPolicies,
} from "./servers.js";

export interface LinksOptions
  extends Required<Pick<ComputersOptions, "onPlace">>,
    Pick<PageListenerOptions, "onAgent">,
    Pick<ServerEndpointOptions, "onGameClient" | "mcpPort"> {
  config: Config;
  version: string;
  registry: Registry;
  clients: Clients;
  pairing: Pairing | undefined;
  audit: Audit;
  seenSecrets: SeenSecrets;
  log: Logger;
  peerLog: PeerLog;
}

export interface Links {
  computers: Computers;
  pages: Pages;
  servers: Servers;
  serverPolicies: ServerPolicies;
  /** How offered tools are listed. */
  catalog: CatalogOptions;
  /** Built, not listening yet. Undefined: no such port is configured. */
  listeners: {
    link: FastifyInstance;
    pages: FastifyInstance | undefined;
    servers: FastifyInstance | undefined;
  };
  openConnections(): number;
  details(): Record<string, unknown>;
}

export async function openLinks(options: LinksOptions): Promise<Links> {
  const { config, version, registry, clients, pairing, audit, log, peerLog } = options;
  const { seenSecrets, onPlace, onAgent } = options;
  // One limiter for all links: an address that guesses one kind of token has no fresh tries at another.
  const guesses = new GuessLimiter();
  const computers = new Computers(registry, {
    onPlace,
    pairing,
    bridge: { name: "ccbridge", version },
    authorize: linkTokenCheck({ config, guesses, log: peerLog, audit }),
  });
  const grants = config.pagesGrants.flatMap((entry) => readGrants(entry) ?? []);
  const pages = new Pages(registry, {
    maxPages: config.maxPages,
    maxSessionPages: config.maxSessionPages,
    maxResultBytes: config.pageMaxResultBytes,
    sessionIdleMs: config.pageSessionIdleMs,
    sessionTtlMs: config.pageSessionTtlMs,
    grants: (session, site) => grantsFor(grants, session, site),
  });
  const { onGameClient, mcpPort } = options;
  const endpoint = new ServerEndpoint({
    ...{ config, registry, guesses, clients, log, peerLog, onGameClient, mcpPort },
  });
  const { servers } = endpoint;
  const serverPolicies = new ServerPolicies(config, clients);
  const commandServers = new CommandServers({
    computers,
    servers,
    policy: () => serverPolicies.commandComputerPolicy,
    allowed: config.minecraftCommandComputers,
    onSecret: (key, secret) => seenSecrets.note(`server of ${key}`, secret),
    log: peerLog,
  });
  const common = { config, guesses, log: peerLog };
  const onAgentRefused = (address: string) => audit.note("token-refused", { address });
  const listeners = {
    link: await createLinkListener({ ...common, computers, servers: endpoint }),
    pages: takesPages(config)
      ? await createPageListener({ ...common, pages, clients, onAgent, onAgentRefused })
      : undefined,
    servers: config.minecraftPort === 0 ? undefined : await createServerListener(endpoint, common),
  };
  const openConnections = () =>
    closingSockets(listeners.link) + pages.connections + closingSockets(listeners.servers);
  return {
    catalog: unlistedTools(config, pages, peerLog),
    ...{ computers, pages, servers, serverPolicies, listeners, openConnections },
    details: () => ({ offeredServers: commandServers.waiting }),
  };
}

/** Reports offered tools that have no room in the list of tools: to the log, and to the page that offers them. */
function unlistedTools(config: Config, pages: Pages, log: PeerLog): CatalogOptions {
  return {
    listedBytes: { total: config.offeredBytes, perProvider: config.offeredBytesPerProvider },
    onUnlisted(provider, tools) {
      const few = tools.slice(0, 20).join(", ") + (tools.length > 20 ? ", ..." : "");
      const message = `${tools.length} tools have no room in the list that clients see: ${few}. They can be called through call-offered-tool; ${settings.offeredBytes.env} makes room.`;
      log.warn({ address: provider, tools: tools.length, few }, "offered tools are not listed");
      pages.notify(provider, message);
    },
  };
}
