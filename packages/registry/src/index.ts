// The public surface of @ccbridge/registry.

export type { Answer, Outgoing } from "./answer.js";
export { BoundedMap } from "./bounded-map.js";
export { Budget, type BudgetBounds } from "./budget.js";
export type { ChangeFilter, ConnectionChange, ProviderChange, RegistryChange } from "./changes.js";
export type { Channel, Origin } from "./channel.js";
export type { Dialect, ProviderRef, Sees, WatchSubject } from "./dialect.js";
export { isPage, type PageIdentity, type PageOpening, scopeOf } from "./dialects/btcp/identity.js";
export type { PageLink } from "./dialects/btcp/link.js";
export {
  Pages,
  type PagesLimits,
  type PagesOptions,
  pagesDefaults,
} from "./dialects/btcp/pages.js";
export { PageStreams } from "./dialects/btcp/streams.js";
export type { PairingDesk, WaitingComputer } from "./dialects/computercraft/approval.js";
export { Computers, type ComputersOptions } from "./dialects/computercraft/computers.js";
export {
  type ComputerIdentity,
  computerName,
  isComputer,
} from "./dialects/computercraft/identity.js";
export type { ComputerLink } from "./dialects/computercraft/link.js";
export type { Position } from "./dialects/computercraft/said-place.js";
export {
  type ComputerSelector,
  computerAddress,
  matchesSelector,
  selectComputer,
  selectorOf,
} from "./dialects/computercraft/selector.js";
export {
  type ComputerView,
  computerRef,
  findComputer,
  linkedComputers,
  watchFile,
  watchScreen,
} from "./dialects/computercraft/view.js";
export type { WatchedFile, WatchedScreen } from "./dialects/computercraft/watches.js";
export type { ServerLink, ServerOrigin } from "./dialects/minecraft/link.js";
export { isServer, type MinecraftServer, serverKey } from "./dialects/minecraft/server.js";
export { type Forwarded, Servers, type ServersOptions } from "./dialects/minecraft/servers.js";
export {
  findServer,
  linkedServers,
  type ServerView,
  serverRef,
} from "./dialects/minecraft/view.js";
export {
  type CancelOutcome,
  isMissing,
  LinkError,
  LinkErrorCode,
  type LinkErrorFacts,
} from "./errors.js";
export type { EventLog, EventPage, EventWait, LoggedEvent } from "./events/event-log.js";
export { matchesGlob, matchesWatch, sameWatch } from "./events/event-match.js";
export type { Events, IncomingEvent, ProviderEvents } from "./events/events.js";
export type { WatchMode } from "./events/watch-list.js";
export type { Job, JobFailure, JobProgress, JobWait, StartJobOptions } from "./jobs/job.js";
export type { JobAnswer, JobResult, JobSession, KeptResult } from "./jobs/job-session.js";
export type { Jobs } from "./jobs/jobs.js";
export type { JobState, JobStatus, StopReason } from "./jobs/machine.js";
export type { OutputPage } from "./jobs/output-log.js";
export type { BrokenTool, Offer, OfferedTool, OfferedTools } from "./offered-tools.js";
export { type RegistryLimits, registryDefaults } from "./options.js";
export { createLocalPort, type LocalPort, type Viewer } from "./port/local-port.js";
export type {
  EventsPort,
  EventsView,
  JobOrder,
  JobReading,
  JobSnapshot,
  JobSummary,
  JobsPort,
  JobWaiting,
  OutputRange,
  Patience,
  PortChange,
  ProviderOffer,
  ProviderPort,
  ProviderRequestOptions,
  ProviderSelector,
  ProviderView,
} from "./port/port.js";
export { type Provider, ProviderFeature } from "./provider.js";
export { type Joining, Registry } from "./registry.js";
export type { RequestOptions } from "./requests/pending-requests.js";
export { Session, type SessionHost } from "./session.js";
export { inline, quoted, toJson } from "./set-apart.js";
export { cleanJson, cleanText, cutLength, printable, visible } from "./text.js";
export { poll, type StartWatching, type Stop, TooManyWatchersError, Watchers } from "./watchers.js";
