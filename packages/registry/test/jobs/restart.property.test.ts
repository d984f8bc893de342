import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { JobRecord, JobStore } from "../../src/index.js";
import { MemoryJobStore } from "../../src/testing/index.js";
import { createRegistry, type TestRegistry } from "../harness.js";
import { KeepingAgent, MAX_JOBS, quiet } from "./keeping-agent.js";

// Restarts and crashes at any moment, between drops, reboots, answers and cancels: nothing runs twice, a job whose
// id was handed out is known ever after, an answer that was acknowledged is never lost, and what is reported as
// never begun has not run.

const SAVE_MS = 50;

class BatchingStore implements JobStore {
  readonly saved = new MemoryJobStore();
  #batch = new Map<string, JobRecord>();
  #waiting: (() => void)[] = [];

  constructor() {
    setInterval(() => this.#flush(), SAVE_MS);
  }

  load(endedAfter: number) {
    return this.saved.load(endedAfter);
  }

  save(record: JobRecord): Promise<void> {
    this.#batch.set(record.id, structuredClone(record));
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  async get(id: string) {
    return this.#batch.get(id) ?? this.saved.get(id);
  }

  crash(): void {
    this.#batch = new Map();
    this.#waiting = [];
  }

  #flush(): void {
    const resolved = this.#waiting;
    for (const record of this.#batch.values()) void this.saved.save(record);
    this.crash();
    for (const resolve of resolved) resolve();
  }
}

interface Real {
  registry: TestRegistry;
  agent: KeepingAgent;
  store: BatchingStore;
  promised: Set<string>;
  restart(isCrash: boolean): Promise<void>;
}

type Act = (real: Real, a: number) => void | Promise<void>;

const pick = <T>(items: Iterable<T>, index: number): T | undefined => {
  const list = [...items];
  return list[index % Math.max(1, list.length)];
};

const acts: Record<string, Act> = {
  start({ registry, promised }, a) {
    const [link] = registry.computers.list();
    if (link === undefined) return;
    const timeoutMs = a % 3 === 0 ? 5_000 : undefined;
    const order = { method: "exec-lua", params: { a }, summary: `job ${a}`, timeoutMs };
    const job = registry.jobs.start(link, { ...order, client: "alice" });
    void job.saved?.then(() => promised.add(job.id));
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

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

async function checkPromises({ registry, agent, store, promised }: Real): Promise<void> {
  for (const id of promised) {
    const job = registry.jobs.get(id) ?? (await registry.jobs.stored(id));
    expect(job, "a job whose id was handed out is known").toBeDefined();
    if (job === undefined) return;
    expect(job).toMatchObject({ client: "alice", summary: expect.stringContaining("job") });
    if (job.note?.includes("nothing was run")) expect(agent.ran.has(id)).toBe(false);
    if (job.response !== undefined) expect(agent.ran.get(id)?.answer).toBeDefined();
  }
  for (const id of agent.finished) {
    const record = await store.saved.get(id);
    expect(record?.response, "an acknowledged answer is saved").toBeDefined();
    expect(record?.output?.text).toBe(agent.ran.get(id)?.pieces.join(""));
  }
}

it("runs each job once and forgets none, however often the bridge restarts or crashes", async () => {
  const step = fc.record({
    act: fc.constantFrom(
      ...["start", "start", "start", "start", "print", "finish", "finish", "cancel", "break"],
      ...["drop", "connect", "connect", "reboot", "pass", "pass", "passLong", "restart", "crash"],
    ),
    a: fc.nat(50),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      vi.clearAllTimers();
      const store = new BatchingStore();
      const limits = {
        ...{ maxJobs: MAX_JOBS, maxPending: 8, cancelGraceMs: 1_000, keepJobsMs: 1e9 },
        ...{ heartbeatMs: 1e8, unresponsiveAfterMs: 1e8, dropAfterMs: 1e9 },
      };
      const registry = createRegistry(limits, { jobs: store });
      const agent = new KeepingAgent(registry);
      const real: Real = {
        ...{ registry, agent, store, promised: new Set() },
        async restart(isCrash) {
          if (isCrash) {
            // What the old process would still do reaches no one.
            agent.broken = true;
            store.crash();
            real.registry.close();
            store.crash();
          } else {
            real.registry.close();
            await vi.advanceTimersByTimeAsync(SAVE_MS);
          }
          agent.drop();
          real.registry = createRegistry(limits, { jobs: store });
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
    }),
    { numRuns: 300 },
  );
});
