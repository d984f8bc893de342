import { describe, expect, it } from "vitest";
import { greet, type Link } from "./scripted-bridge.js";
import { startAgent } from "./start-agent.js";

const timedOut = { ok: false, error: "cancelled", reason: "timed-out" };
const WAITING = "print('begun') while true do pcall(sleep, 1) end";

async function run(link: Link, code: string, timeoutMs: unknown, id = `req-${Math.random()}`) {
  link.sendRaw({ type: "request", id, method: "exec-lua", params: { code }, timeoutMs });
  await link.request("ping");
  return id;
}

describe("a request with timeoutMs", () => {
  it("is stopped at that age", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = await run(link, WAITING, 10_000);
    await agent.world.advance(9_500);
    expect(link.responses(id)).toEqual([]);
    await agent.world.advance(1_000);
    expect(await link.response(id)).toMatchObject({ ...timedOut, result: { output: "begun\n" } });
    await agent.computer.idle();
    expect(await link.exec("return 'well'")).toMatchObject({ ok: true });
    expect(link.responses(id)).toHaveLength(1);
  });

  it("is stopped while its code computes, at the right time", async () => {
    const greeting = greet({ jobs: [] });
    await using agent = await startAgent({ greeting, world: { time: "real" } });
    const link = await agent.link();
    const began = performance.now();
    const id = await run(link, "while true do pcall(function() while true do end end) end", 500);
    expect(await link.response(id)).toMatchObject(timedOut);
    expect(performance.now() - began).toBeGreaterThan(440);
    expect(agent.computer.stats).toMatchObject({ softAborts: 0, hardAborts: 0 });
  });

  it("is stopped in the order of the deadlines, and one that ends in time is not", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const late = await run(link, WAITING, 20_000);
    const soon = await run(link, WAITING, 5_000);
    const quick = await run(link, "sleep(2) return 'quick'", 4_000);
    await agent.world.advance(6_000);
    expect(await link.response(quick)).toMatchObject({ ok: true });
    expect(await link.response(soon)).toMatchObject(timedOut);
    expect(link.responses(late)).toEqual([]);
    await agent.world.advance(15_000);
    expect(await link.response(late)).toMatchObject(timedOut);
    for (const id of [late, soon, quick]) link.sendRaw({ type: "ack", id });
    await link.request("ping");
    expect(agent.computer.stats.timersActive).toBe(2);
  });

  it("is stopped while the link is down, and says so on the next one", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = await run(link, WAITING, 10_000);
    agent.bridge.greeting = () => {};
    link.drop();
    await agent.world.advance(12_000);
    const next = await agent.link(2);
    expect(next.hello.jobs).toEqual([id]);
    greet({ jobs: [{ id, seq: 0 }] })(next);
    expect(await next.response(id)).toMatchObject({ ...timedOut, result: { output: "begun\n" } });
  });

  it("is cancelled like any other before that", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = await run(link, WAITING, 10_000);
    link.cancel(id);
    const answer = await link.response(id);
    expect(answer).toMatchObject({ ok: false, error: "cancelled" });
    expect(answer).not.toHaveProperty("reason");
  });

  it("has its time while the world is paused, which the wall clock does not know", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = await run(link, WAITING, 30_000);
    agent.world.shiftClock(3_600_000);
    await link.request("ping");
    await agent.world.advance(29_000);
    await link.request("ping");
    expect(link.responses(id)).toEqual([]);
    await agent.world.advance(2_000);
    expect(await link.response(id)).toMatchObject(timedOut);
  });

  it("ends in time although the wall clock is set back", async () => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = await run(link, WAITING, 10_000);
    agent.world.shiftClock(-3_600_000);
    await agent.world.advance(11_000);
    expect(await link.response(id)).toMatchObject(timedOut);
  });

  it.each([0, -5, "5", null, {}])("of %j has no limit", async (timeoutMs) => {
    await using agent = await startAgent({ greeting: greet({ jobs: [] }) });
    const link = await agent.link();
    const id = await run(link, WAITING, timeoutMs);
    await agent.world.advance(10_000);
    await link.request("ping");
    expect(link.responses(id)).toEqual([]);
  });
});
