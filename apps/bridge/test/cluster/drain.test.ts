import { noNats } from "@ccbridge/cluster/testing";
import { describe, expect, it } from "vitest";
import { linkComputer, upgradeStatus } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { startCluster } from "./start-cluster.js";

const code = "return 1";

describe.skipIf(noNats !== undefined)(
  `a bridge of a cluster that stops${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("takes no new links, lets what runs end, and its computers link elsewhere", async () => {
      const pages = { pagesOrigins: ["http://localhost:5173"] };
      const [a, b] = await startCluster(pages, pages);
      let finish = () => {};
      const programs = {
        [code]: async () => {
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return [{ type: "number", value: 41 }];
        },
      };
      const computer = await linkComputer(a.linkUrl, { computerId: 12, programs });
      const client = await connectClient(b.mcpUrl);
      const args = { computerId: 12, code };
      await expect
        .poll(async () => (await callTool(client, "list-computers")).text)
        .toContain("12");
      const calling = callTool(client, "exec-lua", args);
      await expect.poll(() => computer.fake.received.length).toBeGreaterThan(1);

      const closing = a.close();
      await expect.poll(() => a.registry.isDraining).toBe(true);
      const other = await linkComputer(a.linkUrl, { computerId: 13 });
      expect((await other.closed).code).toBe(1001);
      const page = await SocketPage.open(`${a.pagesUrl}/ws?session=s1`);
      expect((await page.closed()).code).toBe(1001);
      expect(computer.socket.readyState).toBe(computer.socket.OPEN);

      finish();
      expect((await calling).text).toContain("41");
      await computer.closed;
      await closing;
      expect(await upgradeStatus(a.linkUrl).catch(() => "closed")).toBe("closed");
      await linkComputer(b.linkUrl, { computerId: 12, programs: { [code]: () => [] } });
      expect((await callTool(client, "exec-lua", args)).isError).not.toBe(true);
    });
  },
);
