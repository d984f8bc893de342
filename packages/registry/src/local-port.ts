import type { EventWatch } from "@ccbridge/protocol";
import { isProviderChange } from "./changes.js";
import type { Computers } from "./dialects/computercraft/computers.js";
import { isComputer } from "./dialects/computercraft/identity.js";
import type { ComputerLink } from "./dialects/computercraft/link.js";
import { type ComputerSelector, matchesSelector } from "./dialects/computercraft/selector.js";
import type { ServerLink } from "./dialects/minecraft/link.js";
import { Servers } from "./dialects/minecraft/servers.js";
import { isMissing, LinkError, LinkErrorCode } from "./errors.js";
import type { LoggedEvent } from "./events/event-log.js";
import { matchesWatch } from "./events/event-match.js";
import type { ProviderEvents } from "./events/events.js";
import { changeWatches } from "./events/watch-list.js";
import { type Job, waitForJob } from "./jobs/job.js";
import type {
  EventsPort,
  EventsView,
  JobSnapshot,
  JobSummary,
  JobsPort,
  JobWaiting,
  ProviderOffer,
  ProviderPort,
  ProviderView,
  ServersPort,
  ServerView,
} from "./port.js";
import type { Registry } from "./registry.js";
import type { Session } from "./session.js";

export interface LocalPortOptions {
  /** How long after the start a call waits for a computer that is on its way back. @default 0 */
  returnWaitMs?: number;
  /** The Minecraft servers, if any can link. */
  servers?: Servers;
}

/** The port to the providers that are linked to a registry of this process. */
export function createLocalPort(
  computers: Computers,
  { returnWaitMs = 0, servers }: LocalPortOptions = {},
): ProviderPort {
  const { registry } = computers;
  const returning = performance.now() + returnWaitMs;
  return {
    find: async (selector) => viewOf(await findOrAwait(computers, selector, returning), registry),
    list: async () => computers.list().map((link) => viewOf(link, registry)),
    request: async (key, method, params, options) =>
      sessionOf(registry, key).request(method, params, options),
    servers: serversPort(servers ?? new Servers(registry, { ownerOf: () => undefined })),
    jobs: jobsPort(registry),
    events: eventsPort(computers),
    watch: {
      screen: (key, listener) => computers.watches.screen(key, listener),
      file: (key, path, listener) => computers.watches.file(key, path, listener),
    },
    offered: { list: async () => offersOf(computers) },
    changes: {
      subscribe: (listener) =>
        registry.changes.subscribe((change) => {
          if (isProviderChange(change)) {
            const { topic, provider: identity } = change;
            const event = change.topic === "events" ? { event: change.event } : {};
            listener({ topic, identity, ...event });
          }
        }),
    },
  };
}

/** The computer that is meant. In the first seconds after a start it may still be on its way back. */
async function findOrAwait(
  computers: Computers,
  selector: ComputerSelector,
  until: number,
): Promise<ComputerLink> {
  for (;;) {
    try {
      return computers.find(selector);
    } catch (error) {
      const leftMs = until - performance.now();
      if (!isMissing(error) || leftMs <= 0 || computers.registry.isClosed) throw error;
      await nextLink(computers.registry, leftMs);
    }
  }
}

/** Waits until somebody links, for a time. */
function nextLink({ changes }: Registry, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(finish, timeoutMs);
    const stop = changes.subscribe(({ topic }) => {
      if (topic === "linked") finish();
    });
  });
}

function offersOf({ registry }: Computers): ProviderOffer[] {
  const offers: ProviderOffer[] = [];
  for (const [key, offer] of registry.offered.all()) {
    const session = registry.session(key);
    if (session === undefined) continue;
    const { provider } = session;
    const identity = isComputer(provider) ? provider : undefined;
    const { kind, scope } = provider;
    offers.push({ key, kind, name: session.name, identity, scope, ...offer });
  }
  return offers;
}

function sessionOf(registry: Registry, key: string): Session {
  const session = registry.session(key);
  if (session !== undefined) return session;
  throw new LinkError(LinkErrorCode.notLinked, "The computer is not linked any more.");
}

function viewOf(link: ComputerLink, registry: Registry): ProviderView {
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

function serversPort(servers: Servers): ServersPort {
  const view = ({ provider, name, state, linkedAt }: ServerLink): ServerView => ({
    key: provider.key,
    name,
    server: provider,
    state,
    linkedAt,
  });
  return {
    find: async (name) => view(servers.find(name)),
    list: async () => servers.list().map(view),
  };
}

function jobsPort(registry: Registry): JobsPort {
  const { jobs } = registry;
  const snapshotOf = (job: Job | undefined) => (job === undefined ? undefined : snapshot(job));
  return {
    start: async (key, order) => snapshot(jobs.start(sessionOf(registry, key), order)),
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

function waitFor(job: Job, waiting: JobWaiting): Promise<void> {
  const { cursor, progress, timeoutMs, signal } = waiting;
  const known = JSON.stringify(progress ?? undefined);
  const until = () =>
    job.ended ||
    (cursor !== undefined && job.output.end > cursor) ||
    (progress !== undefined && JSON.stringify(job.progress) !== known);
  return waitForJob(job, { until, timeoutMs, signal });
}

function summarize(job: Job): JobSummary {
  const { status, output } = job;
  return {
    id: job.id,
    key: job.owner.key,
    identity: job.provider,
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
    progress: job.progress,
  };
}

function snapshot(job: Job): JobSnapshot {
  return { ...summarize(job), response: job.response, onFailure: job.onFailure };
}

function eventsPort(computers: Computers): EventsPort {
  const { registry } = computers;
  const { events } = registry;
  const get = (key: string): ProviderEvents | undefined => {
    const session = registry.session(key);
    return session === undefined ? events.get(key) : events.of(session);
  };
  const byKey = (key: string) => get(key) ?? events.of(sessionOf(registry, key));
  return {
    async get(key) {
      const found = get(key);
      return found === undefined ? undefined : eventsView(found);
    },
    find: async (selector) => eventsView(findEvents(computers, selector)),
    async read(key, { cursor, limit, watch }) {
      const matches = watch === undefined ? {} : { matches: matcherOf(watch) };
      return byKey(key).log.read({ cursor, limit, ...matches });
    },
    wait: async (key, { watch, ...wait }) =>
      byKey(key).log.wait({ ...wait, matches: matcherOf(watch) }),
    async watch(key, { mode, watches: named }, options) {
      const session = sessionOf(registry, key);
      const provider = events.of(session);
      const before = provider.watches;
      const watches = changeWatches(before, named, mode);
      provider.watches = watches;
      let accepted = false;
      try {
        const response = await session.request("watch-events", { watches }, options);
        accepted = response.ok;
        return response;
      } finally {
        if (!accepted && provider.watches === watches) provider.watches = before;
      }
    },
  };
}

/** Whether one of some watches asks for an event. */
function matcherOf(watch: EventWatch | readonly EventWatch[]): (event: LoggedEvent) => boolean {
  const watches = [watch].flat();
  return (event) => watches.some((one) => matchesWatch(one, event));
}

function eventsView({ provider, linked, watches, log }: ProviderEvents): EventsView {
  return { key: provider.key, identity: provider, linked, watches, first: log.first, end: log.end };
}

function findEvents(computers: Computers, selector: ComputerSelector): ProviderEvents {
  const { events } = computers.registry;
  try {
    return events.of(computers.find(selector));
  } catch (error) {
    if (!isMissing(error)) throw error;
    // The one that went last is the one that is meant.
    const gone = events
      .list()
      .findLast(({ provider, linked }) => !linked && matchesSelector(selector, provider));
    if (gone === undefined) throw error;
    return gone;
  }
}
