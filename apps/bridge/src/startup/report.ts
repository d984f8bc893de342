import { type Client, clientConfig } from "../clients/client-config.js";
import { type Config, flagOf, settings } from "../config/settings.js";
import { isOpenToNetwork, localAddress, reachableAddresses, urlHost } from "../net/addresses.js";
import { startupWarnings } from "./warnings.js";

/** What a user wants to know once the bridge runs. */
export interface StartupReport {
  version: string;
  /** The dashboard, if it is built in. */
  dashboardUrl?: string;
  mcpUrl: string;
  linkUrls: string[];
  /** Where web pages connect, if any may. */
  pagesUrl?: string;
  /** Where Minecraft servers link, if any may. */
  serverUrls?: string[];
  /** What clients may do on them beside commands. */
  serverTools?: readonly string[];
  /** The line to type on a computer in the game. */
  gameCommand: string;
  /** The line that lets computers reach the bridge, for a shell. */
  allowCommand: string;
  /** Which computers wait for approval, and how to give it; nothing where none does. */
  approval?: string;
  warnings: string[];
  clientConfigs: { client: Client; where: string; text: string }[];
}

export interface ReportOptions {
  config: Config;
  version: string;
  program: string;
  /** The words that start this program. */
  ownCommand: string;
  /** The ports that were really taken. */
  mcpPort: number;
  linkPort: number;
  pagesPort?: number | undefined;
  minecraftPort?: number | undefined;
  /** Whether the dashboard is built in. */
  hasDashboard?: boolean;
}

/** Clients shown at start; --print-client-config knows more. */
const shownClients = ["opencode", "claude-code", "codex", "gemini"] as const;

export function mcpUrl(config: Config, port: number): string {
  return `http://${urlHost(localAddress(config.mcpHost))}:${port}/mcp`;
}

export function createReport(options: ReportOptions): StartupReport {
  const { config, version, program, mcpPort, linkPort, pagesPort, minecraftPort } = options;
  const url = mcpUrl(config, mcpPort);
  const addresses = reachableAddresses(config.linkHost).map(urlHost);
  const linkUrls = addresses.map((host) => `ws://${host}:${linkPort}`);
  // The report is logged, and tokens never are: --print-client-config fills them in.
  const token = config.mcpTokens.length > 0 ? "YOUR_TOKEN" : undefined;
  return {
    version,
    ...(options.hasDashboard === true ? { dashboardUrl: url.replace(/mcp$/, "") } : {}),
    mcpUrl: url,
    linkUrls,
    ...(pagesPort === undefined
      ? {}
      : { pagesUrl: `ws://${urlHost(localAddress(config.pagesHost))}:${pagesPort}/ws` }),
    ...(config.minecraftTokens.length === 0
      ? {}
      : {
          serverUrls: addresses.map(
            (host) => `ws://${host}:${minecraftPort ?? linkPort}/minecraft`,
          ),
          serverTools: config.minecraftTools,
        }),
    gameCommand: gameCommand(config, linkPort),
    allowCommand: allowCommand(options),
    ...approvalText(options),
    warnings: startupWarnings(config),
    clientConfigs: shownClients.map((client) => ({
      client,
      ...clientConfig(client, { url, token, program }),
    })),
  };
}

/** The line that installs and links a computer, typed on it in the game. */
export function gameCommand(config: Config, linkPort: number): string {
  const [address = "127.0.0.1"] = reachableAddresses(config.linkHost);
  const token = config.linkTokens.length > 0 ? "?token=YOUR_TOKEN" : "";
  return `wget run http://${urlHost(address)}:${linkPort}/install.lua${token}`;
}

/** The line that lets computers reach the bridge, for a shell. */
export function allowCommand({
  config,
  ownCommand,
  linkPort,
}: Pick<ReportOptions, "config" | "ownCommand" | "linkPort">): string {
  const { env, default: usual } = settings.linkPort;
  const port = linkPort === usual ? "" : ` --${flagOf(env)} ${linkPort}`;
  const host =
    config.linkHost === settings.linkHost.default
      ? ""
      : ` --${flagOf(settings.linkHost.env)} ${config.linkHost}`;
  return `${ownCommand} allow${host}${port}`;
}

function approvalText({ config, ownCommand }: ReportOptions): { approval?: string } {
  const { pairing, linkTokens, linkHost } = config;
  if (pairing === "off" || (pairing === "auto" && linkTokens.length > 0)) return {};
  const how = `shows a code and waits until you approve it:
  one click in the dashboard, a yes in the chat, or ${ownCommand} pair CODE`;
  if (pairing === "on") return { approval: `Each new computer ${how}` };
  const here = `Computers that connect to 127.0.0.1 link at once. If those of other people do too (a hosted
  Minecraft server, a TCP tunnel), set CC_PAIRING=on.`;
  return {
    approval: isOpenToNetwork(linkHost)
      ? `A computer from any other address ${how}\n\n  ${here}`
      : here,
  };
}

/** The report for a person at a terminal. */
export function reportText(report: StartupReport): string {
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
${report.approval === undefined ? "" : `\n  ${report.approval}\n`}
Add the bridge to your client:

${configs.join("\n\n")}
${report.warnings.map((warning) => `\nWarning: ${warning}\n`).join("")}
Press Ctrl+C to stop.
`;
}

function indent(text: string, by: number): string {
  return text.replace(/^/gm, " ".repeat(by));
}
