import { riskOf } from "@ccbridge/protocol/btcp";
import type { TopicData } from "@ccbridge/protocol/dashboard";
import type { Computers, Pages, Registry } from "@ccbridge/registry";
import type { Clients } from "../auth/clients.js";
import type { GuessLimiter } from "../auth/guess-limiter.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import type { TokenSource } from "../auth/token-source.js";
import type { Approvals } from "../calls/approvals.js";
import type { Audit } from "../calls/audit/audit.js";
import { sessionName } from "../calls/caller.js";
import type { Permissions } from "../calls/permissions.js";
import type { LiveSettings } from "../config/live-settings.js";
import type { Config } from "../config/settings.js";
import { forget } from "../history/forget.js";
import type { OpenedHistory } from "../history/open-history.js";
import type { HttpListener } from "../http/listener.js";
import type { McpServices } from "../mcp/handlers/session.js";
import type { SendPage } from "../mcp/landing.js";
import { namedSessions } from "../mcp/sessions/named-sessions.js";
import type { Sessionless } from "../mcp/sessions/sessionless.js";
import type { Sessions } from "../mcp/sessions/sessions.js";
import type { Logger } from "../monitor/log.js";
import type { CallCounters } from "../monitor/metrics/counters.js";
import type { PeerLog } from "../monitor/peer-log.js";
import type { TurtleTracks } from "../monitor/tracks.js";
import { clientTokens } from "./client-tokens.js";
import { connectFacts } from "./connect-facts.js";
import type { AlertDesk, ClientsElsewhere, DashboardServices } from "./context/services.js";
import { revokeApproval, shownSettings } from "./live-settings.js";
import { registerDashboard } from "./routes.js";

interface ServingSide {
  readonly listener: HttpListener;
  readonly sessions: Sessions;
  readonly sessionless: Sessionless;
  readonly guesses: GuessLimiter;
}

/** The built page, and how this program is called. */
export interface DashboardPlace {
  folder: string;
  command: readonly string[];
  ownCommand: string;
  /** Whether the base is a demo, which the page says. */
  isDemo?: boolean;
}

export interface ShownThings extends DashboardPlace {
  config: Config;
  live: LiveSettings;
  version: string;
  registry: Registry;
  computers: Computers;
  services: McpServices;
  pages: Pages;
  clients: Clients;
  tokens: TokenSource;
  audit: Audit;
  approvals: Approvals;
  permissions: Permissions;
  alerts: AlertDesk;
  pairing: Pairing | undefined;
  numbers: CallCounters;
  history: Pick<OpenedHistory, "store" | "status">;
  cluster:
    | { shown(): TopicData<"cluster">["cluster"]; readonly clients: ClientsElsewhere }
    | undefined;
  tracks: TurtleTracks;
  log: Logger;
  peerLog: PeerLog;
  linkPort(): number;
}

export function openDashboard(side: ServingSide, shown: ShownThings): SendPage {
  const { folder, command, ownCommand, config, version, clients, log, linkPort } = shown;
  const { audit, approvals, permissions, alerts, pairing, numbers, computers, tracks } = shown;
  const names = { command, ownCommand };
  return registerDashboard(side.listener, {
    folder,
    publicUrl: config.mcpPublicUrl,
    version,
    isDemo: shown.isDemo === true,
    settings: shown.live,
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
      ...{ audit, approvals, permissions, alerts, pairing, numbers, tracks },
      capabilities: askedCapabilities(shown.pages, audit),
      tokens: clientTokens(shown.tokens, config, ownCommand),
      settings: shownSettings(shown.live),
      revokeApproval: revokeApproval(pairing, shown.registry),
      sessions: namedSessions(side.sessions, side.sessionless),
      elsewhere: shown.cluster?.clients,
      historyStatus() {
        const { keptIn, trouble = null } = shown.history.status();
        return { keptIn, trouble };
      },
      cluster: () => shown.cluster?.shown() ?? null,
      forget: (what) => forget(shown.history, audit, what),
      recentlyLeft: () => computers.recentlyLeft(),
    },
    admission: { clients, guesses: side.guesses, log: shown.peerLog },
    onFault: (error) => log.error({ err: error }, "dashboard failed"),
  });
}

function askedCapabilities(pages: Pages, audit: Audit): DashboardServices["capabilities"] {
  const requests = () =>
    pages
      .capabilityRequests()
      // A page that left has nothing to allow; if it comes back, its request is shown again.
      .filter(({ sites }) => sites.length > 0)
      .map((request) => ({ id: sessionName(request.session ?? ""), ...request }));
  return {
    list: () =>
      requests().map(({ id, at, sites, askers, capabilities }) => ({
        id,
        at,
        clients: [...askers],
        pages: [...sites],
        capabilities: capabilities.map((name) => ({ name, risk: riskOf(name) })),
      })),
    decide({ id, capabilities, accept }, by) {
      const found = requests().find((request) => request.id === id);
      // Only what was requested and shown: the list may have changed since.
      const names = capabilities.filter((name) => found?.capabilities.includes(name));
      if (found === undefined || names.length === 0) return false;
      if (accept) pages.grant(found.session, names);
      else pages.dismissCapabilities(found.session, names);
      const event = accept ? "capabilities-granted" : "capabilities-declined";
      audit.note(event, { capabilities: names, by });
      return true;
    },
    subscribe: (listener) => pages.onCapabilityRequests(listener),
  };
}
