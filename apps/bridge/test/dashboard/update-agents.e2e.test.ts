import { programText, programVersion } from "@ccbridge/lua-agent";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const older = programText.replaceAll(programVersion, "0.0.9");

describe.skipIf(chromiumPath === undefined)(`updates on the dashboard${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("older programs are updated one after another, without the one that its player locked", async () => {
    const bridge = await startPageBridge({}, { version: programVersion });
    const world = await startWorld();
    for (const id of [12, 13, 14]) {
      const allow = id === 13 ? "look" : "all";
      const files = {
        "/mcp-computer.lua": older,
        "/.settings": `{ ["mcp_computer.allow"] = "${allow}" }`,
      };
      await linkGameComputer(bridge, world, { id, label: `c${id}`, files });
    }
    const versions = () =>
      bridge.computers
        .list()
        .map(({ provider }) => provider.agent?.version ?? "")
        .sort();
    const page = await open(bridge);
    const card = page.locator(".update-agents");
    await expect.poll(() => card.textContent(), patience).toContain(texts.mcpComputerIsOlderThan);
    await card.getByRole("button", { name: "Update all, one after another" }).click();
    await expect.poll(versions, patience).toEqual(["0.0.9", programVersion, programVersion]);
    await card.waitFor({ state: "detached" });
  });

  it("the card is not there when all programs are as new as the bridge", async () => {
    const bridge = await startPageBridge({}, { version: programVersion });
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base" });
    const page = await open(bridge);
    await page.getByRole("link", { name: /base/ }).waitFor();
    expect(await page.locator(".update-agents").count()).toBe(0);
  });
});
