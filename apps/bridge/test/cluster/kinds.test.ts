import { noNats } from "@ccbridge/cluster/testing";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, it } from "vitest";
import type { TestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { FakeMod } from "../server/fake-mod.js";
import { otherToken, token } from "../server/helpers.js";
import { listen } from "../server/listen.js";
import { startCluster } from "./start-cluster.js";

const pages = { pagesOrigins: ["http://localhost:5173"] };
const servers = { minecraftTokens: [token, otherToken] };

describe.skipIf(noNats !== undefined)(
  `pages and servers of a cluster${noNats ? ` (${noNats})` : ""}`,
  () => {
    it("a page is used through another bridge, with its progress, and long results are read through any", async () => {
      const [a, b] = await startCluster(pages, pages);
      const page = await openPage(b);
      page.handlers.set("long", () => ({ content: [{ type: "text", text: "x".repeat(50_000) }] }));
      await page.register("slow", "long");
      const client = await connectClient(a.mcpUrl);
      await expect.poll(() => toolsOf(client)).toEqual(expect.arrayContaining(["slow", "long"]));

      const heard: (string | undefined)[] = [];
      const calling = client.callTool({ name: "slow", arguments: {} }, undefined, {
        onprogress: ({ message }) => heard.push(message),
      });
      const { id } = await page.until(({ method }) => method === "tools/call");
      const params = { progressToken: id, progress: 3, total: 10, message: "third chapter" };
      page.send({ method: "notifications/progress", params });
      await expect.poll(() => heard.join()).toContain("3 of 10: third chapter");
      page.send({ id: id ?? null, result: "done" });
      expect(JSON.stringify(await calling)).toContain("done");

      const { content } = await client.callTool({ name: "long", arguments: {} });
      const [, note] = content as { text: string }[];
      const [rest] = /\{.*\}/.exec(note?.text ?? "") ?? [];
      const other = await connectClient(b.mcpUrl);
      const shown = await callTool(client, "read-result", JSON.parse(rest ?? "{}"));
      expect(shown.text).toMatch(/^x+$/);
      expect(await callTool(other, "read-result", JSON.parse(rest ?? "{}"))).toEqual(shown);
    });

    it("two tabs of one site are two pages, whichever bridges they are linked to", async () => {
      const [a, b] = await startCluster(pages, pages);
      const [viaA, viaB] = [await connectClient(a.mcpUrl), await connectClient(b.mcpUrl)];
      const first = await openPage(a);
      await first.register("first");
      await expect.poll(() => toolsOf(viaB)).toContain("first");
      const second = await openPage(b);
      await second.register("second");
      for (const client of [viaA, viaB]) {
        await expect
          .poll(() => toolsOf(client))
          .toEqual(expect.arrayContaining(["first", "second"]));
      }
      const { text } = await callTool(viaA, "list-offered-tools", {});
      expect(text).toContain("page http://localhost:5173");
      expect(text).toContain("page http://localhost:5173 (2)");
      expect([first, second].map(({ socket }) => socket.readyState)).toEqual([1, 1]);
    });

    it("what a page's tool needs is asked for and granted on any bridge, and holds for pages on all", async () => {
      const [a, b, c] = await startCluster(pages, pages, pages);
      const clients = [await connectClient(a.mcpUrl), await connectClient(c.mcpUrl)] as const;
      const page = await openPage(b);
      await page.register("free", { name: "pay", capabilities: ["dom:write"] });
      await expect.poll(() => toolsOf(clients[0])).toContain("free");
      expect(await toolsOf(clients[0])).not.toContain("pay");
      const ask = { capabilities: ["dom:write"] };
      const asked = await callTool(clients[0], "__btcp_request_capabilities", ask);
      expect(JSON.parse(asked.text)).toMatchObject({ pending: ["dom:write"] });
      for (const { pages: desk } of [a, b, c]) {
        await expect
          .poll(() => desk.capabilityRequests())
          .toMatchObject([{ ...ask, sites: [expect.stringContaining("localhost:5173")] }]);
      }
      c.pages.dismissCapabilities(undefined, ["dom:write"]);
      for (const { pages: desk } of [a, b, c]) {
        await expect.poll(() => desk.capabilityRequests()).toEqual([]);
      }

      await callTool(clients[1], "__btcp_request_capabilities", ask);
      await expect.poll(() => a.pages.capabilityRequests()).toHaveLength(1);
      a.pages.grant(undefined, ["dom:write"]);
      for (const client of clients) await expect.poll(() => toolsOf(client)).toContain("pay");
      for (const { pages: desk } of [a, b, c]) {
        await expect.poll(() => desk.capabilityRequests()).toEqual([]);
      }
      const later = await openPage(a);
      await later.register({ name: "later", capabilities: ["dom:write"] });
      await expect.poll(() => toolsOf(clients[1])).toContain("later");
    });

    it("a server is used through another bridge, and its name is taken on all", async () => {
      const [a, b] = await startCluster(servers, servers);
      const dial = (to: TestBridge, shown: string) =>
        FakeMod.dial({
          ...{ url: `${to.linkUrl}/minecraft`, token: shown, name: "survival", hello: {} },
          answer: () => ({ success: true, data: ["Steve"] }),
        });
      const mod = await dial(b, token);
      const { client, untilNotified } = await listen(a.mcpUrl);
      const listed = async () => (await callTool(client, "list-servers", {})).text;
      await expect.poll(listed).toContain("survival: live");
      expect((await callTool(client, "get_online_players", {})).text).toContain("Steve");
      const uri = "minecraft://servers/survival/events/player_chat";
      await client.subscribeResource({ uri });
      mod.event("player_chat", { player: "Steve", message: "hi" });
      await untilNotified(uri);
      expect(JSON.stringify(await client.readResource({ uri }))).toContain("hi");

      const stranger = await dial(a, otherToken);
      await stranger.until(() => stranger.closed !== undefined);
      expect(stranger.closed?.code).toBe(4_423);
      const again = await dial(a, token);
      await mod.until(() => mod.closed !== undefined);
      expect(mod.closed?.code).toBe(4_409);
      await expect.poll(listed).toContain("survival: live");
      expect(again.closed).toBeUndefined();
    });
  },
);

function openPage({ pagesUrl }: TestBridge): Promise<SocketPage> {
  return SocketPage.open(`${pagesUrl}/ws`);
}

async function toolsOf(client: Client): Promise<string[]> {
  return (await client.listTools()).tools.map(({ name }) => name);
}
