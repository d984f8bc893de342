import {
  builtInNames,
  createSubscriptionBudget,
  OfferedCatalog,
  ToolSource,
} from "@ccbridge/mcp-tools";
import type { McpServices } from "./session.js";
import { toolEntry } from "./tool-entry.js";

export interface ServicesOptions extends Omit<McpServices, "source" | "offered" | "subscriptions"> {
  /** How a tool is listed, where its schema is not to be made from its arguments. */
  toEntry?: typeof toolEntry;
}

/** What all MCP sessions of a bridge share. */
export function createServices({ toEntry = toolEntry, ...options }: ServicesOptions): McpServices {
  const { tools, context, providers } = options;
  return {
    subscriptions: createSubscriptionBudget(),
    source: new ToolSource(tools, (tool) => toEntry(tool, context.settings)),
    offered: new OfferedCatalog(
      providers,
      // Names of tools that are switched off stay theirs: a client may know them from elsewhere.
      [...builtInNames, ...tools.map(({ name }) => name)],
      context.settings.kinds,
    ),
    ...options,
  };
}
