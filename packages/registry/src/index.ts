// The public surface of @ccbridge/registry.

export { BoundedMap, Budget, type BudgetBounds } from "./budget.js";
export { CallCancellation, type Cancellation } from "./cancellation.js";
export {
  type ChangeFilter,
  Changes,
  type ConnectionChange,
  type ProviderChange,
  type RegistryChange,
} from "./changes.js";
export type { Candidate, Dialect, ProviderRef, Sees, WatchSubject } from "./dialect.js";
export {
  type CancelOutcome,
  isMissing,
  LinkError,
  LinkErrorCode,
  type LinkErrorFacts,
} from "./errors.js";
export type { EventLog, EventPage, EventWait, LoggedEvent } from "./events/event-log.js";
export { matchesGlob, matchesWatch, sameWatch } from "./events/event-log.js";
export type { ClientWatches, EventStore, StoredLog, StoredRange } from "./events/event-store.js";
export type { Events, IncomingEvent, ProviderEvents } from "./events/events.js";
export type { WatchMode } from "./events/watch-list.js";
export { filteredPort, type PortViewer, requestAllowed } from "./filtered-port.js";
export type {
  ChangeCount,
  HistoricCall,
  HistoricEvent,
  HistoricLink,
  History,
  HistoryEntry,
  HistoryFilter,
  HistoryPage,
  HistorySummary,
  LastPlace,
} from "./history.js";
export type { JobsElsewhere } from "./jobs/handed-jobs.js";
export type {
  HandedJob,
  Job,
  JobFailure,
  JobProgress,
  JobsAhead,
  JobWait,
  StartJobOptions,
} from "./jobs/job.js";
export type {
  JobAnswer,
  JobResult,
  JobSession,
  KeptResult,
  MovedItems,
} from "./jobs/job-session.js";
export type { JobState, JobStatus, StopReason } from "./jobs/job-states.js";
export type { JobRecord, JobStore } from "./jobs/job-store.js";
export type { Jobs } from "./jobs/jobs.js";
export type { OutputPage } from "./jobs/output-log.js";
export { type JoinedPortOptions, joinedPort, type Select, selectBy } from "./joined-port.js";
export type { PairingDesk, WaitingComputer } from "./kinds/computer/approval.js";
export { Computers, type ComputersOptions } from "./kinds/computer/computers.js";
export { type Departure, REVOKED } from "./kinds/computer/departed.js";
export type { ComputerLink } from "./kinds/computer/link.js";
export type { Position } from "./kinds/computer/provider.js";
export {
  type ComputerProvider,
  type ComputerView,
  computerName,
  computerRef,
  findComputer,
  isComputer,
  linkedComputers,
  watchFile,
  watchScreen,
} from "./kinds/computer/provider.js";
export {
  type ComputerSelector,
  computerAddress,
  matchesSelector,
  selectComputer,
  selectorOf,
} from "./kinds/computer/selector.js";
export type { WatchedFile, WatchedScreen } from "./kinds/computer/watches.js";
export type { PageLink } from "./kinds/page/link.js";
export {
  type PageRequest,
  Pages,
  type PagesLimits,
  type PagesOptions,
  pagesDefaults,
} from "./kinds/page/pages.js";
export {
  isPage,
  PAGE,
  type PageOpening,
  type PageProvider,
  scopeOf,
} from "./kinds/page/provider.js";
export { PageStreams } from "./kinds/page/streams.js";
export type { BackendSession, ServerBackend } from "./kinds/server/backend.js";
export type { ServerLink, ServerOrigin } from "./kinds/server/link.js";
export {
  findServer,
  isServer,
  linkedServers,
  MINECRAFT,
  type ServerProvider,
  type ServerView,
  serverKey,
  serverRef,
} from "./kinds/server/provider.js";
export {
  type Forwarded,
  Servers,
  type ServersOptions,
  type ServerTraffic,
} from "./kinds/server/servers.js";
export { type RegistryLimits, registryDefaults } from "./limits.js";
export { createLocalPort } from "./local-port.js";
export type { BrokenTool, Offer, OfferedTool, OfferedTools } from "./offers.js";
export { pause } from "./pause.js";
export type {
  Answers,
  BegunJob,
  EventsPort,
  EventsView,
  JobOrder,
  JobReading,
  JobRun,
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
} from "./port.js";
export type { Answer, Outgoing } from "./provider.js";
export { type Provider, ProviderFeature } from "./provider.js";
export { type Joining, type LinkedElsewhere, Registry, type Stores } from "./registry.js";
export type { RequestOptions } from "./requests.js";
export { attempt, createId, numberedIds } from "./requests.js";
export type { Channel, Origin } from "./session.js";
export { ProviderSession, type SessionHost } from "./session.js";
export { cleanJson, cleanText, cutLength, inline, printable, quoted, toJson } from "./text.js";
export { type ChangeStore, MemoryChangeStore, VERSIONS_OF_ONE } from "./undo/change-store.js";
export type {
  ChangeLog,
  KeptChange,
  KeptChangeFilter,
  KeptChangePage,
  KeptState,
  NewChange,
  OpenChange,
} from "./undo/kept-change.js";
export {
  poll,
  type StartWatching,
  type Stop,
  stopOnceStarted,
  TooManyWatchersError,
  Watchers,
} from "./watchers.js";
