import {
  BoundedMap,
  type ChangeFilter,
  type Dialect,
  type EventPage,
  type EventsPort,
  type EventsView,
  type JobSnapshot,
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
import { CallError, type CallOptions, CallProblem } from "./caller.js";
import type { Directory, Listed } from "./directory.js";

/** How long a bridge may take for what it has at hand. */
const QUICK_MS = 5_000;
/** How long lists wait for a bridge that does not answer: what it has is shown without it. */
const LIST_MS = 1_500;
const RETRY_MS = 1_000;
const MAX_BEGUN = 4_096;
const NOWHERE = "No bridge of the cluster has it linked now.";

interface Listening {
  listener(state: unknown): void;
  /** It is no longer followed there. */
  ended(): void;
}

export interface RemotePortOptions {
  readonly directory: Directory;
  readonly select: Select;
  dialect(kind: string): Pick<Dialect, "addressOf" | "matches"> | undefined;
  call(bridge: string, op: string, args: unknown, options: CallOptions): Promise<unknown>;
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
  const request: ProviderPort["request"] = async (key, method, params, options) => {
    const { timeoutMs, signal, cancelGraceMs, trace } = options;
    const sent = { timeoutMs, cancelGraceMs, trace };
    const args = { method, params, options: sent };
    return ask(linked(key), "request", args, { timeoutMs, signal });
  };
  return {
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

type Ask = <T>(entry: Listed, op: string, args: object, patience: CallOptions) => Promise<T>;

const quick = { timeoutMs: QUICK_MS };

function remoteJobs(
  options: RemotePortOptions,
  ask: Ask,
  linked: (key: string) => Listed,
): JobsPort {
  const { directory } = options;
  type Snapshot = Awaited<ReturnType<JobsPort["get"]>>;
  /** Where jobs are that were begun through this bridge, so that the others need not be asked. */
  const begun = new BoundedMap<string, { readonly bridge: string; readonly job: JobSnapshot }>(
    MAX_BEGUN,
  );
  const begunAt = (id: string) => {
    const found = begun.get(id);
    return found && directory.get(found.job.key)?.bridge === found.bridge ? found : undefined;
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
  const askHolder = async <T>(id: string, op: string, args: object, patience: CallOptions) => {
    const askAt = async (bridge: string, job: JobSnapshot) => {
      try {
        return (await options.call(bridge, op, { id, ...args }, patience)) as T | undefined;
      } catch (error) {
        throw error instanceof CallError ? explained(error, options, job.provider) : error;
      }
    };
    const known = begunAt(id);
    const answer = known && (await askAt(known.bridge, known.job));
    if (answer !== undefined) return answer;
    const [bridge, job] = (await locate(id)) ?? [];
    return bridge === undefined || job === undefined ? undefined : askAt(bridge, job);
  };
  return {
    async start(key, order) {
      const entry = linked(key);
      const job = await ask<JobSnapshot>(entry, "jobs.start", { order }, quick);
      begun.set(job.id, { bridge: entry.bridge, job });
      return job;
    },
    get: async (id) => (await locate(id))?.[1],
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

function remoteEvents(
  options: RemotePortOptions,
  ask: Ask,
  linked: (key: string) => Listed,
): EventsPort {
  const { directory } = options;
  /** What a bridge has of a provider that was linked to it last, and is linked nowhere now. */
  const leftBehind = async (key: string, client?: string) => {
    const views = await eachBridge(
      options,
      "events.get",
      { key, client },
      LIST_MS,
      (bridge, view) =>
        view === undefined || view === null ? undefined : { bridge, view: view as EventsView },
    );
    return views[0];
  };
  const isFound = (error: unknown) =>
    error instanceof LinkError && error.code === LinkErrorCode.notLinked;
  return {
    async find(selector, client) {
      // With what it has of one that left, if no bridge has it now.
      const found: EventsView[] = [];
      for (const bridge of directory.others()) {
        const view = await options
          .call(bridge, "events.find", { selector, client }, quick)
          .catch((error) => {
            if (error instanceof CallError || isFound(error)) return undefined;
            if (error instanceof LinkError && error.code === LinkErrorCode.away) return undefined;
            throw error;
          });
        if (view !== undefined) found.push(view as EventsView);
      }
      const best = found.find((view) => view.linked) ?? found[0];
      if (best !== undefined) return best;
      throw new LinkError(LinkErrorCode.notLinked, NOWHERE);
    },
    async get(key, client) {
      const entry = directory.get(key);
      return entry === undefined
        ? (await leftBehind(key, client))?.view
        : ask(entry, "events.get", { client }, quick);
    },
    async read(key, reading) {
      const entry = directory.get(key);
      if (entry !== undefined) return ask(entry, "events.read", { options: reading }, quick);
      const { bridge } = (await leftBehind(key)) ?? {};
      if (bridge === undefined) throw new LinkError(LinkErrorCode.notLinked, NOWHERE);
      const args = { key, options: reading };
      return (await options.call(bridge, "events.read", args, quick)) as EventPage;
    },
    wait: async (key, { signal, ...wait }) =>
      ask(linked(key), "events.wait", { wait }, { timeoutMs: wait.timeoutMs, signal }),
    async watch(key, change, { signal, ...sent }) {
      const patience = { timeoutMs: sent.timeoutMs, signal };
      return ask(linked(key), "events.watch", { change, options: sent }, patience);
    },
    release: (client) => void eachBridge(options, "events.release", { client }, QUICK_MS),
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

async function eachBridge<T = unknown>(
  { directory, call }: RemotePortOptions,
  op: string,
  args: object,
  timeoutMs: number,
  read: (bridge: string, answer: unknown) => T | undefined = (_, answer) => answer as T,
): Promise<T[]> {
  const asked = directory
    .others()
    .map(async (bridge) =>
      read(bridge, await soon(call(bridge, op, args, { timeoutMs }), timeoutMs)),
    );
  return (await Promise.all(asked)).filter((answer) => answer !== undefined) as T[];
}

/** An answer, or undefined when it fails or takes too long. */
async function soon(answer: Promise<unknown>, timeoutMs: number): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), timeoutMs);
  });
  try {
    return await Promise.race([answer.catch(() => undefined), late]);
  } finally {
    clearTimeout(timer);
  }
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
