import { describe, expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { startRelay } from "../helpers/relay.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(chromiumPath === undefined)(`a page that stays open${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("watches the same events again after a lost connection", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { label: "base" });
    const { key } = bridge.computers.find(12).provider;
    const watched = () => bridge.registry.events.get(key)?.watches.all.map(({ name }) => name);
    const relay = await startRelay(bridge.mcpPort);
    const page = await open({ ...bridge, mcpPort: relay.port });
    await page.getByRole("link", { name: /^base/ }).click();
    await page.getByRole("link", { name: "Events" }).click();
    await page.getByLabel("Events to watch").fill("bell");
    await page.keyboard.press("Enter");
    await expect.poll(watched, patience).toEqual(["bell"]);
    await page.getByRole("link", { name: "Jobs" }).click();
    relay.cut();
    await expect.poll(watched, { ...patience, interval: 10 }).toEqual([]);
    await expect.poll(watched, patience).toEqual(["bell"]);
    await page.getByRole("link", { name: "Events" }).click();
    computer.queueEvent("bell", "ding dong");
    await page.getByText("ding dong").waitFor();
  });

  it("polls again when the calls of its token were used up", async () => {
    const bridge = await startPageBridge(tokenFile("slow-token name=slow rate=12/min computers=*"));
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base" });
    const page = await open(bridge);
    await page.getByLabel("Token").fill("slow-token");
    const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer slow-token" });
    let isUsedUp = false;
    while (!isUsedUp) {
      const { text } = await callTool(client, "list-computers", {});
      isUsedUp = text.includes("used up");
    }
    await page.keyboard.press("Enter");
    await page.getByText("used up").waitFor();
    await page.getByRole("link", { name: /^base/ }).waitFor();
    await page.getByText("used up").waitFor({ state: "hidden" });
  });
});
