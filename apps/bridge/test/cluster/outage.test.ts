import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Config } from "../../src/index.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { health } from "../helpers/spawn-bridge.js";

const tokenA = `a-token-${"x".repeat(32)}`;
const tokenB = `b-token-${"y".repeat(32)}`;
const tokenC = `c-token-${"z".repeat(32)}`;
const patience = { timeout: 60_000 };

describe.skipIf(noNats !== undefined)(
  `what is decided while NATS is away${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("a token that was removed then ends everywhere afterwards, whatever other files were changed later", async () => {
      const { nats, one, two, files } = await start();
      await nats.stop();
      await isAlone(one, two);
      writeFileSync(files[0], `${tokenA} name=owner\n`);
      await expect.poll(() => names(one), patience).toEqual(["owner"]);
      writeFileSync(files[1], `${tokenA} name=owner\n${tokenB} name=guest\n${tokenC} name=third\n`);
      await nats.start();
      for (const bridge of [one, two]) {
        await expect.poll(() => names(bridge), patience).toEqual(["owner", "third"]);
      }
      for (const file of files) expect(readFileSync(file, "utf8")).not.toContain(tokenB);
      // Added again, it counts again.
      writeFileSync(files[0], `${tokenA} name=owner\n${tokenB} name=guest\n`);
      await expect.poll(() => names(two), patience).toEqual(["owner", "guest"]);
    });

    it("a NATS without JetStream is none: the bridge works alone, and says what it cannot see", async () => {
      const nats = await startNats({ jetstream: false });
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const bridge = await startTestBridge({ cluster: [nats.url] });
      await expect
        .poll(async () => (await health(bridge.mcpUrl)).cluster)
        .toMatchObject({
          state: "alone",
          trouble: expect.stringMatching(/jetstream/i),
        });
      await linkComputer(bridge.linkUrl, { computerId: 1, programs: { "return 1": () => [] } });
      const client = await connectClient(bridge.mcpUrl);
      const args = { computerId: 1, code: "return 1" };
      expect((await callTool(client, "exec-lua", args)).isError).not.toBe(true);
      for (const tool of ["get-history", "list-changes"]) {
        const { text } = await callTool(client, tool);
        expect(text).toContain(texts.onOtherBridgesIsMissing);
      }
    });

    it("a quota counts on each bridge alone then", async () => {
      const { nats, one, two, files } = await start();
      await nats.stop();
      await isAlone(one, two);
      for (const file of files) writeFileSync(file, `${tokenC} name=third quota=3/day\n`);
      for (const bridge of [one, two]) {
        await expect.poll(() => names(bridge), patience).toEqual(["third"]);
        const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer ${tokenC}` });
        const answers: boolean[] = [];
        for (let n = 0; n < 5; n++) {
          answers.push((await callTool(client, "list-computers")).isError === true);
        }
        expect(answers).toEqual([false, false, false, true, true]);
      }
    });

    it("a permission that was revoked then does not come back", async () => {
      const { nats, one, two } = await start();
      const [ownerOne, ownerTwo] = [one, two].map(({ clients }) => clients.find(tokenA));
      if (ownerOne === undefined || ownerTwo === undefined) throw new Error("no client");
      const targets = [{ key: "k", name: "computer 1" }];
      const { id } = one.permissions.grant(ownerOne, {
        tool: "exec-lua",
        targets,
        grantedBy: "me",
      });
      const holds = (bridge: TestBridge, owner: typeof ownerOne) =>
        bridge.permissions.allowedBy(owner, "exec-lua", targets);
      await expect.poll(() => holds(two, ownerTwo)).toBe("me");
      await nats.stop();
      await isAlone(one, two);
      one.permissions.revoke(id);
      await nats.start();
      await expect.poll(() => holds(two, ownerTwo), patience).toBe(undefined);
      expect(holds(one, ownerOne)).toBe(undefined);
    });
  },
);

async function start() {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  const files = [0, 1].map(() => join(scratchDirectory(), "tokens")) as [string, string];
  for (const file of files) writeFileSync(file, `${tokenA} name=owner\n${tokenB} name=guest\n`);
  const settings = (mcpTokensFile: string): Partial<Config> => ({
    cluster: [nats.url],
    mcpTokensFile,
  });
  const [one, two] = [
    await startTestBridge(settings(files[0])),
    await startTestBridge(settings(files[1])),
  ];
  for (const { mcpUrl } of [one, two]) {
    await expect.poll(async () => (await clusterOf(mcpUrl)).members).toBe(2);
  }
  return { nats, one, two, files };
}

async function isAlone(...bridges: readonly TestBridge[]): Promise<void> {
  for (const { mcpUrl } of bridges) {
    await expect.poll(async () => (await clusterOf(mcpUrl)).state).toBe("alone");
  }
}

async function clusterOf(mcpUrl: string): Promise<{ state: string; members: number }> {
  return (await health(mcpUrl)).cluster as { state: string; members: number };
}

function names({ clients }: TestBridge): string[] {
  return clients.list().map(({ name }) => name);
}
