import { readFile } from "node:fs/promises";
import {
  approveComputer,
  instructionsFor,
  type Kinds,
  pageTools,
  screenApp,
  selectTools,
  type Tool,
  type ToolSettings,
} from "@ccbridge/mcp-tools";
import type { History, Pages } from "@ccbridge/registry";
import type { Alerts } from "../alerts/alerts.js";
import { approvalsFor } from "../auth/pairing/open-pairing.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import { anyone, type Client, isOwner } from "../auth/rights/client.js";
import type { KeptResults } from "../calls/kept-results.js";
import type { Permissions } from "../calls/permissions.js";
import { takesPages } from "../config/listeners.js";
import type { Config } from "../config/settings.js";
import { gameCommand } from "../config/shown-commands.js";
import type { ServerPolicies } from "../links/servers.js";
import type { Catalogue, McpServices } from "./handlers/session.js";

export interface CatalogueOptions {
  folders: readonly string[];
  screenView: string | undefined;
  kinds: Kinds;
  /** Those that the bridge was started with, beside the built-in ones. */
  tools: readonly Tool[];
}

export function createCatalogue(
  config: Config,
  { folders, screenView, kinds, tools: added }: CatalogueOptions,
): Catalogue {
  const tools = [
    ...selectTools(config.tools, {
      servers: config.minecraftTokens.length > 0,
      folders,
      screenView: screenView !== undefined,
    }),
    ...(takesPages(config) ? pageTools : []),
    ...(config.pairing === "off" ? [] : [approveComputer]),
    ...added,
  ];
  const hasApps = tools.some(({ view }) => view !== undefined);
  const resources = kinds.all.flatMap((kind) => kind.resources ?? []);
  return {
    tools,
    resources:
      hasApps && screenView !== undefined
        ? [...resources, screenApp(() => readFile(screenView, "utf8"))]
        : resources,
    prompts: kinds.all.flatMap((kind) => kind.prompts ?? []),
    instructions: instructionsFor(tools, kinds.all),
    hasApps,
  };
}

/** The part of the configuration that tools may see: never its tokens. */
export function toolSettings(
  config: Config,
  kinds: Kinds,
  facts: { linkPort(): number; waiting(): number },
): ToolSettings {
  const { probeTimeoutMs, execWaitMs, cancelGraceMs, structured } = config;
  return {
    ...{ probeTimeoutMs, execWaitMs, cancelGraceMs, structured },
    get linkCommand() {
      return gameCommand(config, facts.linkPort());
    },
    waiting: facts.waiting,
    startedAt: Date.now(),
    kinds,
  };
}

export interface ContextSources {
  config: Config;
  pages: Pages;
  pairing: Pairing | undefined;
  permissions: Permissions;
  serverPolicies: ServerPolicies;
  alerts: Pick<Alerts, "of">;
  results: KeptResults;
  history(client: Client): History;
}

/** Who asks, for the person who decides: the program, and its token where there are tokens. */
function namesOf(client: Client): (program: string | undefined) => string {
  return (program) => {
    if (client === anyone) return program ?? "An AI client";
    return program === undefined ? `token ${client.name}` : `${program} (token ${client.name})`;
  };
}

export function clientContexts(sources: ContextSources): McpServices["contextOf"] {
  const { config, pages, pairing, permissions, serverPolicies, alerts, history, results } = sources;
  return ({ client, pageSession }) => ({
    results: results.of(client),
    servers: serverPolicies.of(client),
    ...(takesPages(config) ? { capabilities: pages.desk(pageSession, namesOf(client)) } : {}),
    pairing: approvalsFor(client, pairing),
    alerts: alerts.of(client),
    history: history(client),
    ...(isOwner(client) ? { permissions } : {}),
  });
}
