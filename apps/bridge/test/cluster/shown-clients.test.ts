import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import type { Config } from "../../src/index.js";
import { startWireBridge, WirePage } from "../dashboard/helpers.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const owner = `owner-${"x".repeat(32)}`;
const guest = `guest-${"y".repeat(32)}`;
const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

describe.skipIf(noNats !== undefined)(
  `the clients of a cluster at the dashboard${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("are those of all bridges, are ended through any, and go with their bridge", async () => {
      const { one, two } = await start();
      await connectClient(one.mcpUrl, bearer(owner));
      const far = await connectClient(two.mcpUrl, bearer(guest));
      const page = await new WirePage(one).hello(owner);
      const clients = page.watch("clients", {});
      const { sessions } = await clients.first((data) => data.sessions.length === 2);
      expect(sessions.map(({ client, bridge }) => [client, bridge]).sort()).toEqual([
        ["guest", "two"],
        ["owner", null],
      ]);
      const id = sessions.find(({ bridge }) => bridge === "two")?.id ?? "";
      await page.act("end-session", { id });
      await expect(far.listTools()).rejects.toThrow();
      await expect.poll(() => clients.all().at(-1)?.sessions.length).toBe(1);
      await expect(page.act("end-session", { id })).rejects.toThrow(texts.thisSessionIsOverAlready);

      await connectClient(two.mcpUrl, bearer(guest));
      await expect.poll(() => clients.all().at(-1)?.sessions.length).toBe(2);
      await two.close();
      await expect.poll(() => clients.all().at(-1)?.sessions.length).toBe(1);
      expect(clients.all().at(-1)?.unseen).toBeNull();
    });

    it("are shown to a client that is not an owner as far as they are its own", async () => {
      const { one, two } = await start();
      await connectClient(two.mcpUrl, bearer(owner));
      await connectClient(two.mcpUrl, bearer(guest));
      const page = await new WirePage(one).hello(guest);
      const { sessions } = await page
        .watch("clients", {})
        .first((data) => data.sessions.length > 0);
      expect(sessions).toMatchObject([{ client: "guest", bridge: "two" }]);
    });

    it("call through any bridge: what runs is shown on all, and how it ended", async () => {
      const { one, two } = await start();
      let finish = () => {};
      const programs = {
        work: () =>
          new Promise<never[]>((resolve) => {
            finish = () => resolve([]);
          }),
      };
      await linkComputer(one.linkUrl, { computerId: 3, programs });
      const far = await connectClient(two.mcpUrl, bearer(guest));
      await expect
        .poll(async () => (await callTool(far, "list-computers", {})).text)
        .toContain("3 (Label");
      const page = await new WirePage(one).hello(owner);
      const activity = page.watch("activity", {});
      const running = () =>
        activity
          .all()
          .at(-1)
          ?.calls.find(({ tool }) => tool === "exec-lua");
      const call = callTool(far, "exec-lua", { computerId: 3, code: "work" });
      await expect.poll(running).toMatchObject({ bridge: "two", outcome: null, client: "guest" });
      const trace = running()?.trace;
      finish();
      await call;
      const { calls } = await activity.first((data) =>
        data.calls.some((row) => row.trace === trace && row.outcome !== null),
      );
      expect(calls.find((row) => row.trace === trace)).toMatchObject({ outcome: "ok" });
    });

    it("no longer run when their bridge is gone", async () => {
      const { one, two } = await start();
      const programs = { stay: () => new Promise<never>(() => {}) };
      await linkComputer(one.linkUrl, { computerId: 3, programs });
      const far = await connectClient(two.mcpUrl, bearer(guest));
      await expect
        .poll(async () => (await callTool(far, "list-computers", {})).text)
        .toContain("3 (Label");
      const page = await new WirePage(one).hello(owner);
      const activity = page.watch("activity", {});
      callTool(far, "exec-lua", { computerId: 3, code: "stay" }).catch(() => {});
      const runs = ({ calls }: { calls: readonly { tool: string; bridge: string | null }[] }) =>
        calls.some(({ tool, bridge }) => tool === "exec-lua" && bridge === "two");
      await activity.first(runs);
      const before = activity.all().length;
      await two.close();
      await expect
        .poll(() =>
          activity
            .all()
            .slice(before)
            .some((data) => data.full && !runs(data)),
        )
        .toBe(true);
    });

    it("of other bridges are missing without NATS, and the page says so", async () => {
      const { one, two, nats } = await start();
      await connectClient(one.mcpUrl, bearer(owner));
      await connectClient(two.mcpUrl, bearer(guest));
      const page = await new WirePage(one).hello(owner);
      const [clients, activity] = [page.watch("clients", {}), page.watch("activity", {})];
      await clients.first((data) => data.sessions.length === 2 && data.unseen === null);
      await nats.stop();
      const { sessions, unseen } = await clients.first((data) => data.unseen !== null);
      expect(sessions).toMatchObject([{ client: "owner", bridge: null }]);
      expect(unseen).toContain(texts.theirClientsAndCallsAre);
      await activity.first((data) => data.unseen === unseen);
      await expect(page.act("end-session", { id: "x" })).rejects.toThrow();
    });
  },
);

async function start(): Promise<{
  one: TestBridge;
  two: TestBridge;
  nats: Awaited<ReturnType<typeof startNats>>;
}> {
  const nats = await startNats();
  onTestFinished(() => nats[Symbol.asyncDispose]());
  const settings = (clusterName: string): Partial<Config> => {
    const mcpTokensFile = join(scratchDirectory(), "tokens");
    writeFileSync(mcpTokensFile, `${owner} name=owner\n${guest} name=guest rate=9000/min\n`);
    return { cluster: [nats.url], clusterName, mcpTokensFile };
  };
  const one = await startWireBridge(settings("one"));
  // It has no page; other bridges show its clients as well.
  const two = await startTestBridge(settings("two"));
  return { one, two, nats };
}
