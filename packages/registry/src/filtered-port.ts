import type { Sees } from "./dialect.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import { notLinkedError } from "./linked.js";
import type { Answers, EventsPort, JobsPort, ProviderPort, ProviderSelector } from "./port.js";
import type { Provider } from "./provider.js";

export interface PortViewer {
  /** Which providers with a scope it sees; see {@link Provider.scope}. */
  readonly scope?: string | undefined;
  /** Which other providers it sees. @default all */
  readonly sees?: Sees | undefined;
  /** Whose watches of events are meant; clients without a name share theirs. */
  readonly client?: string | undefined;
}

/** A port on which providers that the viewer does not see are not linked. No error depends on them. */
export function filteredPort(
  port: ProviderPort,
  { scope, sees: allows = () => true, client }: PortViewer,
): ProviderPort {
  const sees: Sees = (provider) =>
    (provider.scope === undefined || provider.scope === scope) && allows(provider);
  const check = (view: About | undefined) => {
    if (view !== undefined && !sees(view.provider)) throw notLinkedError();
  };
  return {
    scope,
    sees,
    unseen: () => port.unseen?.(),
    find: (selector) => findSeen(selector, sees, (narrowed) => port.find(narrowed)),
    get: async (key) => onlySeen(await port.get(key), sees),
    list: async (kind) => (await port.list(kind)).filter(({ provider }) => sees(provider)),
    // Awaited before it is returned: a promise that is returned as it is costs three more turns.
    async request(key, method, params, options) {
      check(await port.get(key));
      return await port.request(key, method, params, options);
    },
    async requestAll(keys, method, patience) {
      const hidden = new Set<string>();
      for (const { key, provider } of await port.list()) if (!sees(provider)) hidden.add(key);
      const refusal = (key: string) => (hidden.has(key) ? notLinkedError() : undefined);
      return requestAllowed(keys, refusal, (seen) => port.requestAll(seen, method, patience));
    },
    jobs: filteredJobs(port, sees, check),
    events: filteredEvents(port.events, sees, client),
    offered: {
      list: async () => (await port.offered.list()).filter(({ provider }) => sees(provider)),
      get: async (key) => onlySeen(await port.offered.get(key), sees),
    },
    async watch(key, subject, listener) {
      let isSeen = true;
      // A provider may link again with another name or world.
      const unsubscribe = await port.changes.subscribe(
        ({ provider }) => {
          if (provider.key === key) isSeen = sees(provider);
        },
        { topics: ["linked"], key },
      );
      try {
        check(await port.get(key));
        const stop = await port.watch(key, subject, (state) => isSeen && listener(state));
        return () => {
          unsubscribe();
          stop();
        };
      } catch (error) {
        unsubscribe();
        throw error;
      }
    },
    changes: {
      subscribe: (listener, filter) =>
        port.changes.subscribe((change) => sees(change.provider) && listener(change), filter),
    },
  };
}

function filteredJobs(
  { jobs, ...port }: Pick<ProviderPort, "jobs" | "get">,
  sees: Sees,
  check: (view: About | undefined) => void,
): JobsPort {
  const get = async (id: string) => onlySeen(await jobs.get(id), sees);
  return {
    async run(key, order, range, run) {
      check(await port.get(key));
      const reading = await jobs.run(key, order, range, run);
      if (sees(reading.job.provider)) return reading;
      throw new LinkError(LinkErrorCode.disconnected, "It is no longer linked. It may have run.");
    },
    get,
    list: async () => (await jobs.list()).filter(({ provider }) => sees(provider)),
    stop: async (id) => (await get(id)) && jobs.stop(id),
    wait: async (id, waiting) => (await get(id)) && onlySeen(await jobs.wait(id, waiting), sees),
    async read(id, range, waiting) {
      if ((await get(id)) === undefined) return undefined;
      const reading = await jobs.read(id, range, waiting);
      return onlySeen(reading?.job, sees) && reading;
    },
  };
}

function filteredEvents(events: EventsPort, sees: Sees, viewer: string | undefined): EventsPort {
  const check = async (key: string) => {
    const view = await events.get(key);
    if (view !== undefined && !sees(view.provider)) throw notLinkedError();
  };
  return {
    find: (selector, client = viewer) =>
      findSeen(selector, sees, (narrowed) => events.find(narrowed, client)),
    get: async (key, client = viewer) => onlySeen(await events.get(key, client), sees),
    async read(key, options) {
      await check(key);
      return events.read(key, options);
    },
    async wait(key, wait) {
      await check(key);
      return events.wait(key, wait);
    },
    async watch(key, change, options) {
      await check(key);
      return events.watch(key, { client: viewer, ...change }, options);
    },
    release: (client = viewer) => events.release(client),
  };
}

/** Asks those for which there is no refusal; the answers are in the order of the keys. */
export async function requestAllowed(
  keys: readonly string[],
  refusal: (key: string) => Error | undefined,
  request: (keys: readonly string[]) => Promise<Answers>,
): Promise<Answers> {
  const refusals = keys.map(refusal);
  if (refusals.every((reason) => reason === undefined)) return request(keys);
  const answers = await request(keys.filter((_, index) => refusals[index] === undefined));
  let next = 0;
  return refusals.flatMap((reason) =>
    reason === undefined ? (answers[next++] ?? []) : { status: "rejected", reason },
  );
}

interface About {
  readonly provider: Provider;
}

function onlySeen<T extends About>(found: T | undefined, sees: Sees): T | undefined {
  return found !== undefined && sees(found.provider) ? found : undefined;
}

/** Searches again without the hidden providers that were found or on which an error depends. */
async function findSeen<T extends About & { readonly key: string }>(
  selector: ProviderSelector,
  sees: Sees,
  find: (selector: ProviderSelector) => Promise<T>,
): Promise<T> {
  let narrowed = selector;
  for (;;) {
    let hidden: readonly { readonly key: string }[];
    try {
      const found = await find(narrowed);
      if (sees(found.provider)) return found;
      hidden = [found];
    } catch (error) {
      if (!(error instanceof LinkError)) throw error;
      hidden = error.candidates.filter((provider) => !sees(provider));
      if (hidden.length === 0) throw error;
    }
    const without = [...(narrowed.without ?? []), ...hidden.map(({ key }) => key)];
    narrowed = { ...narrowed, without };
  }
}
