import { startNats } from "@ccbridge/cluster/testing";
import { expect, onTestFinished } from "vitest";
import type { Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { health } from "../helpers/spawn-bridge.js";

/** Bridges of one cluster, in this process, with their own NATS server. They see each other. */
export async function startCluster(
  ...settings: Partial<Config>[]
): Promise<[TestBridge, TestBridge, TestBridge]> {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  const bridges = await Promise.all(
    settings.map((more, index) =>
      startTestBridge({ cluster: [nats.url], clusterName: `b${index + 1}`, ...more }),
    ),
  );
  for (const { mcpUrl } of bridges) {
    await expect
      .poll(async () => ((await health(mcpUrl)).cluster as { members: number }).members)
      .toBe(bridges.length);
  }
  return bridges as [TestBridge, TestBridge, TestBridge];
}
