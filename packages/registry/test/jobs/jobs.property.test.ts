import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Job } from "../../src/index.js";
import { connectAgent, createRegistry, type TestRegistry } from "../harness.js";

// Any order of output, answers, cancels, drops (with frames lost on the way), messages that the game drops,
// jobs that do not stop, long absences, reconnects, reboots and time-outs: nothing runs twice, no more runs
// than may, every job ends, its output is in order and without a gap, no answer is lost, and both sides agree
// after a while of quiet.

type Connection = ReturnType<typeof connectAgent>;

/** What really happens on the computer: its jobs, and what each printed and answered. */
interface Work {
  id: string;
  pieces: string[];
  sent: number;
  answer: { ok: boolean } | undefined;
  answerSent: boolean;
  stopped: boolean;
  /** It continues when it is asked to stop. */
  stubborn: boolean;
  rebooted: boolean;
}

const hello = {
  protocol: 2,
  instance: "i1",
  features: ["cancel", "output", "chunk", "jobs", "acks"],
  methods: ["exec-lua", "check-requests"],
};
const TIMEOUT_MS = 5_000;
const MAX_JOBS = 3;

/** An agent that keeps its jobs over dropped links, as docs/protocol.md says. */
class KeepingAgent {
  readonly work = new Map<string, Work>();
  /** Everything that ever ran here, also before a reboot. */
  readonly ran = new Map<string, Work>();
  readonly finished = new Set<string>();
  connection: Connection | undefined;
  /** True while frames vanish although the agent believes that it is linked. */
  broken = false;
  /** Messages that the game drops next because its queue is full. */
  dropping = 0;
  stubborn = false;

  constructor(readonly registry: TestRegistry) {}

  connect(): void {
    this.broken = false;
    this.dropping = 0;
    const connection = connectAgent(this.registry);
    this.connection = connection;
    connection.hello(1, { ...hello, jobs: [...this.work.keys()] });
    this.takeFrames();
    this.flush();
  }

  drop(): void {
    this.connection?.end.drop();
    this.connection = undefined;
  }

  reboot(): void {
    this.drop();
    for (const work of this.work.values()) work.rebooted = true;
    this.work.clear();
    this.finished.clear();
  }

  print(work: Work, text: string): void {
    if (work.answer !== undefined) return;
    work.pieces.push(text);
    this.flush();
  }

  answer(work: Work, ok: boolean): void {
    if (work.answer !== undefined) return;
    work.answer = { ok };
    this.flush();
  }

  /** Sends what the bridge has not got, as far as the agent knows. */
  flush(): void {
    if (this.connection === undefined) return;
    for (const work of this.work.values()) {
      while (work.sent < work.pieces.length) {
        const text = work.pieces[work.sent] ?? "";
        this.say({ type: "output", id: work.id, seq: work.sent, text });
        work.sent += 1;
      }
      if (work.answer !== undefined && !work.answerSent) {
        work.answerSent = true;
        const { ok } = work.answer;
        const output = work.pieces.join("");
        const error = work.stopped ? "cancelled" : "boom";
        const result = { returns: [work.id], output };
        this.say({ type: "response", id: work.id, ok, ...(ok ? {} : { error }), result });
      }
    }
    this.takeFrames();
  }

  say(frame: object): void {
    if (!this.broken) this.connection?.end.send(JSON.stringify(frame));
  }

  /** Takes what the bridge sent, unless the wire is cut or the queue is full. */
  takeFrames(): void {
    for (;;) {
      const frames = this.connection?.received.splice(0) ?? [];
      if (frames.length === 0) return;
      for (const frame of frames) {
        if (this.broken) continue;
        if (this.dropping > 0 && frame.type !== "hello-ok") this.dropping -= 1;
        else this.take(frame);
      }
    }
  }

  take(frame: Record<string, unknown>): void {
    const id = String(frame.id);
    const work = this.work.get(id);
    if (frame.type === "request" && frame.method === "exec-lua") {
      // What arrived once is never sent again.
      expect(this.ran.has(id)).toBe(false);
      const begun: Work = {
        id,
        pieces: [],
        sent: 0,
        answer: undefined,
        answerSent: false,
        stopped: false,
        stubborn: this.stubborn,
        rebooted: false,
      };
      this.work.set(id, begun);
      this.ran.set(id, begun);
      const running = [...this.work.values()].filter(({ answer }) => answer === undefined);
      expect(running.length).toBeLessThanOrEqual(MAX_JOBS);
    } else if (frame.method === "check-requests") {
      const { ids } = frame.params as { ids: string[] };
      const unknown = ids.filter((each) => !this.work.has(each) && !this.finished.has(each));
      this.say({ type: "response", id, ok: true, result: { unknown } });
    } else if (frame.type === "cancel") {
      if (work === undefined) {
        if (!this.finished.has(id)) {
          this.say({ type: "response", id, ok: false, error: "unknown request" });
        }
      } else if (work.answer !== undefined) work.answerSent = false;
      else if (!work.stubborn) {
        work.stopped = true;
        work.answer = { ok: false };
      }
    } else if (frame.type === "ack") {
      for (const acked of (frame.ids as string[] | undefined) ?? [id]) {
        if (this.work.delete(acked)) this.finished.add(acked);
      }
    } else if (frame.type === "hello-ok") {
      for (const { id: job, seq } of frame.jobs as { id: string; seq: number }[]) {
        const kept = this.work.get(job);
        if (kept !== undefined) Object.assign(kept, { sent: seq, answerSent: false });
      }
    }
  }
}

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
      // A report that nothing was run is true.
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

/** The wire is cut, and no side has noticed yet. */
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

/** The game drops the cancel. */
class CancelUnheard extends Step {
  act({ agent, registry, jobs }: Real): void {
    const running = jobs.filter(({ job }) => job.state === "running");
    const tracked = pick(running, this.a);
    if (tracked === undefined) return;
    agent.dropping = 1;
    registry.jobs.stop(tracked.job, "cancelled");
  }
}

/** Left in peace, both sides agree on what runs. */
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
      // One that timed out and was forgotten still runs there.
      if (answer !== undefined || job === undefined) continue;
      expect(["running", "timed-out"]).toContain(job.state);
      // All work that was asked to stop, and could, did.
      if (!stubborn) expect(job.status.stopping).toBeUndefined();
    }
  }
}

/** The game's queue is full for a moment. */
class Flood extends Step {
  act({ agent }: Real): void {
    agent.dropping = 1 + (this.a % 3);
  }
}

/** Jobs that begin now do, or do not, heed a stop. */
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

/** Time passes without any trouble. */
async function quiet(agent: KeepingAgent): Promise<void> {
  for (let i = 0; i < 6; i++) {
    await vi.advanceTimersByTimeAsync(3_000);
    agent.takeFrames();
    agent.flush();
  }
}

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

        // In the end the computer comes back and everything on it finishes.
        for (let round = 0; round <= real.jobs.length; round++) {
          agent.connect();
          for (const work of [...agent.work.values()]) agent.answer(work, true);
          await vi.advanceTimersByTimeAsync(10);
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
          if (job.state === "done") expect(work?.answer?.ok).toBe(true);
          if (job.state === "failed") expect(work?.answer?.ok).toBe(false);
        }
        registry.close();
        expect(vi.getTimerCount()).toBe(0);
      },
    ),
    { numRuns: 400 },
  );
});
