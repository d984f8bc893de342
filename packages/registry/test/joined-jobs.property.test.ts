import fc from "fast-check";
import { expect, it } from "vitest";
import { createLocalPort, joinedPort, type ProviderPort, selectBy } from "../src/index.js";
import { startJob } from "../src/testing/index.js";
import { connectAgent, createRegistry, v2 } from "./harness.js";

const KEY = 'computer:[1,null,"i1"]';
const order = { method: "exec-lua", params: { code: "x" }, summary: "x" };

type Step =
  | { readonly do: "link"; readonly to: 0 | 1 }
  | { readonly do: "drop" }
  | { readonly do: "finish" }
  | { readonly do: "reboot" }
  | { readonly do: "start"; readonly from: 0 | 1 };

const bridge = fc.constantFrom(0 as const, 1 as const);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("link" as const), to: bridge }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("start" as const), from: bridge }) },
  { weight: 3, arbitrary: fc.constantFrom<Step>({ do: "drop" }, { do: "finish" }) },
  { weight: 1, arbitrary: fc.constant<Step>({ do: "reboot" }) },
);

/** Two bridges and one computer that keeps its jobs while it moves from one to the other. */
class Moving {
  readonly registries = [createRegistry({ maxJobs: 2 }), createRegistry({ maxJobs: 2 })] as const;
  readonly ports: readonly [ProviderPort, ProviderPort];
  readonly started = new Set<string>();
  readonly forgotten = new Set<string>();
  readonly runs = new Map<string, number>();
  readonly #running = new Set<string>();
  readonly #answers = new Map<string, string>();
  #agent: ReturnType<typeof connectAgent> | undefined;
  #read = 0;

  constructor() {
    const [a, b] = this.registries.map((registry) => createLocalPort(registry)) as [
      ProviderPort,
      ProviderPort,
    ];
    this.ports = [
      joinedPort([a, b], { select: selectBy(this.registries[0]) }),
      joinedPort([b, a], { select: selectBy(this.registries[1]) }),
    ];
  }

  async take(step: Step): Promise<void> {
    if (step.do === "link") await this.link(step.to);
    else if (step.do === "drop") this.#agent?.end.drop();
    else if (step.do === "finish") this.finish();
    else if (step.do === "reboot") this.#reboot();
    else if (step.do === "start") {
      const job = await startJob(this.ports[step.from], KEY, order).catch(() => undefined);
      if (job !== undefined) this.started.add(job.id);
    }
    this.#listen();
  }

  async link(to: 0 | 1): Promise<void> {
    // Its old socket is gone; the bridge that had it may not know yet, but the directory says so.
    this.#agent?.end.drop();
    const agent = connectAgent(this.registries[to]);
    this.#agent = agent;
    this.#read = 0;
    const jobs = [...this.#running, ...this.#answers.keys()];
    agent.hello(1, { ...v2, features: [...v2.features, "jobs"], jobs });
    for (const [id, value] of this.#answers) this.#say(id, value);
    this.#listen();
    await this.#handOver(to);
    this.#listen();
  }

  /** What the bridge that had it does once the directory shows that another one has it. */
  async #handOver(to: 0 | 1): Promise<void> {
    const there = this.registries[to];
    await this.registries[to === 0 ? 1 : 0].jobs.handOver(KEY, {
      async begin(job) {
        const session = there.session(KEY);
        if (session === undefined) return "Nothing was run: it is gone.";
        there.jobs.start(session, job);
        return undefined;
      },
      stop: (id) => {
        const job = there.jobs.get(id);
        if (job !== undefined) there.jobs.stop(job, "cancelled");
      },
    });
  }

  finish(): void {
    for (const id of this.#running) {
      this.#answers.set(id, `result of ${id}`);
      this.#say(id, `result of ${id}`);
    }
    this.#running.clear();
    this.#listen();
  }

  #reboot(): void {
    for (const id of [...this.#running, ...this.#answers.keys()]) this.forgotten.add(id);
    this.#running.clear();
    this.#answers.clear();
    this.#agent?.end.drop();
  }

  #say(id: string, value: string): void {
    this.#agent?.end.send(
      JSON.stringify({
        ...{ type: "response", id, ok: true },
        result: { returns: [{ type: "string", value }], output: "" },
      }),
    );
  }

  #listen(): void {
    const frames = this.#agent?.received ?? [];
    for (const frame of frames.slice(this.#read) as {
      type: string;
      id: string;
      ids?: string[];
      method?: string;
    }[]) {
      if (frame.type === "request" && frame.method === "exec-lua") {
        this.runs.set(frame.id, (this.runs.get(frame.id) ?? 0) + 1);
        this.#running.add(frame.id);
      } else if (frame.type === "ack") {
        for (const id of frame.ids ?? [frame.id]) this.#answers.delete(id);
      }
    }
    this.#read = frames.length;
  }

  /** All that it still has is answered over a bridge of the last link. */
  async settle(to: 0 | 1): Promise<void> {
    await this.link(to);
    this.finish();
    // Queued ones run when there is room.
    for (let rounds = 0; this.#running.size > 0 && rounds < 100; rounds++) this.finish();
    await Promise.resolve();
  }
}

it("a job runs at most once and its result is found through any bridge, wherever its computer moves", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 24 }), bridge, async (steps, last) => {
      const world = new Moving();
      await world.link(0);
      for (const each of steps) await world.take(each);
      await world.settle(last);
      expect([...world.runs.values()].filter((count) => count > 1)).toEqual([]);
      for (const id of world.started) {
        const isRun = world.runs.has(id);
        for (const port of world.ports) {
          const job = await port.jobs.get(id);
          expect(job?.summary).toBe("x");
          if (isRun && !world.forgotten.has(id)) {
            expect(job).toMatchObject({ state: "done", ended: true });
            expect(job?.response).toMatchObject({
              ok: true,
              result: { returns: [{ value: `result of ${id}` }] },
            });
          } else if (!isRun) expect(job?.state).not.toBe("done");
          // One that waited goes where its computer is, so that none waits when it has all that it can do.
          expect(job?.state).not.toBe("queued");
        }
      }
      for (const registry of world.registries) registry.close();
    }),
    { numRuns: 300 },
  );
});
