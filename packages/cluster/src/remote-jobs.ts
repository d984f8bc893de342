import {
  type BegunJob,
  BoundedMap,
  type JobReading,
  type JobsPort,
  type Provider,
} from "@ccbridge/registry";
import { type Ask, type Asking, eachBridge, LIST_MS, quick, soon } from "./ask-bridges.js";
import { CallError, type CallOptions } from "./caller.js";
import type { Listed } from "./directory.js";
import { explained, type Naming } from "./unanswered.js";

const MAX_HOMES = 4_096;

/** Where a job was begun. */
interface Home {
  readonly bridge: string;
  readonly key: string;
  readonly provider: Provider;
}

/** The jobs of the providers that are linked to other bridges. */
export function remoteJobs(
  options: Asking & Naming,
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
