import { readFile } from "node:fs/promises";
import {
  approveComputer,
  instructionsFor,
  type Kinds,
  type Prompt,
  pageTools,
  type Resource,
  screenApp,
  selectTools,
  type Tool,
  type ToolSettings,
} from "@ccbridge/mcp-tools";
import type { History, Pages } from "@ccbridge/registry";
import { approvalsFor } from "../auth/pairing/open-pairing.js";
import type { Pairing } from "../auth/pairing/pairing.js";
import { type Client, isOwner } from "../auth/rights/client.js";
import type { Permissions } from "../calls/permissions.js";
import { takesPages } from "../config/listeners.js";
import type { Config } from "../config/settings.js";
import { gameCommand } from "../config/shown-commands.js";
import type { ServerPolicies } from "../links/servers.js";
import type { McpServices } from "./handlers/session.js";
import { KeptResults } from "./kept-results.js";

export interface Catalogue {
  tools: readonly Tool[];
  resources: readonly Resource[];
  prompts: readonly Prompt[];
  instructions: string;
  hasApps: boolean;
}

export function createCatalogue(
  config: Config,
  {
    folders,
    screenView,
    kinds,
    tools: added,
  }: {
    folders: readonly string[];
    screenView: string | undefined;
    kinds: Kinds;
    tools: readonly Tool[];
  },
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
    kinds,
  };
}

export interface GrantSources {
  config: Config;
  pages: Pages;
  pairing: Pairing | undefined;
  permissions: Permissions;
  serverPolicies: ServerPolicies;
  history(client: Client): History;
}

export function grantsFrom(sources: GrantSources): McpServices["grants"] {
  const { config, pages, pairing, permissions, serverPolicies, history } = sources;
  const results = new KeptResults();
  return ({ client, pageSession }) => ({
    results: results.of(client),
    servers: serverPolicies.of(client),
    ...(takesPages(config) ? { capabilities: pages.desk(pageSession) } : {}),
    pairing: approvalsFor(client, pairing),
    history: history(client),
    ...(isOwner(client) ? { permissions } : {}),
  });
}
