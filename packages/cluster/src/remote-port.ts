import {
  type ChangeFilter,
  type Dialect,
  LinkError,
  LinkErrorCode,
  type PortChange,
  type ProviderOffer,
  type ProviderPort,
  type ProviderSelector,
  type ProviderView,
  type Select,
  type Stop,
  type WatchSubject,
} from "@ccbridge/registry";
import { type Ask, type Asking, eachBridge, LIST_MS, NOWHERE, quick } from "./ask-bridges.js";
import { CallError, type CallOptions } from "./caller.js";
import type { Directory, Listed } from "./directory.js";
import type { Progress } from "./progress.js";
import { remoteEvents } from "./remote-events.js";
import { remoteJobs } from "./remote-jobs.js";
import { explained, type Naming } from "./unanswered.js";

const RETRY_MS = 1_000;

interface Listening {
  listener(state: unknown): void;
  /** It is no longer followed there. */
  ended(): void;
}

export interface RemotePortOptions extends Asking, Naming {
  readonly select: Select;
  readonly progress: Progress;
  dialect(kind: string): Pick<Dialect, "addressOf" | "matches"> | undefined;
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
