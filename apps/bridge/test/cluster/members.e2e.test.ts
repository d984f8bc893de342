import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { patience, sharedBrowser } from "../dashboard/browser.js";
import { startPageBridge } from "../dashboard/helpers.js";
import { startTestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";

vi.setConfig({ testTimeout: 120_000 });

const cannot = chromiumPath === undefined ? chromiumNote : noNats && ` (${noNats})`;

describe.skipIf(cannot !== undefined)(`the bridges of a cluster in Chromium${cannot ?? ""}`, () => {
  const open = sharedBrowser();

  it("are listed under Numbers, and each computer shows which other bridge has it", async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const cluster = [nats.url];
    const one = await startPageBridge({ cluster, clusterName: "one" });
    const two = await startTestBridge({ cluster, clusterName: "two" });
    await linkComputer(one.linkUrl, { computerId: 3, label: "near" });
    await linkComputer(two.linkUrl, { computerId: 4, label: "far" });
    const page = await open(one, { hash: "#/numbers" });
    const bridges = page
      .getByRole("list", { name: "Bridges of the cluster" })
      .getByRole("listitem");
    await expect.poll(() => bridges.count(), patience).toBe(2);
    await expect.poll(() => bridges.nth(1).textContent(), patience).toContain("NATS answers");
    const shown = await bridges.allTextContents();
    expect(shown[0]).toMatch(/^one \(this one\)1 linked/);
    expect(shown[1]).toMatch(/^two1 linked/);
    if (process.env.PICTURES !== undefined) await page.screenshot({ path: process.env.PICTURES });

    await page.getByRole("link", { name: "Fleet" }).click();
    const facts = (name: string) =>
      page
        .getByRole("link", { name: new RegExp(name) })
        .first()
        .textContent();
    await expect.poll(() => facts("far"), patience).toContain("on two");
    expect(await facts("near")).not.toContain("on ");

    await nats.stop();
    await page.goto(page.url().replace(/#.*$/, "#/numbers"));
    await page.getByRole("alert").getByText("This bridge works alone").waitFor();
  });
});
