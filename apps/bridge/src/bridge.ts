import type { Tool } from "@ccbridge/mcp-tools";
import { Registry } from "@ccbridge/registry";
import type { Clients } from "./auth/clients.js";
import { openPairing } from "./auth/pairing/open-pairing.js";
import type { Pairing } from "./auth/pairing/pairing.js";
import { registerPairing } from "./auth/pairing/routes.js";
import { openSecrets } from "./auth/secrets/secrets.js";
import { openTokens } from "./auth/token-source.js";
import { auditChanges } from "./calls/audit/audit.js";
import { type Calls, openCalls } from "./calls/open-calls.js";
import { closingOnce } from "./closing.js";
import { openCluster } from "./cluster/open-cluster.js";
import type { Config } from "./config/settings.js";
import { TurtleTracks } from "./dashboard/context/services.js";
import { type DashboardPlace, openDashboard } from "./dashboard/open-dashboard.js";
import { keepHistory, openReading } from "./history/keep-history.js";
import { type History, openHistory } from "./history/open-history.js";
import { openPorts, type Ports } from "./http/listen.js";
import { addKinds, kindsWith, type LinkedKind, toolsOf } from "./links/kinds.js";
import { type Links, openLinks } from "./links/open-links.js";
import { createCatalogue, grantsFrom, toolSettings } from "./mcp/catalogue.js";
import { createServices } from "./mcp/handlers/session.js";
import { createHostFolders } from "./mcp/host-folders.js";
import { registerLanding } from "./mcp/landing.js";
import { createMcpListener } from "./mcp/listener.js";
import { createHealth, LinkHistory } from "./monitor/health.js";
import type { Logger } from "./monitor/log.js";
import { logChanges } from "./monitor/log-changes.js";
import { countCalls } from "./monitor/metrics/routes.js";
import { PeerLog } from "./monitor/peer-log.js";

export interface BridgeOptions {
  config: Config;
  log: Logger;
  version: string;
  /** Undefined for a bridge without a dashboard. */
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
  history: Pick<History, "status">;
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
  const calls = openCalls({ config, log, clients, redact: secrets.redact });
  const { audit, approvals, permissions, pipeline } = calls;
  const pairing = openPairing({ config, audit, log: peerLog, onSecret: seenSecrets.note });
  const history = await openHistory({ config, log, secrets });
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
  const shared = { ...calls, config, version, registry, secrets, log, tokens, pairing };
  const { providers, cluster } = await openCluster(shared);
  const reading = openReading(history, { registry, audit, tracks, kinds });
  const hostFolders = createHostFolders(config.syncFolders);
  const services = createServices({
    ...createCatalogue(config, {
      ...{ folders: hostFolders.names, screenView: options.screenView, kinds },
      tools: [...toolsOf(addedKinds), ...addedTools],
    }),
    ...{ version, pipeline, providers },
    ...{ catalog: links.catalog, context: { settings, hostFolders } },
    grants: grantsFrom({ config, pages, pairing, permissions, serverPolicies, history: reading }),
  });
  const mcp = await createMcpListener({
    ...{ config, clients, peerLog, services, cluster },
    onRefused: (address) => audit.note("token-refused", { address }),
    health: createHealth({ ...facts, ...links, ...shared, kinds, linkHistory, history, cluster }),
  });
  const numbers = countCalls(mcp, { registry, audit, version });
  await keepHistory(history, { ...calls, clients, registry, tracks, linkHistory, numbers });
  const sendDashboard =
    options.dashboard &&
    openDashboard(mcp, {
      ...options.dashboard,
      ...{ config, version, services, computers, pages, clients, tokens, audit, approvals },
      ...{ permissions, pairing, numbers, tracks, history, log, peerLog, linkPort: facts.linkPort },
    });
  if (pairing) registerPairing(mcp.app, { pairing, registry, require: mcp.require });
  const landing = { version, clients, computers, settings, publicUrl: config.mcpPublicUrl };
  registerLanding(mcp.app, landing, sendDashboard);

  const apps = { mcp: mcp.app, ...links.listeners };
  const close = closingOnce({
    drain: () => cluster?.drain(),
    stop: () => {
      for (const part of [tokens, pairing, numbers, registry]) part?.close();
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
