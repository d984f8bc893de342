import {
  type BegunJob,
  BoundedMap,
  type ChangeFilter,
  type Dialect,
  type JobReading,
  type JobsPort,
  LinkError,
  LinkErrorCode,
  type PortChange,
  type Provider,
  type ProviderOffer,
  type ProviderPort,
  type ProviderSelector,
  type ProviderView,
  type Select,
  type Stop,
  type WatchSubject,
} from "@ccbridge/registry";
import { type Ask, type Asking, eachBridge, LIST_MS, NOWHERE, quick, soon } from "./ask-bridges.js";
import { CallError, type CallOptions, CallProblem } from "./caller.js";
import type { Directory, Listed } from "./directory.js";
import type { Progress } from "./progress.js";
import { remoteEvents } from "./remote-events.js";

const RETRY_MS = 1_000;
const MAX_HOMES = 4_096;

/** Where a job was begun. */
interface Home {
  readonly bridge: string;
  readonly key: string;
  readonly provider: Provider;
}

interface Listening {
  listener(state: unknown): void;
  /** It is no longer followed there. */
  ended(): void;
}

export interface RemotePortOptions extends Asking {
  readonly select: Select;
  readonly progress: Progress;
  dialect(kind: string): Pick<Dialect, "addressOf" | "matches"> | undefined;
  nameOf(bridge: string): string;
  /** Why there is no connection to other bridges now. */
  trouble(): string | undefined;
  /** Follows something on the bridge that has it. */
  follow(entry: Listed, subject: WatchSubject, listening: Listening): Promise<Stop>;
  subscribe(
    listener: (change: PortChange) => void,
    filter: ChangeFilter<PortChange["topic"]> | undefined,
  ): Stop;
}

/** The port of the providers that are linked to other bridges. */
export function remotePort(options: RemotePortOptions): ProviderPort {
  const { directory, select } = options;
  const ask = async <T>(entry: Listed, op: string, args: object, patience: CallOptions) => {
    const { provider, epoch, bridge } = entry;
    try {
      const owned = { key: provider.key, epoch, ...args };
      return (await options.call(bridge, op, owned, patience)) as T;
    } catch (error) {
      throw error instanceof CallError ? explained(error, options, provider) : error;
    }
  };
  const linked = (key: string): Listed => {
    const entry = directory.get(key);
    if (entry !== undefined) return entry;
    throw new LinkError(LinkErrorCode.notLinked, NOWHERE);
  };
  const candidates = ({ kind, ref, without = [] }: ProviderSelector): Listed[] => {
    const dialect = options.dialect(kind);
    const address = ref === undefined ? undefined : dialect?.addressOf?.(ref);
    const entries = address === undefined ? directory.list(kind) : directory.at(address);
    const hidden = new Set(without);
    return [...entries].filter(
      ({ provider }) => !hidden.has(provider.key) && dialect?.matches(ref, provider) !== false,
    );
  };
  const request: ProviderPort["request"] = async (key, method, params, patience) => {
    const { timeoutMs, signal, cancelGraceMs, trace, onProgress } = patience;
    return options.progress.during(onProgress, (progress) => {
      const sent = { timeoutMs, cancelGraceMs, trace, progress };
      const args = { method, params, options: sent };
      return ask(linked(key), "request", args, { timeoutMs, signal });
    });
  };
  return {
    unseen() {
      const trouble = options.trouble();
      return trouble === undefined
        ? undefined
        : `This bridge has no connection to the others (${trouble}): what is linked to them is missing.`;
    },
    async find(selector) {
      const [only, second] = candidates(selector);
      if (only !== undefined && second === undefined) return viewOf(only, options);
      const hidden = new Set(selector.without);
      const all = [...directory.list(selector.kind)].filter(
        ({ provider }) => !hidden.has(provider.key),
      );
      return viewOf(select(selector.kind, selector.ref, all), options);
    },
    async get(key) {
      const entry = directory.get(key);
      return entry && viewOf(entry, options);
    },
    async list(kind) {
      const fresh = new Map<string, ProviderView>();
      const answers = await eachBridge(options, "list", { kind }, LIST_MS);
      for (const view of answers.flat() as ProviderView[]) fresh.set(view.key, view);
      return [...directory.list(kind)].map((entry) => {
        return { ...viewOf(entry, options), ...fresh.get(entry.provider.key) };
      });
    },
    request,
    requestAll: (keys, method, patience) =>
      Promise.allSettled(keys.map((key) => request(key, method, undefined, patience))),
    jobs: remoteJobs(options, ask, linked),
    events: remoteEvents(options, ask, linked),
    offered: remoteOffers(directory, ask),
    watch: (key, subject, listener) =>
      followed(options, linked(key), (entry, ended) =>
        options.follow(entry, subject, { listener, ended }),
      ),
    changes: { subscribe: async (listener, filter) => options.subscribe(listener, filter) },
  };
}

/** Follows something on whatever bridge has it: also after it moved, or was lost with a connection. */
async function followed(
  { directory, subscribe }: RemotePortOptions,
  first: Listed,
  start: (entry: Listed, ended: () => void) => Promise<Stop>,
): Promise<Stop> {
  const { key } = first.provider;
  let isOver = false;
  let turn = 0;
  let stop: Stop = () => {};
  const begin = async (entry: Listed) => {
    turn += 1;
    const mine = turn;
    stop();
    stop = () => {};
    const started = await start(entry, () => void (mine === turn && again()));
    if (isOver || mine !== turn) started();
    else stop = started;
  };
  const again = async (): Promise<void> => {
    const entry = directory.get(key);
    if (isOver || entry === undefined) return;
    await begin(entry).catch(() => {
      const failed = turn;
      setTimeout(() => void (failed === turn && again()), RETRY_MS).unref?.();
    });
  };
  const unsubscribe = subscribe(() => void again(), { topics: ["linked"], key });
  try {
    await begin(first);
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

function remoteJobs(
  options: RemotePortOptions,
  ask: Ask,
  linked: (key: string) => Listed,
): JobsPort {
  const { directory } = options;
  type Snapshot = Awaited<ReturnType<JobsPort["get"]>>;
  /** Where jobs are that were begun through this bridge, so that the others need not be asked. */
  const homes = new BoundedMap<string, Home>(MAX_HOMES);
  const homeOf = (id: string) => {
    const home = homes.get(id);
    return home && directory.get(home.key)?.bridge === home.bridge ? home : undefined;
  };
  /** A job is asked for wherever it may be; the bridge that has its provider knows most of it. */
  const locate = async (id: string): Promise<[bridge: string, Snapshot] | undefined> => {
    let found: [string, Snapshot] | undefined;
    const ask = async (bridge: string) => {
      const job = (await soon(
        options.call(bridge, "jobs.get", { id }, { timeoutMs: LIST_MS }),
        LIST_MS,
      )) as Snapshot;
      if (job === undefined) return;
      const isOwner = directory.get(job.key)?.bridge === bridge;
      if (found === undefined || isOwner || (job.ended && job.response)) found = [bridge, job];
    };
    await Promise.all(directory.others().map(ask));
    return found;
  };
  const get = async (id: string): Promise<Snapshot> => {
    const home = homeOf(id);
    const asked = home && options.call(home.bridge, "jobs.get", { id }, { timeoutMs: LIST_MS });
    const job = asked && ((await soon(asked, LIST_MS)) as Snapshot);
    return job ?? (await locate(id))?.[1];
  };
  const askHolder = async <T>(id: string, op: string, args: object, patience: CallOptions) => {
    const askAt = async (bridge: string, { provider }: Pick<Home, "provider">) => {
      try {
        return (await options.call(bridge, op, { id, ...args }, patience)) as T | undefined;
      } catch (error) {
        throw error instanceof CallError ? explained(error, options, provider) : error;
      }
    };
    const home = homeOf(id);
    const answer = home && (await askAt(home.bridge, home));
    if (answer !== undefined) return answer;
    const [bridge, job] = (await locate(id)) ?? [];
    return bridge === undefined || job === undefined ? undefined : askAt(bridge, job);
  };
  return {
    async run(key, order, range, { begun, timeoutMs, signal }) {
      const entry = linked(key);
      const { bridge } = entry;
      const begin = {
        ...quick,
        begun(value: unknown) {
          const job = value as BegunJob;
          homes.set(job.id, { bridge, key, provider: job.provider });
          begun?.(job);
        },
      };
      const patience = { timeoutMs, signal, begin };
      const args = { order, range, timeoutMs };
      const reading = await ask<JobReading>(entry, "jobs.run", args, patience);
      homes.set(reading.job.id, { bridge, key, provider: reading.job.provider });
      return reading;
    },
    get,
    list: async () =>
      (await eachBridge(options, "jobs.list", {}, LIST_MS)).flat() as Awaited<
        ReturnType<JobsPort["list"]>
      >,
    stop: (id) => askHolder(id, "jobs.stop", {}, quick),
    wait: (id, { signal, ...waiting }) =>
      askHolder(id, "jobs.wait", { waiting }, { timeoutMs: waiting.timeoutMs, signal }),
    read(id, range, { signal, ...waiting } = { timeoutMs: 0 }) {
      const patience = { timeoutMs: waiting.timeoutMs, signal };
      return askHolder(id, "jobs.read", { range, waiting }, patience);
    },
  };
}

/** Offers are long and seldom change: each is fetched once, and stays the same object until it changes. */
function remoteOffers(directory: Directory, ask: Ask): ProviderPort["offered"] {
  const kept = new Map<string, { of: string; offer: Promise<ProviderOffer | undefined> }>();
  const get = (entry: Listed): Promise<ProviderOffer | undefined> => {
    const { provider, epoch, offer } = entry;
    const of = `${epoch.made} ${epoch.revision} ${offer}`;
    const known = kept.get(provider.key);
    if (known?.of === of) return known.offer;
    const fetched = ask<ProviderOffer | undefined>(entry, "offered.get", {}, quick);
    const fetching = fetched.catch(() => {
      kept.delete(provider.key);
      return undefined;
    });
    kept.set(provider.key, { of, offer: fetching });
    return fetching;
  };
  return {
    async list() {
      const offering = [...directory.list()].filter(({ offer }) => offer !== 0);
      const current = new Set(offering.map(({ provider }) => provider.key));
      for (const key of kept.keys()) if (!current.has(key)) kept.delete(key);
      return (await Promise.all(offering.map(get))).flatMap((offer) => offer ?? []);
    },
    async get(key) {
      const entry = directory.get(key);
      return entry === undefined || entry.offer === 0 ? undefined : get(entry);
    },
  };
}

function viewOf(entry: Listed, { nameOf }: Pick<RemotePortOptions, "nameOf">): ProviderView {
  const { provider, state, linkedAt, lastSeenAt, pausedSince } = entry;
  const bridge = nameOf(entry.bridge);
  const { key, name } = provider;
  const numbers = { runningRequests: 0, runningJobs: 0 };
  return { key, name, provider, state, linkedAt, lastSeenAt, pausedSince, bridge, ...numbers };
}

/** Says what happened, and whether it may have run. The provider itself is not to blame. */
function explained(
  { problem, bridge }: CallError,
  options: RemotePortOptions,
  { name }: Provider,
): LinkError {
  const where = `the bridge ${options.nameOf(bridge)}`;
  switch (problem) {
    case CallProblem.alone:
      return new LinkError(
        LinkErrorCode.notLinked,
        `${name} is linked to ${where}, and this bridge has lost its connection to the others (${options.trouble() ?? "NATS is not reachable"}). Nothing was run.`,
      );
    case CallProblem.absent:
      return new LinkError(
        LinkErrorCode.notLinked,
        `No bridge has ${name} now: ${where}, to which it was linked, is gone. Nothing was run.`,
      );
    case CallProblem.slow:
      return new LinkError(
        LinkErrorCode.timedOut,
        `${where[0]?.toUpperCase()}${where.slice(1)}, to which ${name} is linked, is slow: no answer came in time. It may have run.`,
      );
    case CallProblem.gone:
      return new LinkError(
        LinkErrorCode.disconnected,
        `${where[0]?.toUpperCase()}${where.slice(1)}, to which ${name} was linked, went away while it ran. It may have run.`,
      );
  }
}
