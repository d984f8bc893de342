import fc from "fast-check";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { Job } from "../src/index.js";
import { connectAgent, createRegistry, type TestRegistry } from "./harness.js";

// Whatever some providers print, return and report, and in whatever order: all that is kept together is bounded, a
// provider loses nothing within its share to another one, a young result is lost to none, and output shrinks before
// results are forgotten.

const MAX_BYTES = 400_000;
const PROVIDERS = 6;
/** Output of a finished job that only its own provider can push out. */
const SAFE_OUTPUT_LENGTH = 8_192;
const YOUNG_MS = 300_000;

interface Real {
  registry: TestRegistry;
  agents: ReturnType<typeof connectAgent>[];
  running: { job: Job; provider: number; seq: number }[];
}

interface Snapshot {
  bytes: number;
  events: number;
  jobs: Map<string, { job: Job; ended: boolean; endedAt: number; output: string; result: unknown }>;
}

const keyOf = ({ agents }: Real, provider: number): string =>
  agents[provider]?.link.provider.key ?? "";

function snapshot(real: Real, provider: number): Snapshot {
  const key = keyOf(real, provider);
  const jobs = real.registry.jobs.list().filter(({ owner }) => owner.key === key);
  const log = real.registry.events.get(key)?.log as { bytes: number } | undefined;
  const events = log?.bytes ?? 0;
  return {
    bytes: jobs.reduce((sum, { bytes }) => sum + bytes, events),
    events,
    jobs: new Map(
      jobs.map((job) => [
        job.id,
        {
          job,
          ended: job.ended,
          endedAt: job.endedAt ?? 0,
          output: job.output.toString(),
          result: job.response,
        },
      ]),
    ),
  };
}

const snapshots = (real: Real) =>
  Array.from({ length: PROVIDERS }, (_, provider) => snapshot(real, provider));

function check(real: Real, actor: number, act: () => void): void {
  const before = snapshots(real);
  act();
  const after = snapshots(real);
  const total = after.reduce((sum, { bytes }) => sum + bytes, 0);
  expect(total).toBeLessThanOrEqual(MAX_BYTES);

  const holders = before.filter(({ bytes }, provider) => bytes > 0 || provider === actor).length;
  const share = MAX_BYTES / holders;
  before.forEach((had, provider) => {
    const has = after[provider] as Snapshot;
    if (provider !== actor) {
      const isSafe = had.bytes <= share || (after[actor]?.bytes ?? 0) > share;
      if (isSafe) expect(has.bytes).toBe(had.bytes);
      for (const [id, { ended, endedAt, output, result }] of had.jobs) {
        if (!ended || Date.now() - endedAt >= YOUNG_MS) continue;
        const kept = has.jobs.get(id);
        expect(kept?.result).toBe(result);
        const safe = output.slice(-Math.min(output.length, SAFE_OUTPUT_LENGTH));
        expect(kept?.output.endsWith(safe)).toBe(true);
      }
    } else {
      const forgotten = [...had.jobs.values()].filter(
        ({ job, endedAt }) => !has.jobs.has(job.id) && Date.now() - endedAt < YOUNG_MS,
      );
      const printed = [...has.jobs.values()].filter(({ job }) => !job.ended && job.output.bytes);
      if (forgotten.length > 0) expect(printed).toEqual([]);
    }
    // Jobs that have not ended are never forgotten.
    for (const [id, { job }] of had.jobs) if (!job.ended) expect(has.jobs.has(id)).toBe(true);
  });
}

const provider = fc.nat(PROVIDERS - 1);
const length = fc.oneof(fc.nat(200), fc.integer({ min: 5_000, max: 200_000 }));
const step = fc.oneof(
  fc.record({ do: fc.constant("start" as const), provider }),
  fc.record({ do: fc.constant("print" as const), provider, pick: fc.nat(20), length }),
  fc.record({ do: fc.constant("print" as const), provider, pick: fc.nat(20), length }),
  fc.record({
    do: fc.constant("finish" as const),
    provider,
    pick: fc.nat(20),
    length: fc.oneof(fc.nat(200), fc.integer({ min: 10_000, max: 40_000 })),
  }),
  fc.record({
    do: fc.constant("run" as const),
    provider,
    length: fc.integer({ min: 10_000, max: 40_000 }),
  }),
  fc.record({ do: fc.constant("event" as const), provider, length: fc.nat(60_000) }),
  fc.record({ do: fc.constant("pass" as const), provider, ms: fc.nat(200_000) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const answer = (id: string, length: number) => {
  const returns = [{ type: "string", value: "x".repeat(length) }];
  return { type: "response" as const, id, ok: true as const, result: { returns, output: "" } };
};

function act(real: Real, step: Step): void {
  const { registry, agents, running } = real;
  const agent = agents[step.provider] as (typeof agents)[number];
  if (step.do === "start" || step.do === "run") {
    const order = { method: "exec-lua", params: {}, summary: "" };
    const job = registry.jobs.start(agent.link, order);
    if (job.state !== "running") registry.jobs.stop(job, "cancelled");
    else if (step.do === "run") agent.say(answer(job.id, step.length));
    else running.push({ job, provider: step.provider, seq: 0 });
  } else if (step.do === "event") {
    agent.say({ type: "event", event: "e", args: ["x".repeat(step.length)] } as never);
  } else if (step.do !== "pass") {
    const own = running.filter((each) => each.provider === step.provider);
    const work = own[step.pick % own.length];
    if (work === undefined) return;
    const { id } = work.job;
    if (step.do === "print") {
      const text = String.fromCharCode(97 + (work.seq % 26)).repeat(step.length);
      agent.say({ type: "output", id, seq: work.seq++, text });
    } else {
      running.splice(running.indexOf(work), 1);
      agent.say(answer(id, step.length));
    }
  }
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

it("keeps to the bound without taking from others what is theirs", () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 40, maxLength: 120, size: "max" }), (steps) => {
      const registry = createRegistry({ maxKeptBytes: MAX_BYTES, heartbeatMs: 1e8 });
      const agents = Array.from({ length: PROVIDERS }, (_, computerId) => {
        const agent = connectAgent(registry);
        agent.hello(computerId, {
          protocol: 2,
          instance: `i${computerId}`,
          features: ["cancel", "output", "chunk", "jobs"],
          methods: ["exec-lua"],
        });
        return agent;
      });
      const real: Real = { registry, agents, running: [] };
      for (const each of steps) {
        if (each.do === "pass") vi.setSystemTime(Date.now() + each.ms);
        check(real, each.provider, () => act(real, each));
      }
      registry.close();
    }),
    { numRuns: 100 },
  );
}, 120_000);
