import { expect, it, vi } from "vitest";
import { heldBytes } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile } from "../helpers/hostile-computer.js";

const COMPUTERS = 24;
const JOBS = 64;
const KEPT_BYTES = 134_217_728;

it("computers that bring jobs and output along, one after the other, hold no more than all may", async () => {
  const bridge = await startTestBridge();
  const before = await heldBytes();
  const text = "x".repeat(100_000);
  for (let computerId = 0; computerId < COMPUTERS; computerId++) {
    const jobs = Array.from({ length: JOBS }, (_, i) => `job-${computerId}-${i}`);
    const computer = await linkHostile(bridge.linkUrl, {
      computerId,
      instance: `i${computerId}`,
      jobs,
    });
    for (const id of jobs) computer.send({ type: "output", id, seq: 0, text });
    await computer.sent();
    const last = jobs.at(-1) ?? "";
    await vi.waitFor(() => {
      const job = bridge.registry.jobs.get(last);
      if (job !== undefined) expect(job.nextSeq).toBe(1);
    });
    computer.terminate();
    await computer.closed;
    await vi.waitFor(() => expect(bridge.registry.size).toBe(0));
  }
  const kept = bridge.registry.jobs.list();
  const open = kept.filter(({ ended }) => !ended);
  expect(open.length).toBeLessThanOrEqual(1_024);
  expect(kept.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(KEPT_BYTES * 1.01);
  expect((await heldBytes()) - before).toBeLessThan(2 * KEPT_BYTES);
});
