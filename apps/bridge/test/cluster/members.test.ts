import { posix } from "node:path";
import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { doctor } from "../../src/cli/doctor/doctor.js";
import { startWireBridge, WirePage } from "../dashboard/helpers.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";

describe.skipIf(noNats !== undefined)(
  `the members of a cluster${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("are shown by doctor and the dashboard: what each has, how far NATS is, what does not work", async () => {
      const nats = await startNats();
      onTestFinished(() => nats[Symbol.asyncDispose]());
      const cluster = [nats.url];
      const a = await startWireBridge({ cluster, clusterName: "one" });
      const b = await startTestBridge({ cluster, clusterName: "two" });
      await linkComputer(b.linkUrl, { computerId: 3 });
      const page = await new WirePage(a).hello();
      const shown = page.watch("cluster", {});
      const { cluster: seen } = await shown.first(
        (data) => data.cluster?.bridges[1]?.natsMs != null,
      );
      expect(seen).toMatchObject({
        state: "joined",
        trouble: null,
        bridges: [
          { name: "one", isThis: true, providers: 0, draining: false },
          { name: "two", isThis: false, providers: 1, draining: false, natsMs: expect.any(Number) },
        ],
      });
      const fleet = await page.watch("fleet", {}).first(({ rows }) => rows.length > 0);
      expect(fleet.rows[0]).toMatchObject({ id: 3, bridge: "two" });

      await expect.poll(() => examine(a)).toMatch(/two: has 1 linked, NATS answers/);
      const text = await examine(a);
      expect(text).toContain("2 bridges are in the cluster");
      expect(text).toMatch(/Bridge one: this one, has 0 linked/);
      expect(await examine(b)).toMatch(/Bridge two: this one, has 1 linked/);

      await nats.stop();
      await expect.poll(() => examine(a)).toContain(texts.aloneNatsIsNotReachable);
      await shown.first((data) => data.cluster?.state === "alone");
    });

    it("are not spoken of where there is no cluster", async () => {
      const bridge = await startWireBridge();
      expect(await examine(bridge)).not.toContain("luster");
      const page = await new WirePage(bridge).hello();
      expect(await page.watch("cluster", {}).first()).toEqual({ cluster: null });
    });
  },
);

async function examine({ config, mcpPort, linkPort }: TestBridge): Promise<string> {
  const home = scratchDirectory();
  const machine = { platform: "linux", home, env: {}, cwd: home, path: posix } as const;
  let text = "";
  const print = (part: string) => {
    text += part;
  };
  const context = {
    machine: { ...machine, version: "20.19.0", now: Date.now },
    ...{ program: "ccbridge", print, complain: print, confirm: undefined },
  };
  await doctor(
    { config: { ...config, mcpPort, linkPort, pairing: "off" }, version: "1.2.3" },
    context,
  );
  return text;
}
