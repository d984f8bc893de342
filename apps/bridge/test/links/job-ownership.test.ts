import { expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";

const order = { method: "exec-lua", params: { code: "x" }, summary: "x" };

it("a computer cannot end, overwrite or push out the jobs of another", async () => {
  const bridge = await startTestBridge();
  const { jobs } = bridge.registry;
  const good = await linkHostile(bridge.linkUrl, { computerId: 1, instance: "good" });
  const link = bridge.computers.find(1);
  const [running, done] = [jobs.start(link, order), jobs.start(link, order)];
  good.send(result(done.id, { returns: ["mine"] }));
  await vi.waitFor(() => expect(done.state).toBe("done"));

  const claimed = [running.id, ...Array.from({ length: 60 }, (_, i) => `own-${i}`)];
  const thief = await linkHostile(bridge.linkUrl, {
    computerId: 2,
    instance: "bad",
    jobs: claimed,
  });
  for (const id of claimed) {
    thief.send({ type: "output", id, seq: 0, text: "stolen" });
    thief.send(result(id, { returns: ["stolen"] }));
  }
  await thief.sent();
  const own = "own-59";
  await vi.waitFor(() => expect(jobs.get(own)?.state).toBe("done"));
  for (let i = 0; i < 300; i++) {
    const job = jobs.start(bridge.computers.find(2), order);
    thief.send(result(job.id, {}));
    if (i % 4 === 3) await vi.waitFor(() => expect(job.ended).toBe(true), { interval: 1 });
  }
  expect(jobs.get(running.id)).toBe(running);
  expect(jobs.get(done.id)).toBe(done);
  expect(running).toMatchObject({ state: "running", response: undefined });
  expect(running.output.end).toBe(0);
  good.send(result(running.id, { returns: ["mine too"] }));
  await vi.waitFor(() => expect(running.state).toBe("done"));
  expect(running.response?.result).toMatchObject({ returns: [{ value: "mine too" }] });
});

it("ids cannot be derived from earlier ones", async () => {
  const bridge = await startTestBridge();
  await linkHostile(bridge.linkUrl, {});
  const link = bridge.computers.find(1);
  const ids = Array.from({ length: 64 }, () => bridge.registry.jobs.start(link, order).id);
  expect(new Set(ids.map((id) => id.slice(0, 6))).size).toBe(64);
  expect(new Set(ids.map((id) => id.slice(-6))).size).toBe(64);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{18}$/);
});
