import { providerTopics } from "./changes.js";
import type { Sees } from "./dialect.js";
import { isMissing } from "./errors.js";
import { checkOpen, dialectOf, linkedSession, nextLink } from "./linked.js";
import { localEvents } from "./local-events.js";
import { localJobs } from "./local-jobs.js";
import type { ProviderOffer, ProviderPort, ProviderSelector, ProviderView } from "./port.js";
import type { Provider } from "./provider.js";
import type { Registry } from "./registry.js";
import type { Session } from "./session.js";

export interface LocalPortOptions {
  /** How long after the start a call waits for a provider that is on its way back. @default 0 */
  returnWaitMs?: number;
}

/** Who looks through a port, as far as it matters for what they see. */
export interface Viewer {
  /** Which providers with a scope they see; see {@link Provider.scope}. */
  readonly scope?: string | undefined;
  /** Which of the others they may know of. All others are not linked, for them. */
  readonly sees?: Sees | undefined;
  /** Whose watches they are; those without a name share theirs. */
  readonly client?: string | undefined;
}

/** The port to the providers of this process, from which narrower ones are made. */
export interface LocalPort extends ProviderPort {
  /** The same port as one viewer sees it: in lists, jobs, events, offered tools and changes alike. */
  seenBy(viewer: Viewer): ProviderPort;
}

/** The port to the providers that are linked to a registry of this process. It sees them all. */
export function createLocalPort(
  registry: Registry,
  { returnWaitMs = 0 }: LocalPortOptions = {},
): LocalPort {
  const returning = performance.now() + returnWaitMs;
  return {
    ...openPort(registry, returning, () => true, ""),
    seenBy: ({ scope, sees = () => true, client = "" }) => {
      const isSeen = (provider: Provider) =>
        (provider.scope === undefined || provider.scope === scope) && sees(provider);
      return { ...openPort(registry, returning, isSeen, client), scope };
    },
  };
}

function openPort(registry: Registry, returning: number, sees: Sees, client: string): ProviderPort {
  const isSeen = ({ provider }: Session) => sees(provider);
  return {
    async find(selector) {
      checkOpen(registry);
      return viewOf(await findOrAwait(registry, selector, sees, returning), registry);
    },
    async list(kind) {
      const sessions = registry.dialects
        .filter((dialect) => kind === undefined || dialect.kind === kind)
        .flatMap((dialect) => dialect.list());
      return sessions.filter(isSeen).map((session) => viewOf(session, registry));
    },
    request: async (key, method, params, options) =>
      linkedSession(registry, key, sees).request(method, params, options),
    jobs: localJobs(registry, sees, returning),
    events: localEvents(registry, sees, client),
    offered: localOffers(registry, sees),
    watch(key, subject, listener) {
      const { provider } = linkedSession(registry, key, sees);
      const dialect = dialectOf(registry, provider.kind);
      if (dialect.watch === undefined) throw new Error(`a ${dialect.kind} shows nothing to follow`);
      return dialect.watch(key, subject, (state) => {
        const session = registry.session(key);
        if (session === undefined || isSeen(session)) listener(state);
      });
    },
    changes: {
      subscribe: (listener, { topics = providerTopics, key } = {}) =>
        registry.changes.subscribe(
          (change) => {
            const { topic, provider: identity } = change;
            if (!sees(identity)) return;
            const event = change.topic === "events" ? { event: change.event } : {};
            listener({ topic, identity, ...event });
          },
          { topics, key },
        ),
    },
  };
}

/** The provider that a ref names. In the first seconds after a start it may still be on its way back. */
async function findOrAwait(
  registry: Registry,
  { kind, ref }: ProviderSelector,
  sees: Sees,
  until: number,
): Promise<Session> {
  for (;;) {
    try {
      return dialectOf(registry, kind).find(ref, sees);
    } catch (error) {
      const leftMs = until - performance.now();
      if (!isMissing(error) || leftMs <= 0 || registry.isClosed) throw error;
      await nextLink(registry, leftMs);
    }
  }
}

function viewOf(session: Session, registry: Registry): ProviderView {
  const { provider: identity, name, state, linkedAt, lastSeenAt } = session;
  const { key } = identity;
  const runningJobs = registry.jobs.running(key);
  const runningRequests = session.runningRequests + runningJobs;
  return { key, name, identity, state, linkedAt, lastSeenAt, runningRequests, runningJobs };
}

function localOffers(registry: Registry, sees: Sees): ProviderPort["offered"] {
  const offerOf = (key: string): ProviderOffer | undefined => {
    const offer = registry.offered.all().get(key);
    const session = registry.session(key);
    if (offer === undefined || session === undefined || !sees(session.provider)) return undefined;
    return { key, name: session.name, identity: session.provider, ...offer };
  };
  return {
    list: async () => [...registry.offered.all().keys()].flatMap((key) => offerOf(key) ?? []),
    get: async (key) => offerOf(key),
  };
}
