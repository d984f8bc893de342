import { expect, it, vi } from "vitest";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const open = sharedBrowser();

it.skipIf(chromiumPath === undefined)(
  `an alert is listed, removed, and shown as a toast and as a notification${chromiumNote}`,
  async () => {
    const bridge = await startPageBridge();
    const client = await connectClient(bridge.mcpUrl);
    const alert = (args: object) => callTool(client, "create-alert", { ...args });
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "hall" });
    const page = await open(bridge, { hash: "#/settings" });
    await page.evaluate(() => {
      const shown: string[] = [];
      class Noted {
        static permission = "granted";
        static requestPermission = async () => "granted";
        constructor(title: string, { body }: { body: string }) {
          shown.push(`${title}: ${body}`);
        }
        close() {}
      }
      Object.assign(window, { Notification: Noted, shown });
    });
    await page.getByRole("button", { name: "Notify me" }).click();
    await alert({ event: "linked", times: 2, everyMs: 1_000, message: "Back:" });
    await alert({ event: "unlinked", provider: "hall" });
    const list = page.getByRole("region", { name: "Alerts" });
    await expect
      .poll(() => list.getByRole("button", { name: /^Remove/ }).count(), patience)
      .toBe(2);
    await list.getByRole("button", { name: /^Remove.*unlinked/ }).click();
    await expect
      .poll(() => list.getByRole("button", { name: /^Remove/ }).count(), patience)
      .toBe(1);
    expect((await alert({})).text).not.toContain("unlinked");

    await linkComputer(bridge.linkUrl, { computerId: 2, label: "<b>gate</b>" });
    const toast = page.locator(".toast");
    await toast.getByText(/Back: .*<b>gate<\/b>.*linked/).waitFor();
    await list.getByText(/Back: .*gate/).waitFor();
    await toast.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => toast.count(), patience).toBe(0);
    // A page that is seen shows no notification.
    const notified = () => page.evaluate(() => (window as unknown as { shown: string[] }).shown);
    expect(await notified()).toEqual([]);

    await page.evaluate('Object.defineProperty(document, "visibilityState", { value: "hidden" })');
    // At most one a second is delivered.
    const linkAgain = async () => {
      const { socket } = await linkComputer(bridge.linkUrl, { computerId: 3, label: "miner" });
      socket.close();
      return notified();
    };
    await expect.poll(linkAgain, patience).toEqual([expect.stringMatching(/alert: Back: .*miner/)]);
    await list.getByText(/Back: .*miner/).waitFor();
    await expect
      .poll(() => list.getByRole("button", { name: /^Remove/ }).count(), patience)
      .toBe(0);
    // What was delivered waits on Home until it is dismissed.
    await page.getByRole("link", { name: /^Home/ }).click();
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByText(/Back: .*miner/).waitFor();
    await needs.getByRole("button", { name: "Dismiss: miner" }).first().click();
    await needs.getByText(/Back: .*miner/).waitFor({ state: "hidden" });
  },
);
