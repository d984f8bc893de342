import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Job } from "../../src/index.js";
import { ACK_DELAY_MS } from "../../src/kinds/computer/outbox.js";
import { createRegistry, type TestRegistry } from "../harness.js";
import { KeepingAgent, MAX_JOBS, quiet } from "./keeping-agent.js";

// Any order of output, answers, cancels, drops (with frames lost on the way), messages that the game drops,
// jobs that do not stop, long absences, reconnects, reboots and time-outs: nothing runs twice, no more runs
// than may, every job ends, its output is in order and without a gap, no answer is lost, and both sides agree
// after a while of quiet.

const TIMEOUT_MS = 5_000;

interface Tracked {
  job: Job;
  finals: string[];
  printed: string;
}

interface Real {
  registry: TestRegistry;
  agent: KeepingAgent;
  jobs: Tracked[];
}

interface Model {
  started: number;
}

const pick = <T>(items: T[], index: number): T | undefined => items[index % items.length];

abstract class Step implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly a: number,
    readonly b: number,
  ) {}
  check(): boolean {
    return true;
  }
  abstract act(real: Real, model: Model): void | Promise<void>;
  async run(model: Model, real: Real): Promise<void> {
    await this.act(real, model);
    real.agent.takeFrames();
    real.agent.flush();
    // A lost job may be found again; every other end is final.
    for (const { job, finals } of real.jobs) {
      if (job.note?.includes("never arrived")) expect(real.agent.ran.has(job.id)).toBe(false);
      expect(new Set(finals.filter((state) => state !== "lost")).size).toBeLessThanOrEqual(1);
    }
  }
  toString(): string {
    return `${this.constructor.name}(${this.a},${this.b})`;
  }
}

class Start extends Step {
  act(real: Real, model: Model): void {
    const [link] = real.registry.computers.list();
    if (link === undefined) return;
    const timeoutMs = this.a % 3 === 0 ? TIMEOUT_MS : undefined;
    const job = real.registry.jobs.start(link, {
      method: "exec-lua",
      params: {},
      summary: "",
      timeoutMs,
    });
    const tracked: Tracked = { job, finals: [], printed: "" };
    job.onChange(() => {
      if (job.ended) tracked.finals.push(job.state);
    });
    real.jobs.push(tracked);
    model.started += 1;
  }
}

class Print extends Step {
  act({ agent }: Real): void {
    const work = pick([...agent.work.values()], this.a);
    if (work !== undefined) agent.print(work, `${work.id}:${work.pieces.length};`);
  }
}

class Finish extends Step {
  act({ agent }: Real): void {
    const work = pick([...agent.work.values()], this.a);
    if (work !== undefined) agent.answer(work, this.b % 2 === 0);
  }
}

class Cancel extends Step {
  act({ registry, jobs }: Real): void {
    const tracked = pick(jobs, this.a);
    if (tracked !== undefined) registry.jobs.stop(tracked.job, "cancelled");
  }
}

class Break extends Step {
  act({ agent }: Real): void {
    agent.broken = true;
  }
}

class Drop extends Step {
  act({ agent }: Real): void {
    agent.drop();
  }
}

class Reconnect extends Step {
  act({ agent }: Real): void {
    agent.connect();
  }
}

class Reboot extends Step {
  act({ agent }: Real): void {
    agent.reboot();
    agent.connect();
  }
}

class CancelUnheard extends Step {
  act({ agent, registry, jobs }: Real): void {
    const running = jobs.filter(({ job }) => job.state === "running");
    const tracked = pick(running, this.a);
    if (tracked === undefined) return;
    agent.dropping = 1;
    registry.jobs.stop(tracked.job, "cancelled");
  }
}

class Agree extends Step {
  async act({ agent, registry }: Real): Promise<void> {
    agent.dropping = 0;
    if (agent.connection === undefined || agent.broken) return;
    await quiet(agent);
    for (const job of registry.jobs.list()) {
      if (job.state === "running") expect(agent.work.has(job.id)).toBe(true);
    }
    for (const { id, answer, stubborn } of agent.work.values()) {
      const job = registry.jobs.get(id);
      if (answer !== undefined || job === undefined) continue;
      expect(["running", "timed-out"]).toContain(job.state);
      if (!stubborn) expect(job.status.stopping).toBeUndefined();
    }
  }
}

class Flood extends Step {
  act({ agent }: Real): void {
    agent.dropping = 1 + (this.a % 3);
  }
}

class Stubborn extends Step {
  act({ agent }: Real): void {
    agent.stubborn = this.a % 2 === 0;
  }
}

class Pass extends Step {
  async act(): Promise<void> {
    await vi.advanceTimersByTimeAsync((this.b % 8) * 1_000);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("runs each job once, ends it, and has its output in order and its answer", async () => {
  const step = (Kind: new (a: number, b: number) => Step) =>
    fc.tuple(fc.nat(50), fc.nat(50)).map(([a, b]) => new Kind(a, b));
  const kinds = [
    Start,
    Start,
    Start,
    Print,
    Print,
    Print,
    Finish,
    Cancel,
    CancelUnheard,
    Agree,
    Break,
    Drop,
    Reconnect,
    Reconnect,
    Reboot,
    Flood,
    Stubborn,
    Pass,
    Pass,
  ];
  const limits = fc.record({
    lostAfterMs: fc.constantFrom(3_000, 1e9),
    keepJobs: fc.constantFrom(1, 1_000),
  });
  await fc.assert(
    fc.asyncProperty(
      limits,
      fc.commands(kinds.map(step), { maxCommands: 80, size: "max" }),
      async ({ lostAfterMs, keepJobs }, commands) => {
        vi.clearAllTimers();
        const registry = createRegistry({
          maxJobs: MAX_JOBS,
          lostAfterMs,
          cancelGraceMs: 1_000,
          keepJobs,
          // Silence has its own tests; here only the steps decide.
          heartbeatMs: 1e8,
          unresponsiveAfterMs: 1e8,
          dropAfterMs: 1e9,
        });
        const agent = new KeepingAgent(registry);
        const real: Real = { registry, agent, jobs: [] };
        agent.connect();
        const model: Model = { started: 0 };
        await fc.asyncModelRun(() => ({ model, real }), commands);

        await new Agree(0, 0).run(model, real);

        for (let round = 0; round <= real.jobs.length; round++) {
          agent.connect();
          for (const work of [...agent.work.values()]) agent.answer(work, true);
          await vi.advanceTimersByTimeAsync(ACK_DELAY_MS);
          agent.takeFrames();
        }
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 2_000);
        expect(real.jobs).toHaveLength(model.started);
        expect([...agent.work.keys()]).toEqual([]);
        for (const { job, finals } of real.jobs) {
          // One that was forgotten in between may have come back as an earlier bridge's.
          const known = registry.jobs.get(job.id);
          if (keepJobs > 1) expect(known).toBe(job);
          else if (known !== job) continue;
          expect(job.ended).toBe(true);
          expect(finals.at(-1)).toBe(job.state);
          const work = agent.ran.get(job.id);
          const all = work?.pieces.join("") ?? "";
          // Never out of order, never doubled, never with a gap.
          expect(all.startsWith(job.output.toString())).toBe(true);
          if (job.response !== undefined) {
            expect(job.output.toString()).toBe(all);
            expect(job.response.result).toMatchObject({ returns: [{ value: job.id }] });
          }
          // Only a reboot loses a job, or a message that never arrived.
          if (job.state === "lost") expect(work === undefined || work.rebooted).toBe(true);
          if (agent.boots === 0 && job.isGone) expect(work).toBe(undefined);
          if (job.state === "done") expect(work?.answer?.ok).toBe(true);
          if (job.state === "failed") {
            expect(job.isGone ? work : work?.answer?.ok).toBe(job.isGone ? undefined : false);
          }
        }
        registry.close();
        expect(vi.getTimerCount()).toBe(0);
      },
    ),
    { numRuns: 400 },
  );
});
