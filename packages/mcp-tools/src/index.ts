// The public surface of @ccbridge/mcp-tools.
export {
  defineTool,
  type Tool,
  type ToolAnnotations,
  type ToolContext,
  type ToolImage,
  type ToolOutcome,
  type ToolSettings,
} from "./define-tool.js";
export {
  type HostFile,
  type HostFolder,
  HostFolderError,
  type HostFolders,
  type HostListing,
} from "./host-folders.js";
export { instructions } from "./instructions.js";
export { type Prompt, type PromptArgument, type PromptContext, prompts } from "./prompts.js";
export {
  type Complete,
  type LookContext,
  type Resource,
  type ResourceContent,
  type ResourceEntry,
  ResourceNotFound,
} from "./resources/define-resource.js";
export { findResource, listResources, readResource, resources } from "./resources/index.js";
export { Subscriptions, type SubscriptionsOptions } from "./resources/subscriptions.js";
export { type CallResult, runTool } from "./run-tool.js";
export {
  selectTools,
  slimTools,
  type ToolGroup,
  toolGroupNames,
  toolGroups,
  tools,
} from "./tools/index.js";
