import { expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";

const order = { method: "exec-lua", params: { code: "x" }, summary: "x" };

it("a job that counts as lost is running again when its computer comes back with it", async () => {
  const bridge = await startTestBridge({ lostAfterMs: 30 });
  const { jobs } = bridge.registry;
  const first = await linkHostile(bridge.linkUrl, {});
  const job = jobs.start(bridge.computers.find(1), order);
  first.terminate();
  await vi.waitFor(() => expect(job.state).toBe("lost"));
  const again = await linkHostile(bridge.linkUrl, { jobs: [job.id] });
  expect(job).toMatchObject({ state: "running", note: undefined, endedAt: undefined });
  again.send(result(job.id, { returns: ["after all"] }));
  await vi.waitFor(() => expect(job.state).toBe("done"));
});

it("a job that timed out and was not stopped keeps its place", async () => {
  const bridge = await startTestBridge({ maxJobs: 1, cancelGraceMs: 20 });
  const { jobs } = bridge.registry;
  const deaf = await linkHostile(bridge.linkUrl, {});
  const link = bridge.computers.find(1);
  const stubborn = jobs.start(link, { ...order, timeoutMs: 20 });
  const next = jobs.start(link, order);
  await vi.waitFor(() => expect(stubborn.state).toBe("timed-out"));
  expect(next.state).toBe("queued");
  deaf.send({ type: "response", id: stubborn.id, ok: false, error: "cancelled" });
  await vi.waitFor(() => expect(next.state).toBe("running"));
});

it("a cancel that was not heeded is sent again when it is asked for again", async () => {
  const bridge = await startTestBridge({ cancelGraceMs: 60_000 });
  const { jobs } = bridge.registry;
  const received: string[] = [];
  const programs = { x: () => new Promise<never>(() => {}) };
  const { socket } = await linkComputer(bridge.linkUrl, { computerId: 1, programs });
  socket.on("message", (data) => received.push(JSON.parse(data.toString()).type));
  const job = jobs.start(bridge.computers.find(1), order);
  jobs.stop(job, "cancelled");
  jobs.stop(job, "cancelled");
  await vi.waitFor(() => expect(received.filter((type) => type === "cancel")).toHaveLength(2));
});
