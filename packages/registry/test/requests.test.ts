import type { Request } from "@ccbridge/protocol";
import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { connectAgent, createRegistry, type TestRegistry, v2 } from "./harness.js";

// Any order of connects, replacements, drops, answers (late, doubled, on the wrong socket), aborts and
// passing time: each caller gets its own answer or one failure, and nothing is left behind.

type Agent = ReturnType<typeof connectAgent>;

interface Call {
  token: number;
  controller: AbortController;
  settled: number;
  /** What came back, each of which must be the call's own token. */
  answers: unknown[];
}

/** What must be true is simple, so the model only counts what was begun. */
interface Model {
  calls: number;
}

interface Real {
  registry: TestRegistry;
  agents: { computerId: number; agent: Agent }[];
  calls: Call[];
}

const TIMEOUT_MS = 1_000;
const pick = <T>(items: readonly T[], index: number): T | undefined => items[index % items.length];

abstract class Step implements fc.AsyncCommand<Model, Real> {
  constructor(
    readonly a: number,
    readonly b: number,
  ) {}
  check(): boolean {
    return true;
  }
  abstract act(model: Model, real: Real): void | Promise<void>;
  async run(model: Model, real: Real): Promise<void> {
    await this.act(model, real);
    await vi.advanceTimersByTimeAsync(0);
    for (const { token, settled, answers } of real.calls) {
      expect(settled).toBeLessThanOrEqual(1);
      for (const answer of answers) expect(answer).toBe(token);
    }
  }
  toString(): string {
    return `${this.constructor.name}(${this.a},${this.b})`;
  }
}

class Connect extends Step {
  act(_: Model, real: Real): void {
    const computerId = this.a % 3;
    const agent = connectAgent(real.registry);
    agent.hello(computerId, this.b % 2 === 0 ? {} : v2);
    real.agents.push({ computerId, agent });
  }
}

class Ask extends Step {
  act(model: Model, real: Real): void {
    const link = pick(real.registry.computers.list(), this.a);
    if (link === undefined) return;
    model.calls += 1;
    const call: Call = {
      token: real.calls.length,
      controller: new AbortController(),
      settled: 0,
      answers: [],
    };
    real.calls.push(call);
    link
      .request(
        "exec-lua",
        { token: call.token },
        {
          timeoutMs: TIMEOUT_MS,
          signal: call.controller.signal,
          ...(this.b % 2 === 0 ? { cancelGraceMs: 200 } : {}),
        },
      )
      .then(
        (response) => {
          call.settled += 1;
          call.answers.push(response.result);
        },
        () => {
          call.settled += 1;
        },
      );
  }
}

class Answer extends Step {
  act(_: Model, real: Real): void {
    const asked = pick(real.agents, this.a)?.agent;
    const request = asked && pick(asked.requests("exec-lua") as Request[], this.b);
    if (asked === undefined || request === undefined) return;
    const { token } = request.params as { token: number };
    const through = this.speaker(real, asked);
    // An answer of another peer to this id must reach no caller.
    through.say({
      type: "response",
      id: request.id,
      ok: this.b % 5 !== 0,
      error: "e",
      result: through === asked ? token : "a lie",
    });
  }
  speaker(_: Real, asked: Agent): Agent {
    return asked;
  }
}

class AnswerElsewhere extends Answer {
  override speaker(real: Real, asked: Agent): Agent {
    return pick(real.agents, this.a + 1)?.agent ?? asked;
  }
}

class Drop extends Step {
  act(_: Model, real: Real): void {
    pick(real.agents, this.a)?.agent.end.drop();
  }
}

class Abort extends Step {
  act(_: Model, real: Real): void {
    pick(real.calls, this.a)?.controller.abort();
  }
}

class Garbage extends Step {
  act(_: Model, real: Real): void {
    pick(real.agents, this.a)?.agent.end.send(this.b % 2 === 0 ? "{" : '{"type":"response"}');
  }
}

class Wait extends Step {
  async act(): Promise<void> {
    await vi.advanceTimersByTimeAsync((this.b % 7) * 100);
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("settles every request exactly once, with its own answer, and leaks no timer", async () => {
  const step = (Kind: new (a: number, b: number) => Step) =>
    fc.tuple(fc.nat(50), fc.nat(50)).map(([a, b]) => new Kind(a, b));
  const kinds = [Connect, Ask, Ask, Answer, Answer, AnswerElsewhere, Drop, Abort, Garbage, Wait];
  await fc.assert(
    fc.asyncProperty(
      fc.commands(kinds.map(step), { maxCommands: 60, size: "max" }),
      async (commands) => {
        vi.clearAllTimers();
        const real: Real = { registry: createRegistry(), agents: [], calls: [] };
        const model: Model = { calls: 0 };
        await fc.asyncModelRun(() => ({ model, real }), commands);
        const open = real.calls.filter(({ settled }) => settled === 0).length;
        const links = real.registry.computers.list();
        expect(links.reduce((sum, link) => sum + link.runningRequests, 0)).toBe(open);
        if (open === 0) expect(vi.getTimerCount()).toBeLessThanOrEqual(3);
        await vi.advanceTimersByTimeAsync(TIMEOUT_MS + 300);
        expect(real.calls.map((call) => call.settled)).toEqual(real.calls.map(() => 1));
        expect(real.calls).toHaveLength(model.calls);
        real.registry.close();
        expect(real.registry.computers.connections).toBe(0);
        expect(vi.getTimerCount()).toBe(0);
      },
    ),
    { numRuns: 200 },
  );
});
