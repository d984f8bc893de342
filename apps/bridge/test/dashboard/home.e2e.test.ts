import { describe, expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(chromiumPath === undefined)(`Home in Chromium${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("needs a person for what failed, what does not stop and what left, until that is dismissed", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const gate = await linkGameComputer(bridge, world, { id: 1, label: "gate" });
    const quarry = await linkGameComputer(bridge, world, {
      ...{ id: 2, label: "quarry", kind: "turtle", turtle: { fuel: 0 } },
    });
    const client = await connectClient(bridge.mcpUrl);
    const run = (computerId: number, code: string, waitMs = 0) =>
      callTool(client, "exec-lua", { computerId, code, waitMs });
    await run(1, "error('the door is stuck')", 5_000);
    await run(1, "while true do sleep(1) end -- watch the gate");
    const page = await open(bridge, { hash: "#/home" });
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByText(/the door is stuck.* failed on gate/).waitFor();
    await needs.getByText("quarry has no fuel left").waitFor();
    expect(await needs.getByText(/watch the gate/).count()).toBe(0);

    quarry.shutdown();
    await needs.getByText(/quarry (is away|does not answer)/).waitFor();
    gate.shutdown();
    await expect.poll(() => bridge.computers.list().length, patience).toBe(0);
    await page.clock.setFixedTime(Date.now() + 60_000);
    await needs.getByText(/gate left while .*watch the gate.* ran/).waitFor();

    const deaf = { "spin()": () => new Promise<never>(() => {}) };
    await linkComputer(bridge.linkUrl, { computerId: 3, label: "lift", programs: deaf });
    await run(3, "spin()");
    const [spinning] = bridge.registry.jobs.list().filter(({ summary }) => summary === "spin()");
    await callTool(client, "cancel-job", { jobId: spinning?.id });
    await needs.getByText("spin() does not stop on lift").waitFor();

    await needs
      .getByRole("button", { name: /^Dismiss: gate/ })
      .first()
      .click();
    await needs
      .getByRole("button", { name: /^Dismiss: gate/ })
      .first()
      .click();
    await expect.poll(() => needs.getByText(/gate/).count(), patience).toBe(0);
    await needs.getByRole("button", { name: "Show 2 dismissed" }).click();
    await needs.getByText(/gate left while/).waitFor();
  });

  it("leads a newcomer from nothing to the first question, with the exact line for each step", async () => {
    const bridge = await startPageBridge();
    const page = await open(bridge, { hash: "#/home" });
    await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
    const line = `wget run http://127.0.0.1:${bridge.linkPort}/install.lua`;
    const lines = () => page.locator(".copy pre").allTextContents();
    await expect.poll(lines, patience).toContain(line);
    await page.getByRole("link", { name: "Settings" }).click();
    const approved = page.getByRole("region", { name: "Approved computers" });
    await approved.getByText("None yet. A computer that needs your approval").waitFor();
    await approved.getByText(line).waitFor();
    const alerts = page.getByRole("region", { name: "Alerts" });
    await alerts.getByText("Tell me when a player joins the server.").waitFor();

    await linkGameComputer(bridge, await startWorld(), { label: "gate" });
    await page.getByRole("link", { name: /^Home/ }).click();
    const did = page.getByRole("region", { name: "What the AI did" });
    await did.getByText("No client has called a tool yet.").waitFor();
    await did.getByText("Which of my computers are linked, and what do they do?").waitFor();
    await did.getByRole("link", { name: "Connect" }).click();
    await page.getByText("claude mcp add").waitFor();
    const client = await connectClient(bridge.mcpUrl);
    await callTool(client, "list-computers");
    await page.getByRole("link", { name: /^Home/ }).click();
    await did.getByText(/looked at/).waitFor();
  });
});
