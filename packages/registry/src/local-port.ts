import type { ComputerSelector } from "./dialects/computercraft/selector.js";
import { matchesSelector, selectComputer } from "./dialects/computercraft/selector.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import { type LoggedEvent, waitForEvent } from "./events/event-log.js";
import { matchesWatch } from "./events/event-match.js";
import type { ProviderEvents } from "./events/events.js";
import { changeWatches } from "./events/watch-list.js";
import { type Job, waitForJob } from "./jobs/job.js";
import type { Link } from "./link.js";
import type {
  EventsPort,
  EventsView,
  JobSnapshot,
  JobSummary,
  JobsPort,
  JobWaiting,
  ProviderPort,
  ProviderView,
} from "./port.js";
import type { Registry } from "./registry.js";

/** The port to the providers that are linked to a registry of this process. */
export function createLocalPort(registry: Registry): ProviderPort {
  const { changes } = registry;
  return {
    find: async (selector) => viewOf(selectComputer(selector, registry.computers()), registry),
    list: async () => registry.computers().map((link) => viewOf(link, registry)),
    request: async (key, method, params, options) =>
      linkOf(registry, key).request(method, params, options),
    jobs: jobsPort(registry),
    events: eventsPort(registry),
    changes: { subscribe: (listener) => changes.subscribe(listener) },
  };
}

function linkOf(registry: Registry, key: string): Link {
  const link = registry.link(key);
  if (link !== undefined) return link;
  throw new LinkError(LinkErrorCode.notLinked, "The computer is not linked any more.");
}

function viewOf(link: Link, registry: Registry): ProviderView {
  const { identity } = link;
  const runningJobs = registry.jobs.running(identity.key);
  return {
    key: identity.key,
    name: link.name,
    identity,
    state: link.state,
    linkedAt: link.linkedAt,
    lastSeenAt: link.lastSeenAt,
    runningRequests: link.runningRequests + runningJobs,
    runningJobs,
  };
}

function jobsPort(registry: Registry): JobsPort {
  const { jobs } = registry;
  const snapshotOf = (job: Job | undefined) => (job === undefined ? undefined : snapshot(job));
  return {
    start: async (key, order) => snapshot(jobs.start(linkOf(registry, key), order)),
    get: async (id) => snapshotOf(jobs.get(id)),
    list: async () => jobs.list().map(summarize),
    async stop(id) {
      const job = jobs.get(id);
      if (job !== undefined) jobs.stop(job, "cancelled");
      return snapshotOf(job);
    },
    async wait(id, waiting) {
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      await waitFor(job, waiting);
      return snapshot(job);
    },
    async read(id, { cursor, maxLength }, waiting) {
      const job = jobs.get(id);
      if (job === undefined) return undefined;
      if (waiting !== undefined) await waitFor(job, waiting);
      return { job: snapshot(job), output: job.output.read(cursor, maxLength) };
    },
  };
}

function waitFor(job: Job, { cursor, timeoutMs, signal }: JobWaiting): Promise<void> {
  const until = () => job.ended || (cursor !== undefined && job.output.end > cursor);
  return waitForJob(job, { until, timeoutMs, signal });
}

function summarize(job: Job): JobSummary {
  const { status, output } = job;
  return {
    id: job.id,
    key: job.identity.key,
    identity: job.identity,
    method: job.method,
    summary: job.summary,
    adopted: job.adopted,
    state: status.state,
    ended: job.ended,
    linked: status.linked,
    stopping: status.stopping,
    createdAt: job.createdAt,
    startedAt: job.startedAt,
    endedAt: job.endedAt,
    outputStart: output.dropped,
    outputEnd: output.end,
    abilities: job.abilities,
    note: job.note,
  };
}

function snapshot(job: Job): JobSnapshot {
  return { ...summarize(job), response: job.response, onFailure: job.onFailure };
}

function eventsPort(registry: Registry): EventsPort {
  const { events } = registry;
  const get = (key: string): ProviderEvents | undefined => {
    const link = registry.link(key);
    return link === undefined
      ? events.list().find(({ identity }) => identity.key === key)
      : events.of(link);
  };
  const byKey = (key: string) => get(key) ?? events.of(linkOf(registry, key));
  return {
    async get(key) {
      const found = get(key);
      return found === undefined ? undefined : eventsView(found);
    },
    find: async (selector) => eventsView(findEvents(registry, selector)),
    async read(key, { cursor, limit, watch }) {
      const matches =
        watch === undefined ? {} : { matches: (event: LoggedEvent) => matchesWatch(watch, event) };
      return byKey(key).log.read({ cursor, limit, ...matches });
    },
    wait: async (key, { watch, ...wait }) =>
      waitForEvent(byKey(key).log, { ...wait, matches: (event) => matchesWatch(watch, event) }),
    async watch(key, { mode, watches: named }, options) {
      const link = linkOf(registry, key);
      const provider = events.of(link);
      const before = provider.watches;
      const watches = changeWatches(before, named, mode);
      provider.watches = watches;
      let accepted = false;
      try {
        const response = await link.request("watch-events", { watches }, options);
        accepted = response.ok;
        return response;
      } finally {
        if (!accepted && provider.watches === watches) provider.watches = before;
      }
    },
  };
}

function eventsView({ identity, linked, watches, log }: ProviderEvents): EventsView {
  return { key: identity.key, identity, linked, watches, first: log.first, end: log.end };
}

function findEvents(registry: Registry, selector: ComputerSelector): ProviderEvents {
  try {
    return registry.events.of(selectComputer(selector, registry.computers()));
  } catch (error) {
    if (!(error instanceof LinkError) || error.code !== LinkErrorCode.notLinked) throw error;
    // The one that went last is the one that is meant.
    const gone = registry.events
      .list()
      .findLast(({ identity, linked }) => !linked && matchesSelector(selector, identity));
    if (gone === undefined) throw error;
    return gone;
  }
}
