import type { Tool } from "@ccbridge/mcp-tools";
import { Registry } from "@ccbridge/registry";
import { openAlerts } from "./alerts/open-alerts.js";
import type { Clients } from "./auth/clients.js";
import { followPairingMode, openPairing } from "./auth/pairing/open-pairing.js";
import type { Pairing } from "./auth/pairing/pairing.js";
import { registerPairing } from "./auth/pairing/routes.js";
import { openSecrets } from "./auth/secrets/secrets.js";
import { openTokens } from "./auth/token-source.js";
import { auditChanges } from "./calls/audit/audit.js";
import { type Calls, openCalls } from "./calls/open-calls.js";
import { closingOnce } from "./closing.js";
import { openCluster } from "./cluster/open-cluster.js";
import { LiveSettings } from "./config/live-settings.js";
import type { Config } from "./config/settings.js";
import { type DashboardPlace, openDashboard } from "./dashboard/open-dashboard.js";
import { keepHistory, openReading } from "./history/keep-history.js";
import { type OpenedHistory, openHistory } from "./history/open-history.js";
import { openPorts, type Ports } from "./http/listen.js";
import { addKinds, kindsWith, type LinkedKind, toolsOf } from "./links/kinds.js";
import { type Links, openLinks } from "./links/open-links.js";
import { clientContexts, toolSettings } from "./mcp/catalogue.js";
import { registerLanding } from "./mcp/landing.js";
import { createMcpListener } from "./mcp/listener.js";
import { openServices } from "./mcp/open-services.js";
import { createHealth, LinkHistory } from "./monitor/health.js";
import type { Logger } from "./monitor/log.js";
import { logChanges } from "./monitor/log-changes.js";
import { countCalls } from "./monitor/metrics/routes.js";
import { PeerLog } from "./monitor/peer-log.js";
import { TurtleTracks } from "./monitor/tracks.js";

export interface BridgeOptions {
  config: Config;
  log: Logger;
  version: string;
  dashboard?: DashboardPlace | undefined;
  /** The file of the screen view for chats. Undefined for a bridge that was built without it. */
  screenView?: string | undefined;
  kinds?: readonly LinkedKind[];
  tools?: readonly Tool[];
}

export interface Bridge
  extends Ports,
    Pick<Links, "computers" | "pages" | "servers">,
    Pick<Calls, "audit" | "approvals" | "permissions"> {
  registry: Registry;
  clients: Clients;
  /** Undefined when computers need no approval. */
  pairing: Pairing | undefined;
  history: Pick<OpenedHistory, "status">;
  /** Reads the tokens again, and opens the audit file again. */
  reload(): void;
  /** Answers open calls, says goodbye to peers, closes the listeners. May be called again. */
  close(): Promise<void>;
}

/** Builds a bridge and starts listening. Throws when a port is taken, with nothing left running. */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { config, log, version, kinds: addedKinds = [], tools: addedTools = [] } = options;
  const kinds = kindsWith(addedKinds);
  const peerLog = new PeerLog(log);
  const tokens = openTokens(config, log);
  const { clients } = tokens;
  const { secrets, seen: seenSecrets } = openSecrets(config, clients);
  const live = new LiveSettings(config);
  const history = await openHistory({ config, live, log, secrets });
  const calls = openCalls({ config, settings: live, log, clients, secrets, history });
  const { audit, approvals, permissions, pipeline } = calls;
  const pairing = openPairing({ config, live, audit, log: peerLog, onSecret: seenSecrets.note });
  const registry = new Registry(config, history.store);
  const linkHistory = new LinkHistory(registry);
  logChanges(registry, kinds, peerLog);
  auditChanges(registry, audit);
  const tracks = new TurtleTracks();
  const links = await openLinks({
    ...{ config, version, registry, clients, pairing, audit, seenSecrets, log, peerLog },
    onPlace: (key, position) => tracks.note(key, position),
    onAgent: (peer, opening) => mcp.serveAgent(peer, opening),
    onGameClient: (peer, opening) => mcp.serveGameClient(peer, opening),
    mcpPort: () => mcpPort,
  });
  const added = addKinds(addedKinds, { registry, log });
  const { computers, pages, servers, serverPolicies } = links;
  // Port 0 in the configuration: the real one is known once the listener listens.
  let { linkPort, mcpPort } = config;
  const facts = { linkPort: () => linkPort, waiting: () => pairing?.pending().length ?? 0 };
  const settings = toolSettings(config, kinds, facts);
  const shared = { ...calls, config, version, registry, secrets, log, tokens, clients, pairing };
  const alerts = openAlerts(shared);
  const { providers, cluster } = await openCluster({ ...shared, history, pages, alerts });
  const reading = openReading(history, { registry, audit, tracks, kinds, cluster });
  const services = openServices({
    ...{ config, live, kinds, settings, version, pipeline, providers },
    ...{ catalog: links.catalog, screenView: options.screenView },
    tools: [...toolsOf(addedKinds), ...addedTools],
    contextOf: clientContexts({ ...shared, pages, serverPolicies, alerts, history: reading }),
  });
  await alerts.start(services);
  followPairingMode(live, pairing, computers);
  const mcp = await createMcpListener({
    ...{ config, clients, peerLog, services, cluster },
    onRefused: (address) => audit.note("token-refused", { address }),
    health: createHealth({ ...facts, ...links, ...shared, kinds, linkHistory, history, cluster }),
  });
  const numbers = countCalls(mcp, { registry, servers, audit, version });
  await keepHistory(history, { ...shared, kinds, tracks, linkHistory, numbers, alerts });
  cluster?.shareHistory();
  const sendDashboard =
    options.dashboard &&
    openDashboard(mcp, {
      ...{ ...options.dashboard, ...shared, ...facts, live, services, computers, pages, alerts },
      ...{ numbers, tracks, history, peerLog, cluster },
    });
  if (pairing) registerPairing(mcp.app, { pairing, registry, require: mcp.require });
  const landing = { version, clients, computers, settings, publicUrl: config.mcpPublicUrl };
  registerLanding(mcp.app, landing, sendDashboard);

  const apps = { mcp: mcp.app, ...links.listeners };
  const close = closingOnce({
    drain: () => cluster?.drain(),
    stop: () => {
      for (const part of [alerts, tokens, pairing, numbers, registry]) part?.close();
    },
    open: () => mcp.sessions.openCalls + mcp.sessionless.openCalls + links.openConnections(),
    drop: () => Promise.all([added, ...Object.values(apps)].map((listener) => listener?.close())),
    finish: () => {
      peerLog.flush();
      audit.close();
      return Promise.all([cluster?.close(), history.close()]).then(() => {});
    },
  });
  const ports = await openPorts(config, apps, added).catch(async (error) => {
    await close();
    throw error;
  });
  ({ linkPort, mcpPort } = ports);
  return {
    ...ports,
    ...{ registry, computers, pages, servers, clients, pairing, history },
    ...{ audit, approvals, permissions },
    reload() {
      tokens.reload();
      audit.reopen();
    },
    close,
  };
}
