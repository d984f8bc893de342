import type { Job } from "@ccbridge/registry";
import { expect, it, vi } from "vitest";
import { heldBytes } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";

const JOBS = 16;
const long = "x".repeat(4_000_000);
const order = { method: "exec-lua", params: { code: "x" }, summary: "x" };

it.each<[string, (id: string) => object]>([
  ["an error", (id) => ({ type: "response", id, ok: false, error: long })],
  ["a returned value", (id) => result(id, { returns: [{ type: "string", value: long }] })],
  ["its output", (id) => result(id, { returns: [], output: long })],
])(
  "the truncated part of %s is not kept",
  async (_, answer) => {
    const bridge = await startTestBridge({ maxOutputLength: 1_024 });
    const computer = await linkHostile(bridge.linkUrl, {});
    const link = bridge.computers.find(1);
    const before = await heldBytes();
    const jobs: Job[] = [];
    for (let i = 0; i < JOBS; i++) {
      const job = bridge.registry.jobs.start(link, order);
      computer.send(answer(job.id));
      await vi.waitFor(() => expect(job.ended).toBe(true), { timeout: 10_000 });
      jobs.push(job);
    }
    expect((await heldBytes()) - before).toBeLessThan(16_000_000);
    for (const job of jobs) expect(bridge.registry.jobs.get(job.id)).toBe(job);
  },
  60_000,
);

it("the code of a call is not held for the summary of its job", async () => {
  const bridge = await startTestBridge();
  await linkHostile(bridge.linkUrl, {});
  const link = bridge.computers.find(1);
  const before = await heldBytes();
  for (let i = 0; i < JOBS; i++) {
    const code = JSON.parse(JSON.stringify(`${i}${long}`)) as string;
    bridge.registry.jobs.start(link, { ...order, summary: code.slice(0, 80) });
  }
  expect((await heldBytes()) - before).toBeLessThan(16_000_000);
});
