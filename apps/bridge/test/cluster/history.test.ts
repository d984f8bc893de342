import { join } from "node:path";
import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { startCluster } from "./start-cluster.js";

const programs = { "return 1": () => [{ type: "number", value: 1 }] };
const inFile = (): Partial<Config> => ({
  history: "on",
  historyFile: join(scratchDirectory(), "history.db"),
});

describe.skipIf(noNats !== undefined)(
  `the history of a cluster${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("has calls, links and events of all bridges on each, after the one where they happened is lost", async () => {
      const [a, b] = await startCluster(inFile(), inFile());
      const { fake } = await linkComputer(a.linkUrl, { computerId: 12, label: "far", programs });
      await run(a, 12);
      fake.send({
        type: "event",
        seq: 0,
        name: "redstone",
        args: ["left"],
        time: Date.now(),
      } as never);
      await expect.poll(() => history(b)).toContain("exec-lua");
      await expect.poll(() => history(b)).toContain("event redstone");
      await a.close();
      const text = await history(b);
      expect(text).toContain("exec-lua");
      expect(text).toContain("computer 12 (Label: far) linked");
      expect(text).toContain("event redstone");
      // Its own log of events has none of them.
      expect(b.registry.events.list()).toEqual([]);
    });

    it("is read on from where a bridge stopped, nothing twice", async () => {
      const file = inFile();
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const cluster = [nats.url];
      const a = await startTestBridge({ cluster, ...inFile() });
      const b = await startTestBridge({ cluster, ...file });
      await linkComputer(a.linkUrl, { computerId: 12, programs });
      await run(a, 12);
      await expect.poll(() => calls(b)).toBe(1);
      await b.close();
      await run(a, 12);
      const again = await startTestBridge({ cluster, ...file });
      await expect.poll(() => calls(again)).toBe(2);
      await run(a, 12);
      await expect.poll(() => calls(again)).toBe(3);
      expect(await calls(a)).toBe(3);
    });

    it("keeps what happened while NATS was away, and says what is not seen meanwhile", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const cluster = [nats.url];
      const [a, b] = [
        await startTestBridge({ cluster }),
        await startTestBridge({ cluster, ...inFile() }),
      ];
      await linkComputer(a.linkUrl, { computerId: 12, programs });
      await run(a, 12);
      await expect.poll(() => calls(b)).toBe(1);
      expect(await history(b)).not.toContain(texts.onOtherBridgesIsMissing);
      await nats.stop();
      await expect.poll(() => history(b)).toContain(texts.onOtherBridgesIsMissing);
      await run(a, 12);
      await nats.start();
      await expect.poll(() => calls(b)).toBe(2);
      await expect.poll(() => history(b)).not.toContain(texts.onOtherBridgesIsMissing);
    });

    it("shows the calls of other bridges on one without a file, also those of before it started", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const cluster = [nats.url];
      const a = await startTestBridge({ cluster });
      await linkComputer(a.linkUrl, { computerId: 12, programs });
      await run(a, 12);
      const b = await startTestBridge({ cluster });
      await expect.poll(() => calls(b)).toBe(1);
    });
  },
);

async function run({ mcpUrl }: TestBridge, computerId: number): Promise<void> {
  const client = await connectClient(mcpUrl);
  expect((await callTool(client, "exec-lua", { computerId, code: "return 1" })).isError).not.toBe(
    true,
  );
  await client.close();
}

async function history({ mcpUrl }: TestBridge): Promise<string> {
  const client = await connectClient(mcpUrl);
  const { text } = await callTool(client, "get-history", {});
  await client.close();
  return text;
}

async function calls(bridge: TestBridge): Promise<number> {
  return (await history(bridge)).split("\n").filter((line) => line.includes(" exec-lua by "))
    .length;
}
