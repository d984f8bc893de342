import { readFile } from "node:fs/promises";
import {
  approveComputer,
  instructionsFor,
  type Resource,
  requestCapabilities,
  resources,
  screenApp,
  selectTools,
  type Tool,
} from "@ccbridge/mcp-tools";
import { takesPages } from "../config/listeners.js";
import type { Config } from "../config/settings.js";

export interface Catalogue {
  tools: readonly Tool[];
  resources: readonly Resource[];
  instructions: string;
  hasApps: boolean;
}

/** The tools and resources of this configuration and this build. */
export function createCatalogue(
  config: Config,
  { folders, screenView }: { folders: readonly string[]; screenView: string | undefined },
): Catalogue {
  const tools = [
    ...selectTools(config.tools, {
      servers: config.minecraftTokens.length > 0,
      folders,
      screenView: screenView !== undefined,
    }),
    ...(takesPages(config) ? [requestCapabilities] : []),
    ...(config.pairing === "off" ? [] : [approveComputer]),
  ];
  const hasApps = tools.some(({ view }) => view !== undefined);
  return {
    tools,
    resources:
      hasApps && screenView !== undefined
        ? [...resources, screenApp(() => readFile(screenView, "utf8"))]
        : resources,
    instructions: instructionsFor(tools),
    hasApps,
  };
}
