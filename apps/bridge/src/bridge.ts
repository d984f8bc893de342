import { randomUUID } from "node:crypto";
import { homedir } from "node:os";
import { join } from "node:path";
import type { ToolSettings } from "@ccbridge/mcp-tools";
import {
  Computers,
  createLocalPort,
  LinkErrorCode,
  Pages,
  Registry,
  type Servers,
  scopeOf,
} from "@ccbridge/registry";
import { readAllowance } from "./access/allowance.js";
import { Approvals } from "./access/approvals.js";
import type { Clients } from "./access/clients.js";
import { TokenSource } from "./access/token-source.js";
import { Audit } from "./audit/audit.js";
import { auditChange } from "./audit/audit-changes.js";
import { AuditFile } from "./audit/audit-file.js";
import { redactor } from "./audit/redact.js";
import { type DoorPlan, planDoors, type Side, takesPages } from "./config/doors.js";
import { grantsFor, readGrants } from "./config/grants.js";
import { ConfigError } from "./config/load.js";
import { type Config, ownTokens, settings as settingsTable } from "./config/settings.js";
import { capabilityDesk } from "./dashboard/capability-desk.js";
import { connectFacts } from "./dashboard/connect-facts.js";
import { namedSessions } from "./dashboard/named-sessions.js";
import { registerDashboard } from "./dashboard/routes.js";
import { Departures } from "./dashboard/sight/departures.js";
import { Trails } from "./dashboard/sight/trails.js";
import { Admission, sightOf } from "./gate/admission.js";
import { createHostFolders } from "./host-folders.js";
import { FailureGate } from "./http/failures.js";
import { TokenCheck } from "./http/tokens.js";
import { SocketRoom } from "./link/channel-socket.js";
import { serveCommandComputers } from "./link/command-servers.js";
import { createLinkListener } from "./link/computers.js";
import { LinkHistory } from "./link/history.js";
import { logChange } from "./link/log-changes.js";
import { createPageListener } from "./link/pages.js";
import { ServerPolicies } from "./link/server-policy.js";
import { createServerListener, ServerEndpoint } from "./link/servers.js";
import type { Logger } from "./logging.js";
import { createCatalogue } from "./mcp/catalogue.js";
import { registerLanding } from "./mcp/landing.js";
import { createMcpListener } from "./mcp/listener.js";
import { createServe } from "./mcp/sdk/index.js";
import { Numbers } from "./numbers/numbers.js";
import { countBy, registerMetrics } from "./numbers/routes.js";
import { Pairing } from "./pairing/pairing.js";
import { registerPairing } from "./pairing/routes.js";
import { PeerLog } from "./peer-log.js";
import { type Door, listenAll } from "./startup/listen.js";
import { gameCommand } from "./startup/report.js";

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
  /** Computers that want to be paired, and those that are; undefined when everybody with a token may link. */
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
  const source = tokenSource(config, log);
  const { clients } = source;
  const audit = createAudit(config, log, () => [
    ...clients.tokens,
    ...config.linkTokens,
    ...config.minecraftTokens,
    ...config.pagesTokens,
  ]);
  const approvals = new Approvals();
  const tokens = new TokenCheck(config.linkTokens);
  const gate = new FailureGate();
  const history = new LinkHistory();
  const registry = new Registry(config);
  registry.changes.subscribe((change) => {
    history.note(change);
    logChange(peerLog, change);
    auditChange(audit, change);
  });
  const pairing = config.pairing ? createPairing(config, audit) : undefined;
  const trails = new Trails();
  const computers = new Computers(registry, {
    onPlace: (key, position) => trails.note(key, position),
    pairing,
    bridge: { name: "ccbridge", version },
    authorize(token, { address }) {
      if (!tokens.required) return true;
      const waitMs = token === undefined ? 0 : gate.waitMs(address, token);
      if (waitMs > 0) {
        peerLog.warn({ address }, "link token not looked at: too many wrong ones of this address");
        return { laterBecause: "Too many wrong tokens came from this address. Try again later." };
      }
      if (token !== undefined && tokens.accepts(token)) {
        gate.passed(address, token);
        return true;
      }
      // Without one it is a mistake, not a guess.
      if (token !== undefined) gate.failed(address);
      peerLog.warn({ address }, "link token refused");
      audit.note("link-token-refused", { address });
      return false;
    },
  });
  const grants = config.pagesGrants.flatMap((entry) => readGrants(entry) ?? []);
  const pages = new Pages(registry, {
    maxPages: config.maxPages,
    sessionIdleMs: config.pageSessionIdleMs,
    sessionTtlMs: config.pageSessionTtlMs,
    grants: (session, site) => grantsFor(grants, session, site),
  });
  const endpoint = new ServerEndpoint({ config, registry, gate, log, peerLog });
  const { servers } = endpoint;
  const serverPolicies = new ServerPolicies(config, clients);
  serveCommandComputers({ computers, servers, policy: () => serverPolicies.farEnd });
  let linkPort = config.linkPort;
  // Only what tools need: the tokens of the configuration are none of their business.
  const { probeTimeoutMs, execWaitMs, cancelGraceMs, structured } = config;
  const settings: ToolSettings = {
    probeTimeoutMs,
    execWaitMs,
    cancelGraceMs,
    structured,
    get linkCommand() {
      return gameCommand(config, linkPort);
    },
  };
  const providers = createLocalPort(registry, { returnWaitMs: config.returnWaitMs });
  const hostFolders = createHostFolders(config.syncFolders);
  const { instructions, hasApps, ...offered } = createCatalogue(config, {
    folders: hostFolders.names,
    screenView: options.screenView,
  });
  const admission = new Admission({
    audit,
    approvals,
    readOnly: config.readOnly,
    computer: {
      rate: readAllowance(config.computerRate),
      quota: readAllowance(config.computerQuota),
    },
  });
  const mcp = await createMcpListener({
    config,
    clients,
    onRefused: (address) => audit.note("token-refused", { address }),
    log,
    peerLog,
    version,
    instructions,
    hasApps,
    serve: createServe({
      ...offered,
      version,
      instructions,
      view: ({ pageSession, ...session }) => ({
        providers: providers.seenBy({
          scope: scopeOf(pageSession),
          client: randomUUID(),
          sees: sightOf(session.client),
        }),
        gate: admission.gate(session),
        servers: serverPolicies.of(session.client),
        ...(takesPages(config) ? { capabilities: pages.desk(pageSession) } : {}),
      }),
      context: {
        providers,
        settings,
        hostFolders,
      },
    }),
    health: () => ({
      open: { computers: computers.list().length, name: "ccbridge", side: "mcp" },
      local: {
        pages: pages.connections,
        servers: servers.list().length,
        version,
        uptimeMs: Date.now() - startedAt,
        linkPort,
        ...history.summary(),
      },
    }),
  });
  const numbers = new Numbers({
    levels: () => ({ links: registry.size, sessions: mcp.sessions.size }),
  });
  audit.trail.subscribe(({ tool, outcome, durationMs }) => {
    if (outcome !== undefined) numbers.add({ tool, outcome, durationMs: durationMs ?? 0 });
  });
  registerMetrics(mcp.app, {
    numbers,
    onRequest: mcp.require,
    facts: {
      version,
      links: () => countBy(registry.sessions(), ({ provider }) => provider.kind),
      sessions: () => mcp.sessions.size,
      runningJobs: () => registry.jobs.list().filter(({ ended }) => !ended).length,
    },
  });
  const { dashboard } = options;
  const sendDashboard =
    dashboard &&
    registerDashboard(mcp.app, {
      folder: dashboard.folder,
      version,
      office: {
        connect: (host) =>
          connectFacts({ ...dashboard, config, host, linkPort, needsToken: clients.required }),
        audit,
        approvals,
        pairing,
        capabilities: capabilityDesk(pages, audit),
        numbers,
        sessions: namedSessions(mcp.sessions, mcp.sessionless),
      },
      admission: {
        clients,
        readOnly: config.readOnly,
        providers,
        departures: new Departures(registry),
        trails,
        gate,
        log: peerLog,
      },
      onFault: (error) => log.error({ err: error }, "dashboard failed"),
    });
  if (pairing !== undefined) {
    registerPairing(mcp.app, {
      pairing,
      require: mcp.require,
      unlink: (key) =>
        registry.session(key)?.close(LinkErrorCode.disconnected, "its pairing was revoked"),
    });
  }
  registerLanding(
    mcp.app,
    () => ({
      version,
      computers: computers.list().length,
      needsToken: clients.required,
      gameCommand: settings.linkCommand,
    }),
    sendDashboard,
  );
  const doorkeepers = { config, gate, log: peerLog };
  const room = new SocketRoom(config.maxBufferedBytes);
  const link = await createLinkListener({ ...doorkeepers, computers, room, servers: endpoint });
  const own =
    config.minecraftPort === 0 ? undefined : await createServerListener(endpoint, doorkeepers);
  const page = takesPages(config)
    ? await createPageListener({ config, pages, gate, log: peerLog })
    : undefined;

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      source.close();
      pairing?.close();
      numbers.close();
      registry.close();
      // The goodbye must have left before the sockets are dropped.
      const open = () => room.leaving.size + pages.connections + endpoint.leaving;
      await settled(() => mcp.sessions.openCalls + open() > 0, FAREWELL_MS);
      endpoint.close();
      await Promise.all([mcp.app.close(), link.close(), page?.close(), own?.close()]);
      peerLog.flush();
      audit.close();
    })();
    return closing;
  };
  const apps = { mcp: mcp.app, link, pages: page, servers: own };
  try {
    const doors = planDoors(config)
      .map((plan) => ({ ...plan, app: apps[plan.side] }))
      .filter((door): door is DoorPlan & Door => door.app !== undefined);
    const ports = await listenAll(doors);
    const portOf = (side: Side) => ports[doors.findIndex((door) => door.side === side)];
    linkPort = portOf("link") ?? linkPort;
    return {
      registry,
      computers,
      pages,
      servers,
      clients,
      audit,
      approvals,
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

/** Where calls are written down. A file that cannot be written is a reason not to start. */
function createAudit(config: Config, log: Logger, secrets: () => readonly string[]): Audit {
  const { auditFile: path, auditMaxBytes: maxBytes, auditKeep: keep } = config;
  const options = { log, all: config.audit === "all", required: config.auditRequired };
  const redact = redactor(secrets);
  if (path === "") {
    if (!options.required) return new Audit({ ...options, redact });
    throw new ConfigError(["CC_AUDIT_REQUIRED needs CC_AUDIT_FILE: there is nothing to write to"]);
  }
  try {
    return new Audit({ ...options, redact, file: new AuditFile({ path, maxBytes, keep }) });
  } catch (error) {
    const { env } = settingsTable.auditFile;
    throw new ConfigError([`${env}: cannot open the file: ${(error as Error).message}`]);
  }
}

/** Which computers are paired. A file that cannot be used is a reason not to start. */
function createPairing(config: Config, audit: Audit): Pairing {
  const path = config.pairingFile || join(homedir(), ".ccbridge", "paired.json");
  try {
    return new Pairing({
      path,
      onNews({ what, by, ...about }) {
        const { computerId, label, world } = "pending" in about ? about.pending : about.computer;
        audit.note(`pairing-${what}`, { computerId, label, world, by });
      },
    });
  } catch (error) {
    throw new ConfigError([`${settingsTable.pairingFile.env}: ${(error as Error).message}`]);
  }
}

/** The tokens of MCP clients. A file that cannot be used is a reason not to start. */
function tokenSource(config: Config, log: Logger): TokenSource {
  const variable = settingsTable.mcpTokensFile.env;
  const options = {
    tokens: ownTokens(config),
    path: config.mcpTokensFile,
    onReload(outcome: { clients: number } | { problems: readonly string[] }) {
      if ("problems" in outcome) log.error(outcome, `${variable} is not used: the old one stays`);
      else log.info(outcome, `${variable} was read again`);
    },
  };
  return new TokenSource(options, (problems) => {
    throw new ConfigError(problems.map((problem) => `${variable}: ${problem}`));
  });
}

/** Waits while something is busy, but not forever. */
async function settled(isBusy: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (isBusy() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
