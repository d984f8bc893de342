// The public surface of @ccbridge/mcp-tools.
export { approveComputer } from "./computercraft/core/approve-computer.js";
export {
  type Prompt,
  type PromptArgument,
  type PromptContext,
  prompts,
} from "./computercraft/prompts.js";
export { screenApp } from "./computercraft/resources/screen-app.js";
export { type WholeAnswer, wholeAnswers } from "./computercraft/whole/whole-answers.js";
export { nearestName } from "./format/nearest-name.js";
export {
  builtInNames,
  selectTools,
  slimTools,
  type ToolGroup,
  toolGroupNames,
  toolGroups,
  tools,
} from "./groups.js";
export { instructions, instructionsFor } from "./instructions.js";
export { OfferedCatalog } from "./offered/catalog.js";
export { fold } from "./offered/names.js";
export { pageCaller } from "./pages/call-page-tool.js";
export { requestCapabilities } from "./pages/request-capabilities.js";
export {
  type Complete,
  type FoundResource,
  type LookContext,
  type Resource,
  type ResourceContent,
  type ResourceEntry,
  ResourceNotFound,
} from "./resource/define.js";
export {
  createSubscriptionBudget,
  type SubscriptionBudget,
  Subscriptions,
  type SubscriptionsOptions,
} from "./resource/subscriptions.js";
export {
  findResource,
  followableResource,
  listResources,
  readableResource,
  resourceFacts,
  resources,
} from "./resources.js";
export { annotationsOf, changes, readOnly, type ToolAnnotations } from "./tool/annotations.js";
export {
  type CallableTool,
  callable,
  factsOf,
  type ReadCall,
  type ToolFacts,
} from "./tool/call.js";
export {
  AwaitingAnswers,
  type Chosen,
  type ClientAnswer,
  type ClientLine,
  type ClientMethod,
  type ClientRequest,
  choose,
  type LogLevel,
  personAt,
  reaches,
  type ToolQuestion,
} from "./tool/client-line.js";
export { ClientTools, type ClientToolsOptions, UnknownToolError } from "./tool/client-tools.js";
export {
  type CapabilityDesk,
  type ComputerApprovals,
  defineTool,
  type GrantedPermission,
  type PermissionsAccess,
  type ServerPolicy,
  type Tool,
  type ToolContext,
  type ToolImage,
  type ToolOutcome,
  type ToolSettings,
} from "./tool/define.js";
export { explain, ProtocolError, RpcFailure, ToolError } from "./tool/errors.js";
export {
  type HostFile,
  type HostFolder,
  HostFolderError,
  type HostFolders,
  type HostListing,
} from "./tool/host-folders.js";
export type {
  BrokenEntry,
  OfferedEntry,
  OfferedHandle,
  OfferedListing,
  OfferedTimes,
  OfferedTools,
} from "./tool/offered.js";
export { reportWaiting } from "./tool/progress.js";
export { answer, type CallResult, runTool } from "./tool/run.js";
export { type ObjectSchema, type ToolEntry, ToolSource } from "./tool/source.js";
export { namesTargets, type Target } from "./tool/targets.js";
