import {
  builtInNames,
  type CatalogOptions,
  createSubscriptionBudget,
  OfferedCatalog,
  ToolSource,
} from "@ccbridge/mcp-tools";
import type { McpServices } from "./session.js";
import { toolEntry } from "./tool-entry.js";

export interface ServicesOptions extends Omit<McpServices, "source" | "offered" | "subscriptions"> {
  toEntry?: typeof toolEntry;
  catalog?: CatalogOptions;
}

export function createServices({
  toEntry = toolEntry,
  catalog,
  ...options
}: ServicesOptions): McpServices {
  const { tools, context, providers } = options;
  return {
    subscriptions: createSubscriptionBudget(),
    source: new ToolSource(tools, (tool) => toEntry(tool, context.settings)),
    offered: new OfferedCatalog(
      providers,
      // Tools that are switched off keep their names: a client may know them from another bridge.
      [...builtInNames, ...tools.map(({ name }) => name)],
      context.settings.kinds,
      catalog,
    ),
    ...options,
  };
}
