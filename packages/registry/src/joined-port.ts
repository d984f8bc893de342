import type { Candidate, ProviderRef } from "./dialect.js";
import { isMissing, LinkError, LinkErrorCode } from "./errors.js";
import { joinedJobs } from "./joined-jobs.js";
import type { EventsPort, ProviderPort, ProviderSelector } from "./port.js";
import type { Registry } from "./registry.js";
import { subscribeAll } from "./subscribe-all.js";
import type { Stop } from "./watchers.js";

export type Select = <T extends Candidate>(
  kind: string,
  ref: ProviderRef | undefined,
  among: readonly T[],
) => T;

export interface JoinedPortOptions {
  /** Chooses among the providers of all ports, and names those of all in its errors. */
  readonly select: Select;
  /** How long after the start a call waits for a provider that may come back. @default 0 */
  readonly returnWaitMs?: number;
}

/** How a registry's dialects choose. */
export function selectBy(registry: Registry): Select {
  return (kind, ref, among) => {
    const dialect = registry.dialect(kind);
    if (dialect?.select !== undefined) return dialect.select(ref, among);
    const [found, second] = among.filter(({ provider }) => dialect?.matches(ref, provider));
    if (found !== undefined && second === undefined) return found;
    const candidates = among.map(({ provider }) => provider);
    const names = candidates.slice(0, 20).map(({ name }) => name);
    const code = found === undefined ? LinkErrorCode.notLinked : LinkErrorCode.ambiguous;
    const text = names.length === 0 ? `No ${kind} is linked.` : `Linked: ${names.join(", ")}.`;
    throw new LinkError(code, text, { candidates });
  };
}

/**
 * Several ports as one. A provider is linked to one of them at a time; while it moves, the first port that has it
 * counts, so the local one comes first.
 */
export function joinedPort(
  ports: readonly [ProviderPort, ...ProviderPort[]],
  { select, returnWaitMs = 0 }: JoinedPortOptions,
): ProviderPort {
  const [local] = ports;
  const returning = performance.now() + returnWaitMs;
  const having = async (key: string): Promise<ProviderPort | undefined> => {
    for (const port of ports) if ((await port.get(key)) !== undefined) return port;
    return undefined;
  };
  const portOf = async (key: string) => (await having(key)) ?? local;
  const list = async (kind?: string) => {
    const views = (await Promise.all(ports.map((port) => port.list(kind)))).flat();
    return [...new Map([...views].reverse().map((view) => [view.key, view])).values()].reverse();
  };
  const find = (selector: ProviderSelector) =>
    findIn(selector, ports, async (without) => {
      const views = await list(selector.kind);
      return select(
        selector.kind,
        selector.ref,
        views.filter(({ key }) => !without.has(key)),
      );
    });
  const unseen = () => ports.map((port) => port.unseen?.()).find((why) => why !== undefined);
  return {
    unseen,
    async find(selector) {
      for (;;) {
        try {
          return await find(selector);
        } catch (error) {
          if (!isMissing(error)) throw error;
          const leftMs = returning - performance.now();
          const why = unseen();
          if (leftMs <= 0) throw why === undefined ? error : withReason(error, why);
          await nextLink(ports, leftMs);
        }
      }
    },
    async get(key) {
      return (await portOf(key)).get(key);
    },
    list,
    request: async (key, method, params, options) =>
      (await portOf(key)).request(key, method, params, options),
    requestAll: (keys, method, patience) =>
      Promise.allSettled(
        keys.map(async (key) => (await portOf(key)).request(key, method, undefined, patience)),
      ),
    jobs: joinedJobs(ports, portOf, having),
    events: joinedEvents(ports, portOf),
    offered: {
      list: async () => (await Promise.all(ports.map(({ offered }) => offered.list()))).flat(),
      get: async (key) => (await portOf(key)).offered.get(key),
    },
    watch: (key, subject, listener) =>
      followed(ports, portOf, key, (port) => port.watch(key, subject, listener)),
    changes: { subscribe: (listener, filter) => subscribeAll(ports, listener, filter) },
  };
}

function withReason({ code, message, candidates, hint }: LinkError, why: string): LinkError {
  const error = new LinkError(code, `${message} ${why}`, { candidates });
  error.hint = hint;
  return error;
}

/** Asks each port first, which is quick; only errors and doubles need the whole list. */
async function findIn<T extends Candidate & { readonly key: string }>(
  selector: ProviderSelector,
  ports: readonly { find(selector: ProviderSelector): Promise<T> }[],
  selectFromAll: (without: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const found = new Map<string, T>();
  let problem: unknown;
  let isAmbiguous = false;
  for (const port of ports) {
    try {
      const view = await port.find(selector);
      if (!found.has(view.key)) found.set(view.key, view);
    } catch (error) {
      if (!isMissing(error)) {
        if (!(error instanceof LinkError) || error.code !== LinkErrorCode.ambiguous) throw error;
        isAmbiguous = true;
      }
      // That it was here until a moment ago says more than that it is unknown.
      const isAway = error instanceof LinkError && error.code === LinkErrorCode.away;
      if (isAway || problem === undefined) problem = error;
    }
  }
  const [only, second] = found.values();
  if (only !== undefined && second === undefined && !isAmbiguous) return only;
  try {
    return await selectFromAll(new Set(selector.without));
  } catch (error) {
    const isAway = problem instanceof LinkError && problem.code === LinkErrorCode.away;
    throw isMissing(error) && isAway ? problem : error;
  }
}

function joinedEvents(
  ports: readonly [ProviderPort, ...ProviderPort[]],
  portOf: (key: string) => Promise<ProviderPort>,
): EventsPort {
  const [local] = ports;
  /** The events of one that left are where it was linked last, as far as that is known. */
  const eventsOf = async (key: string) => {
    const port = await portOf(key);
    if (port !== local || (await local.get(key)) !== undefined) return port.events;
    for (const { events } of ports) if ((await events.get(key)) !== undefined) return events;
    return local.events;
  };
  return {
    async find(selector, client) {
      let problem: unknown;
      const found = [];
      for (const port of ports) {
        try {
          found.push(await port.events.find(selector, client));
        } catch (error) {
          if (!isMissing(error)) throw error;
          problem ??= error;
        }
      }
      const linked = found.filter((each) => each.linked);
      const [only] = linked.length > 0 ? linked : found;
      if (new Set(linked.map(({ key }) => key)).size > 1) {
        throw new LinkError(
          LinkErrorCode.ambiguous,
          `That names ${linked.map(({ provider }) => provider.name).join(" and ")}.`,
          { candidates: linked.map(({ provider }) => provider) },
        );
      }
      if (only === undefined) throw problem;
      return only;
    },
    get: async (key, client) => (await eventsOf(key)).get(key, client),
    read: async (key, options) => (await eventsOf(key)).read(key, options),
    wait: async (key, wait) => (await eventsOf(key)).wait(key, wait),
    watch: async (key, change, options) => (await portOf(key)).events.watch(key, change, options),
    release: (client) => {
      for (const { events } of ports) events.release(client);
    },
  };
}

/** Follows something of a provider on whatever port it is linked to. */
async function followed(
  ports: readonly ProviderPort[],
  portOf: (key: string) => Promise<ProviderPort>,
  key: string,
  start: (port: ProviderPort) => Promise<Stop>,
): Promise<Stop> {
  let port = await portOf(key);
  let stop: Stop = () => {};
  let isOver = false;
  const move = async () => {
    const next = await portOf(key);
    if (isOver || next === port) return;
    port = next;
    stop();
    stop = () => {};
    const started = await start(next).catch(() => () => {});
    if (isOver || port !== next) started();
    else stop = started;
  };
  const unsubscribe = await subscribeAll(ports, () => void move(), { topics: ["linked"], key });
  try {
    stop = await start(port);
  } catch (error) {
    unsubscribe();
    throw error;
  }
  return () => {
    isOver = true;
    unsubscribe();
    stop();
  };
}

function nextLink(ports: readonly ProviderPort[], timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      void stopping.then((stop) => stop());
      resolve();
    };
    const timer = setTimeout(finish, timeoutMs);
    const stopping = subscribeAll(ports, finish, { topics: ["linked"] });
  });
}
