import type { ToolSettings } from "@ccbridge/mcp-tools";
import {
  Computers,
  createLocalPort,
  LinkErrorCode,
  Pages,
  Registry,
  type Servers,
} from "@ccbridge/registry";
import type { Clients } from "./auth/clients.js";
import { GuessLimiter } from "./auth/guess-limiter.js";
import { linkTokenCheck } from "./auth/link-tokens.js";
import { openTokens } from "./auth/open-tokens.js";
import { approvalsFor } from "./auth/pairing/chat.js";
import { openPairing } from "./auth/pairing/open-pairing.js";
import type { Pairing } from "./auth/pairing/pairing.js";
import { registerPairing } from "./auth/pairing/routes.js";
import { readAllowance } from "./auth/rights/allowance.js";
import { isOwner } from "./auth/rights/client.js";
import { cleanPort } from "./auth/secrets/clean-port.js";
import { OldAgents } from "./auth/secrets/old-agents.js";
import { Secrets } from "./auth/secrets/secrets.js";
import { SeenSecrets } from "./auth/secrets/seen-secrets.js";
import { Approvals } from "./calls/approvals.js";
import type { Audit } from "./calls/audit/audit.js";
import { auditChange } from "./calls/audit/audit-changes.js";
import { openAudit } from "./calls/audit/open-audit.js";
import { Permissions } from "./calls/permissions.js";
import { Pipeline } from "./calls/pipeline.js";
import { Rates } from "./calls/rates.js";
import { grantsFor, readGrants } from "./config/grants.js";
import { type ListenerPlan, planListeners, type Side, takesPages } from "./config/listeners.js";
import type { Config } from "./config/settings.js";
import { gameCommand } from "./config/shown-commands.js";
import { Trails } from "./dashboard/context/trails.js";
import { openDashboard } from "./dashboard/open-dashboard.js";
import { type Listener, listenAll } from "./http/listen.js";
import { closingSockets } from "./http/listener.js";
import { CommandServers } from "./links/command-computers.js";
import { createLinkListener } from "./links/computers.js";
import { createPageListener } from "./links/pages.js";
import { ServerPolicies } from "./links/server-policy.js";
import { createServerListener, ServerEndpoint } from "./links/servers.js";
import { createCatalogue } from "./mcp/catalogue.js";
import { createHostFolders } from "./mcp/host-folders.js";
import { registerLanding } from "./mcp/landing.js";
import { createMcpListener } from "./mcp/listener.js";
import { createServices } from "./mcp/server/services.js";
import { LinkHistory } from "./monitor/link-history.js";
import type { Logger } from "./monitor/log.js";
import { logChange } from "./monitor/log-changes.js";
import { countCalls } from "./monitor/metrics/count-calls.js";
import { PeerLog } from "./monitor/peer-log.js";

/** How long open calls get to be answered, and computers to hang up, when the bridge stops. */
const FAREWELL_MS = 500;

export interface BridgeOptions {
  config: Config;
  log: Logger;
  version: string;
  /** The built page, and how this program is called. Undefined for a bridge without a dashboard. */
  dashboard?: { folder: string; program: string; ownCommand: string } | undefined;
  /** The file of the screen view for chats. Undefined for a bridge that was built without it. */
  screenView?: string | undefined;
}

export interface Bridge {
  registry: Registry;
  computers: Computers;
  pages: Pages;
  servers: Servers;
  /** Who may come in, and with which rights. */
  clients: Clients;
  /** What clients do. */
  audit: Audit;
  /** What they want to do, and wait with. */
  approvals: Approvals;
  /** What people allowed them for a time. */
  permissions: Permissions;
  /** Computers that wait for approval, and those that have it; undefined when none needs it. */
  pairing: Pairing | undefined;
  /** Reads the tokens again, and opens the audit file again. */
  reload(): void;
  mcpPort: number;
  linkPort: number;
  /** Undefined when no page may connect. */
  pagesPort: number | undefined;
  /** The port for Minecraft servers alone; undefined when there is none. */
  minecraftPort: number | undefined;
  /** Tells everyone, answers what is open, closes the listeners. May be called again. */
  close(): Promise<void>;
}

/** Builds a bridge and starts listening. Throws when a port is taken, with nothing left running. */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { config, log, version } = options;
  const startedAt = Date.now();
  const peerLog = new PeerLog(log);
  const source = openTokens(config, log);
  const { clients } = source;
  const { linkTokens, minecraftTokens, pagesTokens } = config;
  const ofComputers = new SeenSecrets();
  const secrets = new Secrets([
    clients,
    { edition: 0, tokens: [...linkTokens, ...minecraftTokens, ...pagesTokens] },
    ofComputers,
  ]);
  const audit = openAudit(config, log, secrets.redact);
  const approvals = new Approvals();
  const permissions = new Permissions();
  clients.onGone((gone) => permissions.revokeAllOf(gone));
  const guesses = new GuessLimiter();
  const history = new LinkHistory();
  const registry = new Registry(config);
  registry.changes.subscribe(
    (change) => {
      history.note(change);
      logChange(peerLog, change);
      auditChange(audit, change);
    },
    { topics: ["linked", "unlinked", "state", "tools", "refused", "problem", "debug"] },
  );
  const pairing = openPairing({ config, audit, log: peerLog, onSecret: ofComputers.note });
  const trails = new Trails();
  const computers = new Computers(registry, {
    onPlace: (key, position) => trails.note(key, position),
    pairing,
    bridge: { name: "ccbridge", version },
    authorize: linkTokenCheck({ config, guesses, log: peerLog, audit }),
  });
  const grants = config.pagesGrants.flatMap((entry) => readGrants(entry) ?? []);
  const pages = new Pages(registry, {
    maxPages: config.maxPages,
    sessionIdleMs: config.pageSessionIdleMs,
    sessionTtlMs: config.pageSessionTtlMs,
    grants: (session, site) => grantsFor(grants, session, site),
  });
  const endpoint = new ServerEndpoint({ config, registry, guesses, log, peerLog });
  const { servers } = endpoint;
  const serverPolicies = new ServerPolicies(config, clients);
  const commandServers = new CommandServers({
    computers,
    servers,
    policy: () => serverPolicies.farEnd,
    allowed: config.minecraftCommandComputers,
    onSecret: (key, secret) => ofComputers.note(`server of ${key}`, secret),
    log: peerLog,
  });
  let linkPort = config.linkPort;
  const waitingComputers = () => pairing?.pending().length ?? 0;
  // Only what tools need: they must not see the tokens of the configuration.
  const { probeTimeoutMs, execWaitMs, cancelGraceMs, structured } = config;
  const settings: ToolSettings = {
    probeTimeoutMs,
    execWaitMs,
    cancelGraceMs,
    structured,
    get linkCommand() {
      return gameCommand(config, linkPort);
    },
    waiting: waitingComputers,
  };
  const providers = cleanPort(
    createLocalPort(registry, { returnWaitMs: config.returnWaitMs }),
    secrets,
    new OldAgents(registry),
  );
  const hostFolders = createHostFolders(config.syncFolders);
  const pipeline = new Pipeline({
    audit,
    approvals,
    permissions,
    rates: new Rates({
      rate: readAllowance(config.computerRate),
      quota: readAllowance(config.computerQuota),
    }),
    readOnly: config.readOnly,
  });
  const services = createServices({
    ...createCatalogue(config, { folders: hostFolders.names, screenView: options.screenView }),
    ...{ version, pipeline, providers },
    context: { settings, hostFolders },
    grants: ({ client, pageSession }) => ({
      servers: serverPolicies.of(client),
      ...(takesPages(config) ? { capabilities: pages.desk(pageSession) } : {}),
      pairing: approvalsFor(client, pairing),
      ...(isOwner(client) ? { permissions } : {}),
    }),
  });
  const mcp = await createMcpListener({
    config,
    clients,
    onRefused: (address) => audit.note("token-refused", { address }),
    peerLog,
    services,
    health: () => ({
      open: {
        computers: computers.list().length,
        waiting: waitingComputers(),
        name: "ccbridge",
        side: "mcp",
      },
      local: {
        pages: pages.connections,
        servers: servers.list().length,
        offeredServers: commandServers.waiting,
        version,
        uptimeMs: Date.now() - startedAt,
        linkPort,
        ...history.summary(),
      },
    }),
  });
  const numbers = countCalls(mcp, { registry, audit, version });
  const { dashboard } = options;
  const sendDashboard =
    dashboard &&
    openDashboard(mcp, {
      ...dashboard,
      ...{ config, version, registry, services, pages, clients, audit, approvals, permissions },
      ...{ pairing, numbers, trails, log, peerLog },
      linkPort: () => linkPort,
    });
  if (pairing !== undefined) {
    registerPairing(mcp.app, {
      pairing,
      require: mcp.require,
      unlink: (key) =>
        registry.session(key)?.close(LinkErrorCode.disconnected, "its approval was revoked"),
    });
  }
  registerLanding(
    mcp.app,
    () => ({
      version,
      computers: computers.list().length,
      needsToken: clients.required,
      gameCommand: settings.linkCommand,
      publicUrl: config.mcpPublicUrl,
    }),
    sendDashboard,
  );
  const link = await createLinkListener({
    config,
    guesses,
    log: peerLog,
    computers,
    servers: endpoint,
  });
  const own =
    config.minecraftPort === 0
      ? undefined
      : await createServerListener(endpoint, { config, guesses, log: peerLog });
  const page = takesPages(config)
    ? await createPageListener({ config, pages, guesses, log: peerLog })
    : undefined;

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      source.close();
      pairing?.close();
      numbers.close();
      registry.close();
      // The goodbye must have left before the sockets are dropped.
      const open = () => closingSockets(link) + pages.connections + closingSockets(own);
      const calls = () => mcp.sessions.openCalls + mcp.sessionless.openCalls;
      await settled(() => calls() + open() > 0, FAREWELL_MS);
      await Promise.all([mcp.app.close(), link.close(), page?.close(), own?.close()]);
      peerLog.flush();
      audit.close();
    })();
    return closing;
  };
  const apps = { mcp: mcp.app, link, pages: page, servers: own };
  try {
    const listeners = planListeners(config)
      .map((plan) => ({ ...plan, app: apps[plan.side] }))
      .filter((listener): listener is ListenerPlan & Listener => listener.app !== undefined);
    const ports = await listenAll(listeners);
    const portOf = (side: Side) => ports[listeners.findIndex((listener) => listener.side === side)];
    linkPort = portOf("link") ?? linkPort;
    return {
      registry,
      computers,
      pages,
      servers,
      clients,
      audit,
      approvals,
      permissions,
      pairing,
      reload() {
        source.reload();
        audit.reopen();
      },
      mcpPort: portOf("mcp") ?? config.mcpPort,
      linkPort,
      pagesPort: portOf("pages"),
      minecraftPort: portOf("servers"),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Waits while something is busy, but not forever. */
async function settled(isBusy: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (isBusy() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
