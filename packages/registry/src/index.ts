// The public surface of @ccbridge/registry.
export type { ChangeListener, RegistryChange } from "./changes.js";
export type { Channel, Origin } from "./channel.js";
export {
  type ComputerSelector,
  matchesSelector,
  selectComputer,
  selectorOf,
} from "./dialects/computercraft/selector.js";
export { type CancelOutcome, LinkError, LinkErrorCode, type LinkErrorFacts } from "./errors.js";
export {
  type EventLog,
  type EventPage,
  type EventWait,
  type LoggedEvent,
  waitForEvent,
} from "./events/event-log.js";
export { matchesGlob, matchesWatch, sameWatch } from "./events/event-match.js";
export type { Events, ProviderEvents } from "./events/events.js";
export type { WatchMode } from "./events/watch-list.js";
export { type ComputerIdentity, computerName, type Identity, printable } from "./identity.js";
export { type Job, type JobFailure, type JobWait, waitForJob } from "./jobs/job.js";
export type { Jobs, StartJobOptions } from "./jobs/jobs.js";
export type { JobState, JobStatus, StopReason } from "./jobs/machine.js";
export type { OutputPage } from "./jobs/output-log.js";
export type { Link } from "./link.js";
export { createLocalPort } from "./local-port.js";
export {
  type RegistryLimits,
  type RegistryObserver,
  type RegistryOptions,
  registryDefaults,
} from "./options.js";
export type { RequestOptions } from "./pending-requests.js";
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
  ProviderPort,
  ProviderRequestOptions,
  ProviderView,
} from "./port.js";
export { type ComputerTarget, Registry } from "./registry.js";
