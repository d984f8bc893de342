import type { Computers, Pages } from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import type { GuessLimiter } from "../auth/guess-limiter.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import type { TokenSource } from "../auth/token-source.js";
import type { Approvals } from "../calls/approvals.js";
import type { Audit } from "../calls/audit/audit.js";
import type { Permissions } from "../calls/permissions.js";
import type { Config } from "../config/settings.js";
import type { HttpListener } from "../http/listener.js";
import type { SendPage } from "../mcp/landing.js";
import type { McpServices } from "../mcp/server/session.js";
import type { Sessionless } from "../mcp/sessions/sessionless.js";
import type { Sessions } from "../mcp/sessions/sessions.js";
import type { Logger } from "../monitor/log.js";
import type { Numbers } from "../monitor/metrics/counters.js";
import type { PeerLog } from "../monitor/peer-log.js";
import { askedCapabilities } from "./capabilities.js";
import { clientTokens } from "./client-tokens.js";
import { connectFacts } from "./connect-facts.js";
import type { TurtleTracks } from "./context/turtle-tracks.js";
import { namedSessions } from "./named-sessions.js";
import { registerDashboard } from "./routes.js";

interface ServingSide {
  readonly listener: HttpListener;
  readonly sessions: Sessions;
  readonly sessionless: Sessionless;
  readonly guesses: GuessLimiter;
}

export interface ShownThings {
  folder: string;
  command: readonly string[];
  ownCommand: string;
  config: Config;
  version: string;
  computers: Computers;
  services: McpServices;
  pages: Pages;
  clients: Clients;
  tokens: TokenSource;
  audit: Audit;
  approvals: Approvals;
  permissions: Permissions;
  pairing: Pairing | undefined;
  numbers: Numbers;
  tracks: TurtleTracks;
  log: Logger;
  peerLog: PeerLog;
  linkPort(): number;
}

export function openDashboard(side: ServingSide, shown: ShownThings): SendPage {
  const { folder, command, ownCommand, config, version, clients, log, linkPort } = shown;
  const { audit, approvals, permissions, pairing, numbers, computers, tracks } = shown;
  const names = { command, ownCommand };
  return registerDashboard(side.listener, {
    folder,
    publicUrl: config.mcpPublicUrl,
    version,
    readOnly: config.readOnly,
    services: {
      mcp: shown.services,
      connect: (origin) =>
        connectFacts({
          ...names,
          config,
          origin,
          linkPort: linkPort(),
          needsToken: clients.required,
        }),
      ...{ audit, approvals, permissions, pairing, numbers, tracks },
      capabilities: askedCapabilities(shown.pages, audit),
      tokens: clientTokens(shown.tokens, config, ownCommand),
      sessions: namedSessions(side.sessions, side.sessionless),
      recentlyLeft: () => computers.recentlyLeft(),
    },
    admission: { clients, guesses: side.guesses, log: shown.peerLog },
    onFault: (error) => log.error({ err: error }, "dashboard failed"),
  });
}
