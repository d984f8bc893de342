import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Job } from "../../src/index.js";
import { ACK_DELAY_MS } from "../../src/kinds/computer/outbox.js";
import { connectAgent, createRegistry, v2 } from "../harness.js";

const keeping = { ...v2, features: [...v2.features, "jobs"] };
const request = { method: "exec-lua", params: { code: "x" }, summary: "x" };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function linked(hello: object = keeping, options = {}) {
  const registry = createRegistry(options);
  const agent = connectAgent(registry);
  agent.hello(1, hello);
  const start = (more = {}): Job => registry.jobs.start(agent.link, { ...request, ...more });
  return { registry, agent, start };
}

describe("a job", () => {
  it("runs, prints and ends, and its answer is acknowledged", () => {
    const { agent, start } = linked();
    const job = start();
    expect(job.state).toBe("running");
    agent.say({ type: "output", id: job.id, seq: 0, text: "a" });
    agent.say({ type: "output", id: job.id, seq: 1, text: "/w==", encoding: "base64" });
    agent.say({ type: "response", id: job.id, ok: true, result: { output: "a\u00ff" } });
    expect(job.state).toBe("done");
    expect(job.output.toString()).toBe("a\u00ff");
    vi.advanceTimersByTime(ACK_DELAY_MS);
    expect(agent.received.at(-1)).toEqual({ type: "ack", id: job.id });
  });

  it("uses the output of the answer when none was streamed", () => {
    const { agent, start } = linked({});
    const job = start();
    agent.say({ type: "response", id: job.id, ok: false, error: "boom", result: { output: "hi" } });
    expect(job).toMatchObject({ state: "failed" });
    expect(job.output.toString()).toBe("hi");
    // An old agent is sent nothing that it would not know.
    expect(agent.received.some((frame) => frame.type === "ack")).toBe(false);
  });

  it("says that output is missing", () => {
    const { agent, start } = linked();
    const job = start();
    agent.say({ type: "output", id: job.id, seq: 0, text: "a\n" });
    agent.say({ type: "output", id: job.id, seq: 2, text: "c\n" });
    expect(job.output.toString()).toBe("a\nc\n");
    expect(job.isPartial).toBe(true);
  });

  it("waits for room on its computer, in order", () => {
    const { agent, start } = linked(keeping, { maxJobs: 2 });
    const jobs = [start(), start(), start(), start()];
    expect(jobs.map((job) => job.state)).toEqual(["running", "running", "queued", "queued"]);
    agent.say({ type: "response", id: jobs[1]?.id ?? "", ok: true });
    expect(jobs.map((job) => job.state)).toEqual(["running", "done", "running", "queued"]);
    expect(agent.requests().map(({ id }) => id)).toEqual(jobs.slice(0, 3).map(({ id }) => id));
  });

  it("is refused when too many wait", () => {
    const { start } = linked(keeping, { maxJobs: 1, maxPending: 2 });
    start();
    start();
    start();
    expect(() => start()).toThrow(/already has 2 jobs waiting/);
  });

  it("that never started is cancelled without telling the computer", () => {
    const { registry, agent, start } = linked(keeping, { maxJobs: 1 });
    start();
    const waiting = start();
    registry.jobs.stop(waiting, "cancelled");
    expect(waiting.state).toBe("cancelled");
    expect(agent.received.some((frame) => frame.type === "cancel")).toBe(false);
  });

  it("is cancelled when the game confirms it, not before", () => {
    const { registry, agent, start } = linked();
    const job = start();
    registry.jobs.stop(job, "cancelled");
    registry.jobs.stop(job, "cancelled");
    // Asking twice sends it twice: the game may have dropped the first.
    const cancels = () => agent.received.filter((frame) => frame.type === "cancel").length;
    expect(cancels()).toBe(2);
    vi.advanceTimersByTime(60_000);
    expect(job.state).toBe("running");
    expect(cancels()).toBeGreaterThan(4);
    expect(cancels()).toBeLessThan(12);
    agent.say({ type: "response", id: job.id, ok: false, error: "cancelled" });
    expect(job.state).toBe("cancelled");
  });

  it("is stopped at its age", () => {
    const { agent, start } = linked();
    const job = start({ timeoutMs: 5_000 });
    vi.advanceTimersByTime(5_000);
    expect(agent.received.at(-1)).toMatchObject({ type: "cancel", reason: "timed-out" });
    agent.say({ type: "response", id: job.id, ok: false, error: "cancelled" });
    expect(job.state).toBe("timed-out");
  });

  it("times out with an honest note when the computer cannot or does not stop it", () => {
    const old = linked({});
    const unstoppable = old.start({ timeoutMs: 100 });
    vi.advanceTimersByTime(100);
    expect(unstoppable).toMatchObject({
      state: "timed-out",
      note: texts.theAgentThereCannot,
    });
    const { start } = linked();
    const deaf = start({ timeoutMs: 100 });
    vi.advanceTimersByTime(2_200);
    expect(deaf).toMatchObject({
      state: "timed-out",
      note: texts.theOtherSideDidNot,
    });
  });
});

describe("a dropped link", () => {
  it("puts a job in doubt, and a reconnect that names it continues where it stopped", () => {
    const { registry, agent, start } = linked();
    const job = start();
    agent.say({ type: "output", id: job.id, seq: 0, text: "a" });
    agent.end.drop();
    expect(job).toMatchObject({ state: "running", status: { linked: false } });
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: [job.id] });
    expect(again.received[0]).toMatchObject({ type: "hello-ok", jobs: [{ id: job.id, seq: 1 }] });
    expect(job.status.linked).toBe(true);
    again.say({ type: "output", id: job.id, seq: 1, text: "b" });
    again.say({ type: "response", id: job.id, ok: true });
    expect(job).toMatchObject({ state: "done" });
    expect(job.output.toString()).toBe("ab");
    expect(again.requests("exec-lua")).toEqual([]);
  });

  it("loses a job that the computer comes back without", () => {
    const { registry, agent, start } = linked();
    const job = start();
    agent.end.drop();
    connectAgent(registry).hello(1, keeping);
    expect(job).toMatchObject({ state: "lost", note: expect.stringContaining("rebooted") });
  });

  it("says of a job that never arrived that it did not begin, also when it was cancelled", () => {
    const running = { ...keeping, run: "r1" };
    const { registry, agent, start } = linked(running);
    const [job, unwanted] = [start(), start()];
    agent.end.drop();
    registry.jobs.stop(unwanted, "cancelled");
    connectAgent(registry).hello(1, running);
    const neverArrived = { isGone: true, note: texts.itNeverArrivedThereSo };
    expect(job).toMatchObject({ state: "failed", ...neverArrived });
    expect(unwanted).toMatchObject({ state: "cancelled", ...neverArrived });
  });

  it("loses a job that printed, or that an earlier run of the program had", () => {
    const { registry, agent, start } = linked({ ...keeping, run: "r1" });
    const job = start();
    agent.say({ type: "output", id: job.id, seq: 0, text: "a" });
    agent.end.drop();
    connectAgent(registry).hello(1, { ...keeping, run: "r1" });
    expect(job).toMatchObject({ state: "lost", note: expect.stringContaining("rebooted") });
    const { registry: other, agent: before, start: startThere } = linked({ ...keeping, run: "r1" });
    const earlier = startThere();
    before.end.drop();
    connectAgent(other).hello(1, { ...keeping, run: "r2" });
    expect(earlier).toMatchObject({ state: "lost", note: expect.stringContaining("rebooted") });
  });

  it("does not accept a job's answer from another instance", () => {
    const { registry, agent, start } = linked();
    const job = start();
    agent.end.drop();
    const impostor = connectAgent(registry);
    impostor.hello(1, { ...keeping, instance: "other", jobs: [job.id] });
    impostor.say({ type: "response", id: job.id, ok: true, result: "fake" });
    expect(job).toMatchObject({ state: "running", status: { linked: false }, response: undefined });
  });

  it("loses a job whose computer stays away, counting from the last drop", () => {
    const { registry, agent, start } = linked(keeping, { lostAfterMs: 10_000 });
    const job = start();
    agent.end.drop();
    vi.advanceTimersByTime(9_000);
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: [job.id] });
    again.end.drop();
    vi.advanceTimersByTime(9_000);
    expect(job.state).toBe("running");
    vi.advanceTimersByTime(1_000);
    expect(job).toMatchObject({ state: "lost", note: texts.theOtherSideStayedAway });
  });

  it("continues a lost job that turns up after all", () => {
    const { registry, agent, start } = linked(keeping, { lostAfterMs: 1_000 });
    const job = start();
    agent.end.drop();
    vi.advanceTimersByTime(1_000);
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: [job.id] });
    again.say({ type: "response", id: job.id, ok: true, result: "late" });
    expect(job).toMatchObject({
      state: "done",
      note: undefined,
      response: { result: { returns: [{ value: "late" }] } },
    });
    vi.advanceTimersByTime(ACK_DELAY_MS);
    expect(again.received.at(-1)).toEqual({ type: "ack", id: job.id });
  });

  it("loses the jobs of an agent that cannot keep them at once", () => {
    const { agent, start } = linked(v2);
    const job = start();
    agent.end.drop();
    expect(job).toMatchObject({ state: "lost", note: expect.stringContaining("too old to keep") });
  });

  it("continues where it was when its computer says hello again, since it did not hear the greeting", () => {
    const { registry, agent, start } = linked();
    const [named, unnamed] = [start(), start()];
    agent.say({ type: "output", id: named.id, seq: 0, text: "a" });
    agent.end.drop();
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: [named.id] });
    const onItsWay = start();
    again.hello(1, { ...keeping, jobs: [named.id] });
    const greetings = again.received.filter(({ type }) => type === "hello-ok");
    expect(greetings).toHaveLength(2);
    expect(greetings[1]).toEqual(greetings[0]);
    expect(greetings[1]).toMatchObject({ jobs: [{ id: named.id, seq: 1 }] });
    const states = [named, unnamed, onItsWay].map(({ state }) => state);
    expect(states).toEqual(["running", "lost", "running"]);
    expect(again.requests("exec-lua").map(({ id }) => id)).toEqual([onItsWay.id]);
    again.say({ type: "response", id: onItsWay.id, ok: true });
    expect(onItsWay.state).toBe("done");
  });

  it("waits for the computer when it is given to a link that is over", () => {
    const { registry, agent, start } = linked();
    agent.end.drop();
    const job = start();
    expect(job.state).toBe("queued");
    const again = connectAgent(registry);
    again.hello(1, keeping);
    expect(job.state).toBe("running");
    expect(again.requests("exec-lua").map(({ id }) => id)).toEqual([job.id]);
    expect(start().state).toBe("running");
    expect(again.requests("exec-lua")).toHaveLength(2);
  });

  it("keeps what was not sent until the computer is back, and sends it once", () => {
    const { registry, agent, start } = linked(keeping, { maxJobs: 1 });
    const first = start();
    const second = start();
    agent.end.drop();
    const again = connectAgent(registry);
    again.hello(1, keeping);
    expect([first.state, second.state]).toEqual(["lost", "running"]);
    expect(again.requests("exec-lua").map(({ id }) => id)).toEqual([second.id]);
  });

  it("notifies a returning computer of a cancel that it missed", () => {
    const { registry, agent, start } = linked();
    const job = start();
    agent.end.drop();
    registry.jobs.stop(job, "cancelled");
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: [job.id] });
    expect(again.received.at(-1)).toMatchObject({ type: "cancel", id: job.id });
  });

  it("has an answer that was delivered before acknowledged again", () => {
    const { registry, agent, start } = linked();
    const job = start();
    agent.say({ type: "response", id: job.id, ok: true, result: 1 });
    agent.end.drop();
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: [job.id] });
    vi.advanceTimersByTime(ACK_DELAY_MS);
    expect(again.received.at(-1)).toEqual({ type: "ack", id: job.id });
    again.say({ type: "response", id: job.id, ok: true, result: 2 });
    expect(job).toMatchObject({ state: "done", response: { result: { returns: [{ value: 1 }] } } });
  });
});

describe("jobs of an earlier bridge", () => {
  it("are adopted, with their further output", () => {
    const registry = createRegistry();
    const agent = connectAgent(registry);
    agent.hello(1, { ...keeping, jobs: ["old-7"] });
    const job = registry.jobs.get("old-7");
    expect(job).toMatchObject({ state: "running", adopted: true, summary: null });
    agent.say({ type: "output", id: "old-7", seq: 0, text: "still here" });
    agent.say({ type: "response", id: "old-7", ok: true });
    expect(job).toMatchObject({ state: "done" });
    expect(job?.output.toString()).toBe("still here");
  });

  it("are cancelled if the owner wants it so", () => {
    const registry = createRegistry({ unknownJobs: "cancel" });
    const agent = connectAgent(registry);
    agent.hello(1, { ...keeping, jobs: ["old-7"] });
    expect(agent.received.at(-1)).toMatchObject({ type: "cancel", id: "old-7" });
    agent.say({ type: "response", id: "old-7", ok: false, error: "cancelled" });
    expect(registry.jobs.get("old-7")?.state).toBe("cancelled");
  });

  it("are believed up to a bound", () => {
    const registry = createRegistry();
    const jobs = Array.from({ length: 1_000 }, (_, i) => `old-${i}`);
    connectAgent(registry).hello(1, { ...keeping, jobs });
    expect(registry.jobs.list().length).toBeLessThanOrEqual(64);
  });
});

describe("the time limit of a job", () => {
  it("goes with its request to an agent that keeps jobs: what is left of it when it is sent", () => {
    const { agent, start } = linked(keeping, { maxJobs: 1 });
    const first = start();
    const second = start({ timeoutMs: 60_000 });
    vi.advanceTimersByTime(20_000);
    agent.say({ type: "response", id: first.id, ok: true });
    expect(agent.requests("exec-lua")).toEqual([
      { type: "request", id: first.id, method: "exec-lua", params: { code: "x" } },
      {
        ...{ type: "request", id: second.id, method: "exec-lua", params: { code: "x" } },
        timeoutMs: 40_000,
      },
    ]);
    const forgetful = linked(v2);
    forgetful.start({ timeoutMs: 60_000 });
    expect(forgetful.agent.requests("exec-lua")[0]).not.toHaveProperty("timeoutMs");
  });

  const answer = { ok: false, error: "cancelled", reason: "timed-out" } as const;

  it("may be kept by the agent, also for a job of an earlier bridge", () => {
    const { registry, agent, start } = linked();
    const own = start({ timeoutMs: 60_000 });
    agent.say({ type: "response", id: own.id, ...answer });
    expect(own.state).toBe("timed-out");
    agent.end.drop();
    const again = connectAgent(registry);
    again.hello(1, { ...keeping, jobs: ["req-before"] });
    const adopted = registry.jobs.get("req-before");
    expect(adopted).toMatchObject({ adopted: true, state: "running" });
    again.say({ type: "response", id: "req-before", ...answer, result: { output: "so far" } });
    expect(adopted?.state).toBe("timed-out");
    expect(adopted?.output.toString()).toBe("so far");
    vi.advanceTimersByTime(ACK_DELAY_MS);
    expect(again.received.at(-1)).toEqual({ type: "ack", id: "req-before" });
    expect(vi.getTimerCount()).toBe(1);
  });

  it("does not count for a job that was cancelled before, or that another computer has", () => {
    const { registry, agent, start } = linked();
    const job = start({ timeoutMs: 60_000 });
    const other = connectAgent(registry);
    other.hello(2, { ...keeping, instance: "i2" });
    other.say({ type: "response", id: job.id, ...answer });
    expect(job.status).toMatchObject({ state: "running", stopping: undefined });
    registry.jobs.stop(job, "cancelled");
    agent.say({ type: "response", id: job.id, ...answer });
    expect(job.state).toBe("cancelled");
  });
});

describe("finished jobs", () => {
  it("are kept by number and by age", () => {
    const { registry, agent, start } = linked(keeping, { keepJobs: 3, keepJobsMs: 60_000 });
    const ids = Array.from({ length: 5 }, () => {
      const { id } = start();
      agent.say({ type: "response", id, ok: true });
      return id;
    });
    expect(registry.jobs.list().map(({ id }) => id)).toEqual(ids.slice(2));
    vi.advanceTimersByTime(60_001);
    expect(registry.jobs.list()).toEqual([]);
    expect(registry.jobs.get(ids[4] ?? "")).toBeUndefined();
  });

  it("leave nothing behind: a thousand jobs, no timers, no listeners", async () => {
    const { registry, agent, start } = linked();
    for (let i = 0; i < 1_000; i++) {
      const job = start({ timeoutMs: 60_000 });
      const waiting = registry.jobs.wait(job, { until: () => job.ended, timeoutMs: 60_000 });
      agent.say({ type: "response", id: job.id, ok: true });
      await waiting;
    }
    expect(registry.jobs.list()).toHaveLength(100);
    registry.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("waiting for a job", () => {
  it("ends with its condition, its time or its caller, and never fails", async () => {
    const { registry, agent, start } = linked();
    const job = start();
    const printed = registry.jobs.wait(job, { until: () => job.output.end > 0, timeoutMs: 60_000 });
    agent.say({ type: "output", id: job.id, seq: 0, text: "x" });
    await printed;
    const controller = new AbortController();
    const never = { until: () => false, timeoutMs: 1_000 };
    const waits = [
      registry.jobs.wait(job, never),
      registry.jobs.wait(job, { ...never, timeoutMs: 1e6, signal: controller.signal }),
    ];
    controller.abort();
    vi.advanceTimersByTime(1_000);
    await Promise.all(waits);
    registry.close();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a request that the game dropped", () => {
  const checking = { ...keeping, methods: [...keeping.methods, "check-requests"] };
  const asked = (agent: ReturnType<typeof connectAgent>, job: Job) =>
    agent.requests("exec-lua").filter(({ id }) => id === job.id).length;

  async function untilAsked(agent: ReturnType<typeof connectAgent>): Promise<string> {
    await vi.advanceTimersByTimeAsync(6_000);
    return agent.requests("check-requests").at(-1)?.id ?? "";
  }

  const unknown = (id: string, ids: string[]) =>
    ({ type: "response", id, ok: true, result: { unknown: ids } }) as const;

  it("is sent again under the same id, and then counts as sent", async () => {
    const { agent, start } = linked(checking);
    const [lost, arrived] = [start(), start()];
    const id = await untilAsked(agent);
    expect(agent.requests("check-requests").at(-1)?.params).toEqual({ ids: [lost.id, arrived.id] });
    agent.say(unknown(id, [lost.id]));
    await vi.advanceTimersByTimeAsync(0);
    expect([asked(agent, lost), asked(agent, arrived)]).toEqual([2, 1]);
    await untilAsked(agent);
    expect(agent.requests("check-requests").at(-1)?.params).toEqual({ ids: [lost.id] });
  });

  it("is not sent again behind its own cancel", async () => {
    const { registry, agent, start } = linked(checking);
    const job = start();
    const id = await untilAsked(agent);
    registry.jobs.stop(job, "cancelled");
    agent.say(unknown(id, [job.id]));
    await vi.advanceTimersByTimeAsync(0);
    expect(asked(agent, job)).toBe(1);
    agent.say({ type: "response", id: job.id, ok: false, error: "unknown request" });
    expect(job).toMatchObject({
      state: "cancelled",
      note: texts.itNeverArrivedThereSo,
    });
  });

  it("is never checked with an agent that cannot answer", async () => {
    const { agent, start } = linked(keeping);
    start();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(agent.requests("check-requests")).toEqual([]);
  });
});
