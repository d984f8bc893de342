import {
  type BegunJob,
  type JobOrder,
  LinkError,
  LinkErrorCode,
  type OutputRange,
  type ProviderPort,
} from "@ccbridge/registry";
import type { Operations } from "./call-server.js";
import { type Epoch, sameEpoch } from "./entry.js";
import type { Progress } from "./progress.js";

type Jobs = ProviderPort["jobs"];
type Events = ProviderPort["events"];
type Params<F> = F extends (...args: infer P) => unknown ? P : never;

interface Owned {
  readonly key: string;
  /** Which link the caller means. */
  readonly epoch: Epoch;
}

interface RequestArgs extends Owned {
  readonly method: string;
  readonly params: unknown;
  readonly options: {
    timeoutMs: number;
    cancelGraceMs?: number;
    trace?: string;
    progress?: string;
  };
}

interface RunArgs extends Owned {
  readonly order: JobOrder;
  readonly range: OutputRange;
  readonly timeoutMs: number;
}

/** Most jobs end sooner: then one answer says all. */
const BEGUN_MS = 10;

/** What other bridges may ask this one for: its own port. The caller's bridge has decided on rights and approvals. */
export function portOperations(
  port: ProviderPort,
  epochOf: (key: string) => Epoch | undefined,
  reports: Pick<Progress, "to">,
): Operations {
  const check = ({ key, epoch }: Owned) => {
    const current = epochOf(key);
    if (current !== undefined && sameEpoch(current, epoch)) return;
    throw new LinkError(
      LinkErrorCode.notLinked,
      "It has just been linked again, so nothing was sent. Try again.",
    );
  };
  return {
    list: ({ kind }: { kind?: string }) => port.list(kind),
    request(args: RequestArgs, { from, signal }) {
      check(args);
      const { key, method, params, options } = args;
      const { progress, ...patience } = options;
      const onProgress = reports.to(from, progress);
      return port.request(key, method, params, { ...patience, signal, onProgress });
    },
    async "jobs.run"(args: RunArgs, { signal, begun }) {
      check(args);
      const { key, order, range, timeoutMs } = args;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const say = (job: BegunJob) => {
        timer = setTimeout(begun, BEGUN_MS, job);
      };
      try {
        return await port.jobs.run(key, order, range, { timeoutMs, signal, begun: say });
      } finally {
        clearTimeout(timer);
      }
    },
    "jobs.get": ({ id }: { id: string }) => port.jobs.get(id),
    "jobs.list": () => port.jobs.list(),
    "jobs.stop": ({ id }: { id: string }) => port.jobs.stop(id),
    "jobs.wait": ({ id, waiting }: { id: string; waiting: Params<Jobs["wait"]>[1] }, { signal }) =>
      port.jobs.wait(id, { ...waiting, signal }),
    "jobs.read": (
      {
        id,
        range,
        waiting,
      }: {
        id: string;
        range: Params<Jobs["read"]>[1];
        waiting?: Params<Jobs["read"]>[2];
      },
      { signal },
    ) => port.jobs.read(id, range, waiting && { ...waiting, signal }),
    "events.find": ({
      selector,
      client,
    }: {
      selector: Params<Events["find"]>[0];
      client?: string;
    }) => port.events.find(selector, client),
    "events.get": ({ key, client }: { key: string; client?: string }) =>
      port.events.get(key, client),
    "events.read": ({ key, options }: { key: string; options: Params<Events["read"]>[1] }) =>
      port.events.read(key, options),
    "events.wait": ({ key, wait }: { key: string; wait: Params<Events["wait"]>[1] }, { signal }) =>
      port.events.wait(key, { ...wait, signal }),
    "events.watch"(
      args: Owned & {
        change: Params<Events["watch"]>[1];
        options: Params<Events["watch"]>[2];
      },
      { signal },
    ) {
      check(args);
      return port.events.watch(args.key, args.change, { ...args.options, signal });
    },
    "events.release": ({ client }: { client?: string }) => port.events.release(client),
    "offered.get": ({ key }: { key: string }) => port.offered.get(key),
  };
}
