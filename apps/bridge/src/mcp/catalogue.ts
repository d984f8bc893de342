import { readFile } from "node:fs/promises";
import {
  approveComputer,
  instructionsFor,
  type Kinds,
  type Prompt,
  type Resource,
  requestCapabilities,
  screenApp,
  selectTools,
  type Tool,
} from "@ccbridge/mcp-tools";
import { takesPages } from "../config/listeners.js";
import type { Config } from "../config/settings.js";

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
    ...(takesPages(config) ? [requestCapabilities] : []),
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
