import { CallCancellation } from "./cancellation.js";
import { LinkError, LinkErrorCode } from "./errors.js";
import type { BegunJob, JobSnapshot, JobsPort, JobWaiting, ProviderPort } from "./port.js";
import { subscribeAll } from "./subscribe-all.js";

/** The jobs of several ports: each is where its provider is, and moves with it. */
export function joinedJobs(
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
      const text = `No bridge knows job ${id} now, which had begun. It may have run.`;
      throw new LinkError(LinkErrorCode.disconnected, text);
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
