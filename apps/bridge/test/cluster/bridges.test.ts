import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { connectClient } from "../helpers/sdk-client.js";

describe.skipIf(noNats !== undefined)(`two bridges${noNats ? ` (${noNats})` : ""}`, () => {
  it("serve the computers of both", async () => {
    const [a, b] = await startCluster(2);
    await linkComputer(b.linkUrl, { computerId: 12, label: "far" });
    const client = await connectClient(a.mcpUrl);
    await expect
      .poll(async () => textOf(await client.callTool({ name: "list-computers" })))
      .toContain("far");
  });
});

async function startCluster(count: number): Promise<[TestBridge, TestBridge]> {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  const names = Array.from({ length: count }, (_, index) => `b${index + 1}`);
  const bridges = await Promise.all(
    names.map((clusterName) => startTestBridge({ cluster: [nats.url], clusterName })),
  );
  return bridges as [TestBridge, TestBridge];
}

function textOf(result: unknown): string {
  return (result as { content: { text: string }[] }).content.map(({ text }) => text).join("\n");
}
