import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const exec = { computerId: 1, code: "go" };

it("answers are kept cut, and shown again in no time", async () => {
  const bridge = await startTestBridge();
  await linkHostile(bridge.linkUrl, {}, ({ id }, computer) =>
    computer.send(result(id, { returns: Array.from({ length: 200 }, () => "x".repeat(20_000)) })),
  );
  const client = await connectClient(bridge.mcpUrl);
  for (let i = 0; i < 5; i++) await callTool(client, "exec-lua", exec);
  const jobs = bridge.registry.jobs.list();
  expect(jobs.map(({ state }) => state)).toEqual(Array.from({ length: 5 }, () => "done"));
  for (const { bytes } of jobs) expect(bytes).toBeLessThan(200_000);
  const before = process.cpuUsage();
  const { text } = await callTool(client, "get-job", { jobId: jobs[0]?.id ?? "" });
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
  expect(text.length).toBeLessThan(12_000);
});

it("an answer of millions of values fails its call, and does not hold up the rest", async () => {
  const bridge = await startTestBridge();
  await linkHostile(bridge.linkUrl, {}, ({ id }, computer) =>
    computer.send(
      `{"type":"response","id":"${id}","ok":true,"result":{"returns":[${"1,".repeat(7_900_000)}1]}}`,
    ),
  );
  const client = await connectClient(bridge.mcpUrl);
  const { isError, text } = await callTool(client, "exec-lua", exec);
  expect(isError).toBe(true);
  expect(text).toContain("cannot be read");
});
