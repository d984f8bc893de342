import { CallCancellation } from "./cancellation.js";
import type { Candidate, ProviderRef } from "./dialect.js";
import { isMissing, LinkError, LinkErrorCode } from "./errors.js";
import type {
  BegunJob,
  EventsPort,
  JobSnapshot,
  JobsPort,
  JobWaiting,
  PortChange,
  ProviderPort,
  ProviderSelector,
} from "./port.js";
import type { Registry } from "./registry.js";
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

function joinedJobs(
  ports: readonly [ProviderPort, ...ProviderPort[]],
  portOf: (key: string) => Promise<ProviderPort>,
  having: (key: string) => Promise<ProviderPort | undefined>,
): JobsPort {
  const [local] = ports;
  /** A job moves with its provider: the port that has the provider knows more of it than one that had it. */
  const holder = async (id: string): Promise<[ProviderPort, JobSnapshot] | undefined> => {
    let first: [ProviderPort, JobSnapshot] | undefined;
    for (const port of ports) {
      const job = await port.jobs.get(id);
      if (job === undefined) continue;
      const owner = job.ended && job.response !== undefined ? port : await having(job.key);
      if (owner === port || owner === undefined) {
        return [port, described(job, first?.[1] ?? (await original(ports, port, job)))];
      }
      const moved = await owner.jobs.get(id);
      if (moved !== undefined) return [owner, described(moved, job)];
      first ??= [port, job];
    }
    return first;
  };
  const place = async (id: string): Promise<Place> => {
    const [port, known] = (await holder(id)) ?? [local];
    return { port, known, key: known?.key };
  };
  return {
    async run(key, order, range, { begun, ...waiting }) {
      let id: string | undefined;
      let say = () => {};
      const isBegun = new Promise<void>((resolve) => {
        say = resolve;
      });
      const note = (job: BegunJob) => {
        id = job.id;
        say();
        begun?.(job);
      };
      const first = { port: await portOf(key), key, isBegun };
      const findPlace = async (): Promise<Place> => (id === undefined ? first : place(id));
      const reading = await waitWhereItIs(ports, findPlace, waiting, async ({ jobs }, left) => {
        if (id !== undefined) return jobs.read(id, range, left);
        const result = await jobs.run(key, order, range, { ...left, begun: note });
        id = result.job.id;
        return result;
      });
      if (reading !== undefined) return reading;
      throw new LinkError(LinkErrorCode.disconnected, `job ${id} is not known any more`);
    },
    get: async (id) => (await holder(id))?.[1],
    async list() {
      const jobs = new Map<string, JobSnapshot | Awaited<ReturnType<JobsPort["list"]>>[number]>();
      for (const port of ports) {
        for (const job of await port.jobs.list()) {
          const known = jobs.get(job.id);
          const isBetter = known === undefined || (job.linked && !known.linked) || !known.ended;
          jobs.set(job.id, isBetter ? described(job, known) : described(known, job));
        }
      }
      return [...jobs.values()];
    },
    stop: async (id) => ((await holder(id))?.[0] ?? local).jobs.stop(id),
    async wait(id, waiting) {
      const findPlace = () => place(id);
      const found = await waitWhereItIs(ports, findPlace, waiting, async ({ jobs }, left) => {
        const job = await jobs.wait(id, left);
        return job && { job };
      });
      return found?.job;
    },
    async read(id, range, waiting) {
      if (waiting !== undefined) {
        const findPlace = () => place(id);
        return waitWhereItIs(ports, findPlace, waiting, ({ jobs }, left) =>
          jobs.read(id, range, left),
        );
      }
      const [port, known] = (await holder(id)) ?? [local, undefined];
      const reading = await port.jobs.read(id, range);
      return reading && { ...reading, job: described(reading.job, known) };
    },
  };
}

/** Where a job is, or begins. */
interface Place {
  readonly port: ProviderPort;
  readonly known?: JobSnapshot | undefined;
  readonly key: string | undefined;
  /** One that may have begun is not begun elsewhere. */
  readonly isBegun?: Promise<void>;
}

/** Waits on the port that has the job, and on another one when the job is there now. */
async function waitWhereItIs<T extends { readonly job: JobSnapshot }>(
  ports: readonly [ProviderPort, ...ProviderPort[]],
  findPlace: () => Promise<Place>,
  waiting: JobWaiting,
  ask: (port: ProviderPort, waiting: JobWaiting) => Promise<T | undefined>,
): Promise<T | undefined> {
  const { signal, timeoutMs } = waiting;
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const { port, known, key, isBegun } = await findPlace();
    const leftMs = Math.max(0, deadline - performance.now());
    const either = new CallCancellation();
    const abandon = () => either.abort();
    if (signal?.aborted === true) abandon();
    signal?.addEventListener("abort", abandon);
    const asked = ask(port, { ...waiting, timeoutMs: leftMs, signal: either });
    const move = key === undefined || leftMs === 0 ? undefined : nextLinkOf(ports, key, isBegun);
    const found = await Promise.race([asked, ...(move === undefined ? [] : [move.made])]).finally(
      () => {
        move?.stop();
        signal?.removeEventListener("abort", abandon);
      },
    );
    if (found === MOVED) {
      abandon();
      asked.catch(() => {});
      if (signal?.aborted !== true) continue;
    }
    const result = found === MOVED ? await asked : found;
    if (result === undefined) return undefined;
    const { job } = result;
    // It may have been handed over, unbegun, to the bridge that its provider is linked to.
    const isOver = job.ended || signal?.aborted === true || performance.now() >= deadline;
    if (!isOver && (await port.jobs.get(job.id)) === undefined) continue;
    return { ...result, job: described(job, known) };
  }
}

const MOVED = Symbol("moved");

function nextLinkOf(ports: readonly ProviderPort[], key: string, isBegun?: Promise<void>) {
  let settle: (moved: typeof MOVED) => void = () => {};
  const made = new Promise<typeof MOVED>((resolve) => {
    settle = resolve;
  });
  const move = async () => {
    await isBegun;
    settle(MOVED);
  };
  const stopping = subscribeAll(ports, () => void move(), { topics: ["linked"], key });
  return { made, stop: () => void stopping.then((stop) => stop()) };
}

/** A job that came with its provider: the bridge that started it may still be there. */
async function original(
  ports: readonly ProviderPort[],
  holder: ProviderPort,
  { id, summary }: JobSnapshot,
): Promise<JobSnapshot | undefined> {
  if (summary !== null) return undefined;
  for (const port of ports) {
    const job = port === holder ? undefined : await port.jobs.get(id);
    if (job !== undefined) return job;
  }
  return undefined;
}

/** What a job does is known where it was started; the bridge to which its provider moved knows only its id. */
function described<J extends Awaited<ReturnType<JobsPort["list"]>>[number]>(
  job: J,
  other: Pick<J, "method" | "summary" | "trace" | "client" | "createdAt" | "adopted"> | undefined,
): J {
  if (other === undefined || !job.adopted || other.adopted || other.summary === null) return job;
  const { method, summary, trace, client, createdAt } = other;
  return { ...job, method, summary, trace, client, createdAt, adopted: false };
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

async function subscribeAll(
  ports: readonly ProviderPort[],
  listener: (change: PortChange) => void,
  filter?: Parameters<ProviderPort["changes"]["subscribe"]>[1],
): Promise<Stop> {
  const stops = await Promise.all(ports.map(({ changes }) => changes.subscribe(listener, filter)));
  return () => {
    for (const stop of stops) stop();
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
