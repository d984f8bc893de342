import {
  prompts as allPrompts,
  resources as allResources,
  builtInNames,
  createSubscriptionBudget,
  OfferedCatalog,
  pageCaller,
  ToolSource,
} from "@ccbridge/mcp-tools";
import type { McpServices } from "./session.js";
import { toolEntry } from "./tool-entry.js";

export interface ServicesOptions
  extends Omit<McpServices, "source" | "offered" | "subscriptions" | "resources" | "prompts">,
    Partial<Pick<McpServices, "resources" | "prompts">> {
  /** Overrides how a tool is listed. */
  toEntry?: typeof toolEntry;
}

/** What all MCP sessions of a bridge share. */
export function createServices({ toEntry = toolEntry, ...options }: ServicesOptions): McpServices {
  const { tools, context, providers } = options;
  return {
    resources: allResources,
    prompts: allPrompts,
    subscriptions: createSubscriptionBudget(),
    source: new ToolSource(tools, (tool) => toEntry(tool, context.settings)),
    offered: new OfferedCatalog(
      providers,
      // Tools that are switched off keep their names: a client may know them from another bridge.
      builtInNames,
      new Map([["page", pageCaller]]),
    ),
    ...options,
  };
}
