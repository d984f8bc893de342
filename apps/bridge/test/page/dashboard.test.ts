import { expect, it, vi } from "vitest";
import { startWireBridge, WirePage } from "../dashboard/helpers.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

it("the dashboard shows a page's title, its tools, what is left out and the calls", async () => {
  const bridge = await startWireBridge({ pagesOrigins: [origin] });
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws?name=Shop`);
  page.handlers.set("buy", () => "bought");
  await page.register(
    { name: "buy", title: "Buy it", description: "Buys." },
    { name: "write", capabilities: ["dom:write"] },
    { name: "evaluate" },
  );
  const view = await new WirePage(bridge).hello();
  const fleet = view.watch("fleet", {});
  const [row] = (await fleet.first((data) => data.rows.length > 0)).rows;
  expect(row).toMatchObject({ kind: "page", label: "Shop", world: origin });
  const key = row?.key ?? "";
  const offers = view.watch("offers", { key });
  const shown = await offers.first((data) => data.tools.length > 0);
  expect(shown.tools).toEqual([
    { name: "buy", title: "Buy it", description: "Buys.", listed: true, missing: [] },
    { name: "write", title: null, description: "", listed: true, missing: ["dom:write"] },
  ]);
  expect(shown.leftOut).toMatchObject([{ tool: "evaluate" }]);
  const client = await connectClient(bridge.mcpUrl);
  await client.callTool({ name: "buy", arguments: {} });
  const activity = view.watch("activity", {});
  await activity.first(({ calls }) =>
    calls.some(
      ({ tool, keys, outcome }) => tool === "buy" && keys.includes(key) && outcome === "ok",
    ),
  );
  await page.register("sell");
  await offers.first(({ tools }) => tools.map(({ name }) => name).join() === "sell");
});

it("the dashboard shows which tools have no room in the list of clients", async () => {
  const bridge = await startWireBridge({ pagesOrigins: [origin], offeredBytes: 1_000 });
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
  await page.register(...Array.from({ length: 20 }, (_, index) => `tool_${index}`));
  const [{ provider: { key = "" } = {} } = {}] = bridge.pages.list();
  const view = await new WirePage(bridge).hello();
  const { tools } = await view.watch("offers", { key }).first((data) => data.tools.length === 20);
  expect(new Set(tools.map(({ listed }) => listed))).toEqual(new Set([true, false]));
});

it("the calls of a page are those of its tab, not of a page that had its place before", async () => {
  const bridge = await startWireBridge({ pagesOrigins: [origin] });
  const view = await new WirePage(bridge).hello();
  const client = await connectClient(bridge.mcpUrl);
  const openTab = async (tab: string) => {
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws?tab=${tab}`);
    page.handlers.set("buy", () => "bought");
    await page.register("buy");
    const [{ provider: { key = "" } = {} } = {}] = bridge.pages.list();
    const { since } = await view.watch("offers", { key }).first(({ tools }) => tools.length > 0);
    return { page, key, since };
  };
  const close = async ({ page }: { page: SocketPage }) => {
    page.socket.close();
    await vi.waitFor(() => expect(bridge.pages.list()).toEqual([]));
    // Times are whole milliseconds.
    const now = Date.now();
    await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(now), { interval: 1 });
  };
  const first = await openTab("a");
  await client.callTool({ name: "buy", arguments: {} });
  const { calls } = await view
    .watch("activity", {})
    .first((data) => data.calls.some(({ tool, outcome }) => tool === "buy" && outcome === "ok"));
  const at = calls.find(({ tool }) => tool === "buy")?.at ?? 0;
  expect(at).toBeGreaterThanOrEqual(first.since);
  await close(first);
  const again = await openTab("a");
  expect(again).toMatchObject({ key: first.key, since: first.since });
  await close(again);
  const other = await openTab("b");
  expect(other.key).toBe(first.key);
  expect(other.since).toBeGreaterThan(at);
});
