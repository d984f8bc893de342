import fc from "fast-check";
import { expect, vi } from "vitest";
import { type JobRecord, type JobStore, LinkErrorCode } from "../../src/index.js";
import { createRegistry, type TestRegistry } from "../harness.js";
import { KeepingAgent, MAX_JOBS, quiet } from "./keeping-agent.js";

// Restarts and crashes at any moment, between drops, reboots, answers and cancels: nothing runs twice, a job whose
// id was handed out is known ever after, an answer that was acknowledged is never lost, and what is reported as
// never begun has not run.

/** Jobs in a file, as several processes see it one after the other. Saving takes up to {@link SAVE_MS}. */
export interface JobFile {
  /** Begins a process. */
  open(): JobStore;
  /** Kills it: what is not in the file is gone. */
  kill(): void;
  /** Ends it, once all that it still has to save is saved. */
  close(): Promise<void>;
  /** What a process would find that begins now. */
  saved(id: string): Promise<JobRecord | undefined>;
}

export const SAVE_MS = 100;
const MAX_WAITING = 8;

interface Real {
  registry: TestRegistry;
  agent: KeepingAgent;
  file: JobFile;
  promised: Set<string>;
  restart(isCrash: boolean): Promise<void>;
}

type Act = (real: Real, a: number) => void | Promise<void>;

const pick = <T>(items: Iterable<T>, index: number): T | undefined => {
  const list = [...items];
  return list[index % Math.max(1, list.length)];
};

const acts: Record<string, Act> = {
  start(real, a) {
    const { registry, promised } = real;
    const [link] = registry.computers.list();
    if (link === undefined) return;
    const timeoutMs = a % 3 === 0 ? 5_000 : undefined;
    const order = { method: "exec-lua", params: { a }, summary: `job ${a}`, timeoutMs };
    const waiting = registry.jobs.list().filter(({ state }) => state === "queued").length;
    try {
      const job = registry.jobs.start(link, { ...order, client: "alice" });
      // One whose caller waits for its end knows no id.
      if (a % 4 === 0) return;
      void registry.jobs.settled(job)?.then(() => {
        // A killed process hands out nothing.
        if (real.registry === registry) promised.add(job.id);
      });
    } catch (error) {
      expect(error).toMatchObject({ code: LinkErrorCode.tooManyRequests });
      expect(waiting, "only a full queue refuses a job").toBeGreaterThanOrEqual(MAX_WAITING);
    }
  },
  print({ agent }, a) {
    const work = pick(agent.work.values(), a);
    if (work !== undefined) agent.print(work, `${work.id}:${work.pieces.length};`);
  },
  finish({ agent }, a) {
    const work = pick(agent.work.values(), a);
    if (work !== undefined) agent.answer(work, a % 2 === 0);
  },
  cancel({ registry, promised }, a) {
    const job = registry.jobs.get(pick(promised, a) ?? "");
    if (job !== undefined) registry.jobs.stop(job, "cancelled");
  },
  break({ agent }) {
    agent.broken = true;
  },
  drop({ agent }) {
    agent.drop();
  },
  connect({ agent }) {
    agent.connect();
  },
  reboot({ agent }) {
    agent.reboot();
    agent.connect();
  },
  pass: (_real, a) => vi.advanceTimersByTimeAsync((a % 8) * 20).then(() => {}),
  passLong: (_real, a) => vi.advanceTimersByTimeAsync((a % 8) * 1_000).then(() => {}),
  restart: (real) => real.restart(false),
  crash: (real) => real.restart(true),
};

async function checkPromises({ registry, agent, file, promised }: Real): Promise<void> {
  for (const id of promised) {
    const job = registry.jobs.get(id) ?? (await registry.jobs.stored(id));
    expect(job, "a job whose id was handed out is known").toBeDefined();
    if (job === undefined) return;
    expect(job).toMatchObject({ client: "alice", summary: expect.stringContaining("job") });
    if (job.note?.includes("nothing was run")) expect(agent.ran.has(id)).toBe(false);
    if (job.response !== undefined) expect(agent.ran.get(id)?.answer).toBeDefined();
  }
  for (const id of agent.finished) {
    const record = await file.saved(id);
    expect(record?.response, "an acknowledged answer is saved").toBeDefined();
    expect(record?.output?.text).toBe(agent.ran.get(id)?.pieces.join(""));
  }
}

const step = fc.record({
  act: fc.constantFrom(
    ...["start", "start", "start", "start", "print", "finish", "finish", "cancel", "break"],
    ...["drop", "connect", "connect", "reboot", "pass", "pass", "passLong", "restart", "crash"],
  ),
  a: fc.nat(50),
});

/** Runs each job once and forgets none, however often the bridge restarts or crashes. Needs driven timers. */
export async function outliveRestarts(createFile: () => JobFile, numRuns: number): Promise<void> {
  const run = async (steps: readonly { act: string; a: number }[]) => {
    vi.clearAllTimers();
    const file = createFile();
    const limits = {
      ...{ maxJobs: MAX_JOBS, maxPending: MAX_WAITING, cancelGraceMs: 1_000, keepJobsMs: 1e9 },
      ...{ heartbeatMs: 1e8, unresponsiveAfterMs: 1e8, dropAfterMs: 1e9 },
    };
    const registry = createRegistry(limits, { jobs: file.open() });
    const agent = new KeepingAgent(registry);
    const real: Real = {
      ...{ registry, agent, file, promised: new Set() },
      async restart(isCrash) {
        // What a killed process would still do reaches no one.
        agent.broken = isCrash;
        if (isCrash) file.kill();
        real.registry.close();
        if (!isCrash) {
          const closed = file.close();
          await vi.advanceTimersByTimeAsync(SAVE_MS);
          await closed;
        }
        agent.drop();
        real.registry = createRegistry(limits, { jobs: file.open() });
        agent.registry = real.registry;
        await real.registry.restore();
      },
    };
    agent.connect();
    for (const { act, a } of steps) {
      await acts[act]?.(real, a);
      agent.takeFrames();
      agent.flush();
      await checkPromises(real);
    }
    for (let round = 0; round <= agent.ran.size + 8; round++) {
      agent.connect();
      for (const work of [...agent.work.values()]) agent.answer(work, true);
      await vi.advanceTimersByTimeAsync(2 * SAVE_MS);
      agent.takeFrames();
    }
    await quiet(agent);
    await checkPromises(real);
    expect([...agent.work.keys()]).toEqual([]);
    for (const job of real.registry.jobs.list()) {
      expect(job.ended, job.id).toBe(true);
      if (job.state === "done") expect(agent.ran.get(job.id)?.answer?.ok).toBe(true);
    }
    real.registry.close();
    file.kill();
  };
  const steps = fc.array(step, { maxLength: 60, size: "max" });
  await fc.assert(fc.asyncProperty(steps, run), { numRuns });
}
