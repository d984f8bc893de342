import { localAddress, urlHost } from "../config/addresses.js";
import { type ClientProgram, clientConfig } from "../config/client-configs.js";
import { linkOrigins, socketUrl } from "../config/public-urls.js";
import type { Config } from "../config/settings.js";
import { allowCommand, gameCommand, mcpUrl, pairCommand } from "../config/shown-commands.js";
import type { HistoryStatus } from "../history/open-history.js";
import { startupWarnings } from "./warnings.js";

export interface StartupReport {
  version: string;
  isDemo?: boolean;
  dashboardUrl?: string;
  mcpUrl: string;
  linkUrls: string[];
  pagesUrl?: string;
  serverUrls?: string[];
  serverTools?: readonly string[];
  /** How many computers, pages and servers are linked at this moment; the log says who comes and goes. */
  linked: number;
  gameCommand: string;
  allowCommand: string;
  /** Link tokens also approve, unless this is `on`. */
  pairing: Config["pairing"];
  pairCommand: string;
  /** Where the history is kept, and by which engine. */
  history: string;
  warnings: string[];
  clientConfigs: { client: ClientProgram; where: string; text: string }[];
}

export interface ReportOptions {
  config: Config;
  version: string;
  command: readonly string[];
  ownCommand: string;
  /** The actual ports, which differ from the settings when those are 0. */
  mcpPort: number;
  linkPort: number;
  pagesPort?: number | undefined;
  minecraftPort?: number | undefined;
  /** @default 0 */
  linked?: number;
  hasDashboard?: boolean;
  isDemo?: boolean;
  history?: HistoryStatus;
}

const shownClients = ["opencode", "claude-code", "codex", "gemini"] as const;

export function createReport(options: ReportOptions): StartupReport {
  const { config, version, command, mcpPort, linkPort, pagesPort, minecraftPort } = options;
  const url = mcpUrl(config, mcpPort);
  const linkUrls = linkOrigins(config, linkPort).map(socketUrl);
  // The report is logged, and tokens never are: --print-client-config fills them in.
  const token = config.mcpTokens.length > 0 ? "YOUR_TOKEN" : undefined;
  return {
    version,
    ...(options.isDemo === true ? { isDemo: true } : {}),
    ...(options.hasDashboard === true ? { dashboardUrl: url.replace(/mcp$/, "") } : {}),
    mcpUrl: url,
    linkUrls,
    ...(pagesPort === undefined
      ? {}
      : { pagesUrl: `ws://${urlHost(localAddress(config.pagesHost))}:${pagesPort}/ws` }),
    ...(config.minecraftTokens.length === 0
      ? {}
      : {
          serverUrls: serverOrigins(config, linkPort, minecraftPort).map(
            (origin) => `${socketUrl(origin)}/minecraft`,
          ),
          serverTools: config.minecraftTools,
        }),
    linked: options.linked ?? 0,
    gameCommand: gameCommand(config, linkPort),
    allowCommand: allowCommand(options),
    pairing: effectivePairing(config),
    pairCommand: pairCommand(options),
    history: historyText(options.history),
    warnings: [...startupWarnings(config), ...historyWarning(options.history)],
    clientConfigs: shownClients.map((client) => ({
      client,
      ...clientConfig(client, { url, token, command }),
    })),
  };
}

const IN_MEMORY: HistoryStatus = { keptIn: "memory" };

function historyText({ keptIn, file }: HistoryStatus = IN_MEMORY): string {
  return keptIn === "memory" ? "in memory only" : `${file} (${keptIn})`;
}

function historyWarning({ file, trouble }: HistoryStatus = IN_MEMORY): string[] {
  if (trouble === undefined) return [];
  return [
    `History is kept in memory only, and a restart forgets it: ${file} cannot be used, because ${trouble}. Set CC_HISTORY_FILE to another file, or CC_HISTORY=memory.`,
  ];
}

function effectivePairing({ pairing, linkTokens, trustedProxies }: Config): Config["pairing"] {
  if (pairing !== "auto") return pairing;
  if (linkTokens.length > 0) return "off";
  return trustedProxies.length > 0 ? "on" : "auto";
}

function serverOrigins(config: Config, linkPort: number, ownPort: number | undefined): string[] {
  if (ownPort === undefined) return linkOrigins(config, linkPort);
  return linkOrigins({ ...config, linkPublicUrl: "" }, ownPort);
}

function approvalText({ pairing, pairCommand: typed }: StartupReport): string {
  if (pairing === "off") return "";
  const waits = `shows a code and
  waits until you approve it: one click in the dashboard, a yes in the chat, or

  ${typed}
`;
  if (pairing === "on") return `\n  A computer that links for the first time ${waits}`;
  return `
  A computer that connects to 127.0.0.1 links at once. From any other address it ${waits}
  If computers of other people connect to 127.0.0.1 too (a hosted Minecraft server, a TCP tunnel),
  set CC_PAIRING=on.
`;
}

export function reportText(report: StartupReport): string {
  if (report.isDemo === true) return demoText(report);
  const { version, linkUrls, clientConfigs } = report;
  const configs = clientConfigs.map(
    ({ client, where, text }) => `  ${client} (${where}):\n${indent(text, 4)}`,
  );
  const places: [string, readonly string[]][] = [
    ["Dashboard", report.dashboardUrl === undefined ? [] : [report.dashboardUrl]],
    ["MCP clients", [report.mcpUrl]],
    ["Computers", linkUrls],
    ["Web pages", report.pagesUrl === undefined ? [] : [report.pagesUrl]],
    ["Servers", report.serverUrls ?? []],
    ["History", [report.history]],
  ];
  const lines = places
    .filter(([, urls]) => urls.length > 0)
    .map(([who, urls]) => `  ${who.padEnd(14)}${urls.join(`\n${" ".repeat(16)}`)}`);
  return `
ccbridge ${version}

${lines.join("\n")}

Type this on a computer in the game:

  ${report.gameCommand}

  "Domain not permitted"? The game blocks home networks until you allow them. Type this in another
  window:

  ${report.allowCommand}
${approvalText(report)}
Add the bridge to your client:

${configs.join("\n\n")}
${report.warnings.map((warning) => `\nWarning: ${warning}\n`).join("")}
Press Ctrl+C to stop.
`;
}

function demoText({ version, dashboardUrl, mcpUrl }: StartupReport): string {
  return `
ccbridge ${version}: a demo

  A base of computers and turtles, a server with players, and an AI whose calls are replayed. No
  Minecraft runs and no AI is asked. Open it in a browser:

  ${dashboardUrl ?? mcpUrl}

  Your own client may join: ${mcpUrl}

Press Ctrl+C to stop. Nothing is kept.
`;
}

function indent(text: string, by: number): string {
  return text.replace(/^/gm, " ".repeat(by));
}
