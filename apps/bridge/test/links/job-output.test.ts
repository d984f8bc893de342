import { expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const KEPT_BYTES = 8 * 1_024 * 1_024;
const LOUD = 60;
const RESULTS = 15;
const piece = "x".repeat(50_000);
const PIECES = 6;

it("computers that print a lot do not push out the finished results of another one", async () => {
  const bridge = await startTestBridge({ maxKeptBytes: KEPT_BYTES });
  const client = await connectClient(bridge.mcpUrl);
  await linkComputer(bridge.linkUrl, {
    computerId: 1,
    programs: { answer: () => [{ type: "string", value: "the answer" }] },
  });
  const ids: string[] = [];
  for (let i = 0; i < RESULTS; i++) {
    const { structuredContent } = await callTool(client, "exec-lua", {
      computerId: 1,
      code: "answer",
    });
    ids.push((structuredContent as { jobId: string }).jobId);
  }

  const print = async (run: { write(text: string): void }) => {
    for (let i = 0; i < PIECES; i++) run.write(piece);
  };
  const programs = {
    "print and end": async (run: { write(text: string): void }) => {
      await print(run);
      return [];
    },
    "print and go on": async (run: { write(text: string): void }) => {
      await print(run);
      return new Promise<never>(() => {});
    },
  };
  const { jobs } = bridge.registry;
  const loud = await Promise.all(
    Array.from({ length: LOUD }, async (_, index) => {
      const computerId = 100 + index;
      await linkComputer(bridge.linkUrl, { computerId, programs });
      const code = index % 2 === 0 ? "print and end" : "print and go on";
      const order = { method: "exec-lua", params: { code }, summary: code };
      return jobs.start(bridge.computers.find(computerId), order);
    }),
  );
  await vi.waitFor(
    () => {
      for (const job of loud) expect(job.output.end).toBe(PIECES * piece.length);
    },
    { timeout: 30_000 },
  );

  const texts = await Promise.all(
    ids.map(async (jobId) => (await callTool(client, "get-job", { jobId })).text),
  );
  for (const text of texts) expect(text).toContain("the answer");
  const kept = jobs.list().reduce((sum, { bytes }) => sum + bytes, 0);
  expect(kept).toBeLessThanOrEqual(KEPT_BYTES);
  for (const job of loud) expect(jobs.get(job.id)).toBe(job);
}, 60_000);
