import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { isLinked, linkGameComputer, placeComputer, startWorld } from "../computer/helpers.js";
import { linkComputer } from "../helpers/computer.js";
import { fromRemote } from "../helpers/proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { startWireBridge, tokenFile, WirePage } from "./helpers.js";

vi.setConfig({ testTimeout: 60_000 });

it("a call of a client in ask mode waits for the page and continues with its answer", async () => {
  const bridge = await startWireBridge(
    tokenFile("owner-token name=owner", "asking-token name=helper mode=ask"),
  );
  const world = await startWorld();
  await linkGameComputer(bridge, world, { label: "<i>base</i>" });
  const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer asking-token" });
  const call = (code: string) => callTool(client, "exec-lua", { computerId: 12, code });
  expect((await call("return 1")).isError).toBe(true);
  const page = await new WirePage(bridge).hello("owner-token");
  const waiting = page.watch("waiting", {});
  await waiting.first();
  const answered = async (code: string, decision: "call" | "targets" | "no") => {
    const answer = call(code);
    const seen = waiting.all().length;
    const { approvals } = await page.until(() =>
      waiting
        .all()
        .slice(seen)
        .find((data) => data.approvals.length > 0),
    );
    expect(approvals).toMatchObject([{ client: "helper", tool: "exec-lua" }]);
    expect(approvals[0]?.question).toContain("<i>base</i>");
    await page.act("decide", { id: approvals[0]?.id ?? "", decision });
    await expect(page.act("decide", { id: approvals[0]?.id ?? "", decision })).rejects.toThrow(
      /does not wait/,
    );
    return answer;
  };
  expect((await answered("return 2", "no")).isError).toBe(true);
  expect((await answered("return 3", "call")).text).toContain("3");
  expect((await answered("return 4", "targets")).text).toContain("4");
  expect((await call("return 5")).text).toContain("5");
  const { calls } = await page
    .watch("activity", {})
    .first((data) => data.calls.some(({ request }) => request.code === "return 4"));
  const row = calls.find(({ request }) => request.code === "return 4");
  expect(row?.approvedBy).toContain("owner");
});

it("a computer that shows a code is paired, or sent away", async () => {
  const bridge = await startWireBridge({
    pairing: "on",
    pairingFile: join(scratchDirectory(), "paired.json"),
    mcpTokens: ["owner-token"],
  });
  const world = await startWorld();
  const computer = await placeComputer(world, { label: "<b>door</b>" });
  const page = await new WirePage(bridge).hello("owner-token");
  const waiting = page.watch("waiting", {});
  await waiting.first();
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  const { pairings } = await waiting.first((data) => data.pairings.length > 0);
  expect(pairings).toMatchObject([{ computerId: 12, label: "<b>door</b>", replaces: false }]);
  const code = pairings[0]?.code ?? "";
  await computer.until(() => computer.screen.text().includes(code));
  expect(isLinked(bridge, 12)).toBe(false);
  await page.act("pair", { code, accept: true });
  await computer.until(() => isLinked(bridge, 12));
  await expect(page.act("pair", { code, accept: true })).rejects.toThrow(/does not wait/);

  const second = await placeComputer(world, { id: 13 });
  second.type(`mcp-computer ${bridge.linkUrl}\n`);
  const asked = await waiting.first((data) =>
    data.pairings.some(({ computerId }) => computerId === 13),
  );
  await page.act("pair", { code: asked.pairings[0]?.code ?? "", accept: false });
  expect(bridge.pairing?.pending()).toEqual([]);
  expect(isLinked(bridge, 13)).toBe(false);
});

it("a computer that cannot show a code is approved by what the page shows of it", async () => {
  const bridge = await startWireBridge({ mcpTokens: ["owner-token"] });
  const page = await new WirePage(bridge).hello("owner-token");
  const waiting = page.watch("waiting", {});
  const fleet = page.watch("fleet", {});
  await linkComputer(bridge.linkUrl, { computerId: 7, label: "old", protocol: 1 }, fromRemote());
  const { pairings } = await waiting.first((data) => data.pairings.length > 0);
  expect(pairings).toMatchObject([
    { computerId: 7, label: "old", address: "203.0.113.5 through 127.0.0.1", showsCode: false },
  ]);
  expect(JSON.stringify(await fleet.first())).not.toContain("old");
  await page.act("pair", { code: pairings[0]?.code ?? "", accept: true });
  await fleet.first((data) => JSON.stringify(data).includes("old"));
});

it("what a client asked of web pages is granted or refused by one click", async () => {
  const bridge = await startWireBridge({ pagesOrigins: ["http://localhost:5173"] });
  const web = await SocketPage.open(`${bridge.pagesUrl}/ws`);
  await web.register(
    { name: "write", capabilities: ["dom:write"] },
    { name: "locate", capabilities: ["geolocation"] },
  );
  const client = await connectClient(bridge.mcpUrl);
  const listed = async () =>
    (await client.listTools()).tools
      .map(({ name }) => name)
      .filter((name) => ["write", "locate"].includes(name));
  const page = await new WirePage(bridge).hello();
  const waiting = page.watch("waiting", {});
  expect((await waiting.first()).capabilities).toEqual([]);
  const capabilities = ["dom:write", "geolocation", "media:camera", "dom:read"];
  await callTool(client, "__btcp_request_capabilities", { capabilities });
  const { capabilities: asked } = await waiting.first((data) => data.capabilities.length > 0);
  expect(asked).toMatchObject([
    {
      pages: ["page http://localhost:5173"],
      // What only the configuration grants, and what needs no grant, is not asked.
      capabilities: [
        { name: "dom:write", risk: "medium" },
        { name: "geolocation", risk: "high" },
      ],
    },
  ]);
  expect(await listed()).toEqual([]);
  const id = asked[0]?.id ?? "";
  const decide = (names: string[], accept: boolean) =>
    page.act("grant", { id, capabilities: names, accept });
  await expect(decide(["media:camera", "clipboard:read"], true)).rejects.toThrow(/does not wait/);
  await decide(["dom:write"], true);
  expect(await listed()).toEqual(["write"]);
  await waiting.first((data) => data.capabilities[0]?.capabilities.length === 1);
  await decide(["geolocation"], false);
  expect(await listed()).toEqual(["write"]);
  await expect(decide(["geolocation"], true)).rejects.toThrow(/does not wait/);
  // It may be requested again, and ends with the pages that it was for.
  await callTool(client, "__btcp_request_capabilities", { capabilities: ["geolocation"] });
  expect(bridge.registry.size).toBe(1);
  await waiting.first(
    (data) => data.capabilities[0]?.capabilities.map(({ name }) => name).join() === "geolocation",
  );
});
