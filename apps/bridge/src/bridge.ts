import { randomUUID } from "node:crypto";
import {
  instructionsFor,
  requestCapabilities,
  selectTools,
  type ToolSettings,
} from "@ccbridge/mcp-tools";
import { Computers, createLocalPort, Pages, Registry, scopeOf } from "@ccbridge/registry";
import { type DoorPlan, planDoors, type Side, takesPages } from "./config/doors.js";
import { grantsFor, readGrants } from "./config/grants.js";
import type { Config } from "./config/settings.js";
import { connectFacts } from "./dashboard/connect-facts.js";
import { registerDashboard } from "./dashboard/routes.js";
import { Departures } from "./dashboard/sight/departures.js";
import { createHostFolders } from "./host-folders.js";
import { FailureGate } from "./http/failures.js";
import { TokenCheck } from "./http/tokens.js";
import { createLinkListener } from "./link/computers.js";
import { LinkHistory } from "./link/history.js";
import { logChange } from "./link/log-changes.js";
import { createPageListener } from "./link/pages.js";
import { serverPolicy } from "./link/server-policy.js";
import { createServerListener, ServerEndpoint } from "./link/servers.js";
import type { Logger } from "./logging.js";
import { registerLanding } from "./mcp/landing.js";
import { createMcpListener } from "./mcp/listener.js";
import { createServe } from "./mcp/sdk/index.js";
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
}

export interface Bridge {
  registry: Registry;
  computers: Computers;
  pages: Pages;
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
  const tokens = new TokenCheck(config.linkTokens);
  const gate = new FailureGate();
  const history = new LinkHistory();
  const registry = new Registry(config);
  registry.changes.subscribe((change) => {
    history.note(change);
    logChange(peerLog, change);
  });
  const computers = new Computers(registry, {
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
  let linkPort = config.linkPort;
  // Only what tools need: the tokens of the configuration are none of their business.
  const { probeTimeoutMs, execWaitMs, cancelGraceMs, structured } = config;
  const settings: ToolSettings = {
    probeTimeoutMs,
    execWaitMs,
    cancelGraceMs,
    structured,
    servers: serverPolicy(config),
    get linkCommand() {
      return gameCommand(config, linkPort);
    },
  };
  const providers = createLocalPort(registry, { returnWaitMs: config.returnWaitMs });
  const tools = [
    ...selectTools(config.tools, { servers: config.minecraftTokens.length > 0 }),
    ...(takesPages(config) ? [requestCapabilities] : []),
  ];
  const instructions = instructionsFor(tools);
  const mcp = await createMcpListener({
    config,
    log,
    peerLog,
    version,
    instructions,
    serve: createServe({
      version,
      instructions,
      tools,
      view: ({ pageSession }) => ({
        providers: providers.seenBy({ scope: scopeOf(pageSession), client: randomUUID() }),
        ...(takesPages(config) ? { capabilities: pages.desk(pageSession) } : {}),
      }),
      context: {
        providers,
        settings,
        hostFolders: createHostFolders(config.syncFolders),
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
  const departures = new Departures(registry);
  const { dashboard } = options;
  const sendDashboard =
    dashboard &&
    registerDashboard(mcp.app, {
      folder: dashboard.folder,
      version,
      facts: { connect: (host) => connectFacts({ ...dashboard, config, host, linkPort }) },
      admission: {
        tokens: config.mcpTokens,
        providers: providers.seenBy({ scope: scopeOf(undefined) }),
        departures,
        gate,
        log: peerLog,
      },
      onFault: (error) => log.error({ err: error }, "dashboard failed"),
    });
  registerLanding(
    mcp.app,
    () => ({
      version,
      computers: computers.list().length,
      needsToken: config.mcpTokens.length > 0,
      gameCommand: settings.linkCommand,
    }),
    sendDashboard,
  );
  const doorkeepers = { config, gate, log: peerLog };
  const link = await createLinkListener({ ...doorkeepers, computers, servers: endpoint });
  const own =
    config.minecraftPort === 0 ? undefined : await createServerListener(endpoint, doorkeepers);
  const page = takesPages(config)
    ? await createPageListener({ config, pages, gate, log: peerLog })
    : undefined;

  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= (async () => {
      registry.close();
      // The goodbye must have left before the sockets are dropped.
      const open = () => link.websocketServer.clients.size + pages.connections + endpoint.size;
      await settled(() => mcp.sessions.openCalls + open() > 0, FAREWELL_MS);
      endpoint.close();
      await Promise.all([mcp.app.close(), link.close(), page?.close(), own?.close()]);
      peerLog.flush();
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

/** Waits while something is busy, but not for ever. */
async function settled(isBusy: () => boolean, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (isBusy() && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
