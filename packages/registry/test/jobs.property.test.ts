import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Job, Registry } from "../src/index.js";
import { connectAgent, createRegistry } from "./harness.js";

// Any order of output, answers, cancels, drops (with frames lost on the way), reconnects, reboots and
// time-outs: every job ends in exactly one final state, its output is in order and without a gap, and no
// answer is lost.

type Connection = ReturnType<typeof connectAgent>;

/** What really happens on the computer: its jobs, and what each printed and answered. */
interface Work {
  id: string;
  pieces: string[];
  sent: number;
  answer: { ok: boolean } | undefined;
  answerSent: boolean;
  stopped: boolean;
  rebooted: boolean;
}

const hello = {
  protocol: 2,
  instance: "i1",
  features: ["cancel", "output", "chunk", "jobs"],
  methods: ["exec-lua"],
};
const TIMEOUT_MS = 5_000;
/** Longer than any run: staying away has its own tests. */
const AWAY_MS = 1e9;

/** An agent that keeps its jobs over dropped links, as docs/protocol.md says. */
class KeepingAgent {
  readonly work = new Map<string, Work>();
  connection: Connection | undefined;
  /** True while frames vanish although the agent believes that it is linked. */
  broken = false;

  constructor(readonly registry: Registry) {}

  connect(): void {
    this.broken = false;
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
        const result = { returns: [], output, token: work.id };
        this.say({ type: "response", id: work.id, ok, ...(ok ? {} : { error }), result });
      }
    }
    this.takeFrames();
  }

  say(frame: object): void {
    if (!this.broken) this.connection?.end.send(JSON.stringify(frame));
  }

  /** Takes what the bridge sent, unless the wire is cut. */
  takeFrames(): void {
    const frames = this.connection?.received.splice(0) ?? [];
    if (this.broken) return;
    for (const frame of frames) {
      const id = String(frame.id);
      if (frame.type === "request" && frame.method === "exec-lua") {
        // The bridge never sends the same code twice.
        expect(this.work.has(id)).toBe(false);
        this.work.set(id, {
          id,
          pieces: [],
          sent: 0,
          answer: undefined,
          answerSent: false,
          stopped: false,
          rebooted: false,
        });
      } else if (frame.type === "cancel") {
        const work = this.work.get(id);
        if (work !== undefined && work.answer === undefined) {
          work.stopped = true;
          work.answer = { ok: false };
        }
      } else if (frame.type === "ack") {
        this.work.delete(id);
      } else if (frame.type === "hello-ok") {
        for (const { id: job, seq } of frame.jobs as { id: string; seq: number }[]) {
          const work = this.work.get(job);
          if (work !== undefined) Object.assign(work, { sent: seq, answerSent: false });
        }
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
  registry: Registry;
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
    for (const { finals } of real.jobs) expect(new Set(finals).size).toBeLessThanOrEqual(1);
  }
  toString(): string {
    return `${this.constructor.name}(${this.a},${this.b})`;
  }
}

class Start extends Step {
  act(real: Real, model: Model): void {
    const [link] = real.registry.computers();
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

/** The wire is cut, and nobody has noticed yet. */
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

it("ends every job once, with its output in order and its answer", async () => {
  const step = (Kind: new (a: number, b: number) => Step) =>
    fc.tuple(fc.nat(50), fc.nat(50)).map(([a, b]) => new Kind(a, b));
  const kinds = [
    Start,
    Start,
    Print,
    Print,
    Print,
    Finish,
    Cancel,
    Break,
    Drop,
    Reconnect,
    Reboot,
    Pass,
  ];
  await fc.assert(
    fc.asyncProperty(
      fc.commands(kinds.map(step), { maxCommands: 80, size: "max" }),
      async (commands) => {
        vi.clearAllTimers();
        const registry = createRegistry({
          maxJobs: 3,
          lostAfterMs: AWAY_MS,
          cancelGraceMs: 1_000,
          keepJobs: 1_000,
          // The heartbeat has its own tests; here only the steps decide.
          heartbeatMs: 1e8,
          unresponsiveAfterMs: 1e8,
          dropAfterMs: 1e9,
        });
        const real: Real = { registry, agent: new KeepingAgent(registry), jobs: [] };
        const truth = new Map<string, Work>();
        real.agent.connect();
        const { agent } = real;
        const set = agent.work.set.bind(agent.work);
        agent.work.set = (id, work) => {
          truth.set(id, work);
          return set(id, work);
        };
        const model: Model = { started: 0 };
        await fc.asyncModelRun(() => ({ model, real }), commands);

        // In the end the computer comes back and everything on it finishes.
        for (let round = 0; round <= real.jobs.length; round++) {
          agent.connect();
          for (const work of [...agent.work.values()]) agent.answer(work, true);
          await vi.advanceTimersByTimeAsync(10);
        }
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 2_000);
        expect(real.jobs).toHaveLength(model.started);
        for (const { job, finals } of real.jobs) {
          expect(job.ended).toBe(true);
          expect(new Set(finals)).toEqual(new Set([job.state]));
          const work = truth.get(job.id);
          const all = work?.pieces.join("") ?? "";
          // Never out of order, never doubled, never with a gap.
          expect(all.startsWith(job.output.toString())).toBe(true);
          if (job.response !== undefined) {
            expect(job.output.toString()).toBe(all);
            expect((job.response.result as { token: string }).token).toBe(job.id);
          }
          // No answer is lost: only a reboot may keep one from arriving.
          if (work?.answer !== undefined && agent.work.get(job.id) === work) {
            expect.fail(`the answer of ${job.id} (${job.state}) is still waiting on the computer`);
          }
          // Only a reboot loses a job, or a wire that was cut before the computer heard of it.
          if (job.state === "lost") expect(work === undefined || work.rebooted).toBe(true);
          if (job.state === "done") expect(work?.answer?.ok).toBe(true);
          if (job.state === "failed") expect(work?.answer?.ok).toBe(false);
        }
        registry.close();
        expect(vi.getTimerCount()).toBe(0);
      },
    ),
    { numRuns: 300 },
  );
}, 120_000);
