import { noNats, startNats } from "@ccbridge/cluster/testing";
import type { Page } from "playwright-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { patience, sharedBrowser } from "../dashboard/browser.js";
import { startPageBridge } from "../dashboard/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

vi.setConfig({ testTimeout: 120_000 });

const cannot = chromiumPath === undefined ? chromiumNote : noNats && ` (${noNats})`;

describe.skipIf(cannot !== undefined)(`the bridges of a cluster in Chromium${cannot ?? ""}`, () => {
  const open = sharedBrowser();

  it("are listed under Numbers, and what another bridge has is shown with its name, and ended there", async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const cluster = [nats.url];
    const one = await startPageBridge({ cluster, clusterName: "one" });
    const two = await startTestBridge({ cluster, clusterName: "two" });
    await linkComputer(one.linkUrl, { computerId: 3, label: "near" });
    const programs = { stay: () => new Promise<never>(() => {}) };
    await linkComputer(two.linkUrl, { computerId: 4, label: "far", programs });
    const page = await open(one, { hash: "#/numbers" });
    const bridges = page
      .getByRole("list", { name: "Bridges of the cluster" })
      .getByRole("listitem");
    await expect.poll(() => bridges.count(), patience).toBe(2);
    await expect.poll(() => bridges.nth(1).textContent(), patience).toContain("NATS answers");
    const shown = await bridges.allTextContents();
    expect(shown[0]).toMatch(/^one \(this one\)1 linked/);
    expect(shown[1]).toMatch(/^two1 linked/);
    await shoot(page, "numbers");

    await page.getByRole("link", { name: "Fleet" }).click();
    const facts = (name: string) =>
      page
        .getByRole("link", { name: new RegExp(name) })
        .first()
        .textContent();
    await expect.poll(() => facts("far"), patience).toContain("on two");
    expect(await facts("near")).not.toContain("on ");

    const near = await connectClient(one.mcpUrl);
    const far = await connectClient(two.mcpUrl);
    const call = callTool(far, "exec-lua", { computerId: 4, code: "stay" }).catch(String);
    await page.getByRole("link", { name: "Clients" }).click();
    const clients = page.getByRole("main").locator(".sessions > li");
    await expect.poll(() => clients.count(), patience).toBe(2);
    const there = clients.filter({ hasText: "on two" });
    await expect.poll(() => there.textContent(), patience).toContain("exec-lua");
    await shoot(page, "clients");
    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByText("on two").first().waitFor({ state: "attached" });
    await page.locator("summary").first().click();
    await shoot(page, "activity");
    await page.getByRole("link", { name: "Clients" }).click();
    await there.getByRole("button", { name: /^End the session/ }).click();
    await expect.poll(() => clients.count(), patience).toBe(1);
    await expect(far.listTools()).rejects.toThrow();
    await near.listTools();
    expect(await call).toContain("The session ended");

    await nats.stop();
    await page.getByRole("alert").getByText("missing here").waitFor();
    await shoot(page, "alone");
    await page.goto(page.url().replace(/#.*$/, "#/numbers"));
    await page.getByRole("alert").getByText("This bridge works alone").waitFor();
  });
});

async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env.PICTURES;
  if (folder !== undefined) await page.screenshot({ path: `${folder}/${name}.png` });
}
