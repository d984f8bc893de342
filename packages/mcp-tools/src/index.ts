// The public surface of @ccbridge/mcp-tools.

export { conditionText, createAlert } from "./alerts/create-alert.js";
export {
  type Alert,
  type AlertOrder,
  type AlertProvider,
  type AlertsAccess,
  type Fired,
  linkEvents,
} from "./core/alerts.js";
export {
  acts,
  annotationsOf,
  changes,
  readOnly,
  type ToolAnnotations,
} from "./core/annotations.js";
export {
  type CallableTool,
  callable,
  factsOf,
  type ReadCall,
  reportWaiting,
  type ToolFacts,
  withoutSecrets,
} from "./core/call.js";
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
} from "./core/client-line.js";
export { ClientTools, type ClientToolsOptions, UnknownToolError } from "./core/client-tools.js";
export {
  defineTool,
  type GrantedPermission,
  type PermissionsAccess,
  type Tool,
  type ToolContext,
  type ToolImage,
  type ToolOutcome,
  type ToolSettings,
} from "./core/define.js";
export { explain, ProtocolError, RpcFailure, ToolError } from "./core/errors.js";
export { type Happening, happeningText, meets } from "./core/happening.js";
export {
  defineKind,
  type JobWords,
  type Kind,
  Kinds,
  type SelectorArguments,
  type ShowCall,
} from "./core/kind.js";
export type {
  CapabilityDesk,
  ComputerApprovals,
  KindServices,
  ResultStore,
  ServerPolicy,
} from "./core/kind-services.js";
export {
  type HostFile,
  type HostFolder,
  HostFolderError,
  type HostFolders,
  type HostListing,
} from "./core/kind-services.js";
export type {
  BrokenEntry,
  OfferedEntry,
  OfferedHandle,
  OfferedListing,
  OfferedTimes,
  OfferedToolList,
} from "./core/offered.js";
export type { Prompt, PromptArgument, PromptContext } from "./core/resource.js";
export {
  type Complete,
  type FoundResource,
  type ReadContext,
  type Resource,
  type ResourceContent,
  type ResourceEntry,
  ResourceNotFound,
} from "./core/resource.js";
export { answer, type CallResult, runTool } from "./core/run.js";
export { type ObjectSchema, type ToolEntry, ToolSource } from "./core/source.js";
export { namesTargets, type Target } from "./core/targets.js";
export type { JobChange, KeepingProvider } from "./core/undo.js";
export { nearestName } from "./format/nearest-name.js";
export {
  builtInNames,
  pageTools,
  selectTools,
  slimTools,
  type ToolGroup,
  toolGroupNames,
  toolGroups,
  tools,
} from "./groups.js";
export { whatChanged, whyNotUndone } from "./history/list-changes.js";
export { instructionsFor } from "./instructions.js";
export { approveComputer } from "./kinds/computer/core/approve-computer.js";
export { type GuidePart, guideParts, guideText } from "./kinds/computer/guide.js";
export { screenApp } from "./kinds/computer/resources/computers.js";
export { type WholeAnswer, wholeAnswers } from "./kinds/computer/resources/whole-answers.js";
export { builtInKinds } from "./kinds.js";
export { type CatalogOptions, OfferedCatalog } from "./offers/catalog.js";
export { fold } from "./offers/names.js";
export {
  findResource,
  followableResource,
  listResources,
  readableResource,
  resourceFacts,
  resources,
} from "./resource-list.js";
export {
  createSubscriptionBudget,
  type ReadNews,
  type SubscriptionBudget,
  Subscriptions,
  type SubscriptionsOptions,
} from "./resources/subscriptions.js";
