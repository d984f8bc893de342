import { providerTopics } from "./changes.js";
import { isMissing } from "./errors.js";
import { candidatesOf, checkOpen, dialectOf, linkedSession, nextLink } from "./linked.js";
import { localEvents } from "./local-events.js";
import { localJobs } from "./local-jobs.js";
import type { ProviderOffer, ProviderPort, ProviderView } from "./port.js";
import type { Registry } from "./registry.js";
import { attempt } from "./requests.js";
import type { ProviderSession } from "./session.js";

export interface LocalPortOptions {
  /** How long after the start a call waits for a provider that may come back. @default 0 */
  returnWaitMs?: number;
}

export function createLocalPort(
  registry: Registry,
  { returnWaitMs = 0 }: LocalPortOptions = {},
): ProviderPort {
  const returning = performance.now() + returnWaitMs;
  return {
    async find(selector) {
      checkOpen(registry);
      const counts = candidatesOf(selector);
      for (;;) {
        try {
          return viewOf(dialectOf(registry, selector.kind).find(selector.ref, counts), registry);
        } catch (error) {
          const leftMs = returning - performance.now();
          if (!isMissing(error) || leftMs <= 0 || registry.isClosed) throw error;
          await nextLink(registry, leftMs);
        }
      }
    },
    async get(key) {
      const session = registry.session(key);
      return session && viewOf(session, registry);
    },
    async list(kind) {
      const sessions = registry.dialects
        .filter((dialect) => kind === undefined || dialect.kind === kind)
        .flatMap((dialect) => dialect.list());
      return sessions.map((session) => viewOf(session, registry));
    },
    request: (key, method, params, options) =>
      attempt(() => linkedSession(registry, key).request(method, params, options)),
    requestAll(keys, method, patience) {
      const broadcast = { id: registry.host.nextId(), written: new Map() };
      const options = { ...patience, broadcast };
      return Promise.allSettled(
        keys.map((key) =>
          attempt(() => linkedSession(registry, key).request(method, undefined, options)),
        ),
      );
    },
    jobs: localJobs(registry, returning),
    events: localEvents(registry),
    offered: localOffers(registry),
    async watch(key, subject, listener) {
      const dialect = dialectOf(registry, linkedSession(registry, key).provider.kind);
      if (dialect.watch === undefined) throw new Error(`a ${dialect.kind} shows nothing to follow`);
      return dialect.watch(key, subject, listener);
    },
    changes: {
      subscribe: async (listener, { topics = providerTopics, key } = {}) =>
        registry.changes.subscribe(
          (change) => {
            const { topic, provider } = change;
            const event = change.topic === "events" ? { event: change.event } : {};
            listener({ topic, provider, ...event });
          },
          { topics, key },
        ),
    },
  };
}

function viewOf(session: ProviderSession, registry: Registry): ProviderView {
  const { provider, name, state, linkedAt, lastSeenAt, pausedSince } = session;
  const { key } = provider;
  const runningJobs = registry.jobs.running(key);
  const runningRequests = session.runningRequests + runningJobs;
  return {
    key,
    name,
    provider,
    state,
    linkedAt,
    lastSeenAt,
    pausedSince,
    runningRequests,
    runningJobs,
  };
}

function localOffers(registry: Registry): ProviderPort["offered"] {
  const offerOf = (key: string): ProviderOffer | undefined => {
    const offer = registry.offered.all().get(key);
    const session = registry.session(key);
    if (offer === undefined || session === undefined) return undefined;
    return { key, name: session.name, provider: session.provider, ...offer };
  };
  return {
    list: async () => [...registry.offered.all().keys()].flatMap((key) => offerOf(key) ?? []),
    get: async (key) => offerOf(key),
  };
}
