import { expect, it, vi } from "vitest";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { fromRemote } from "../helpers/proxy.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const open = sharedBrowser();

/** In place of the notifications of the desktop, which no test can look at. */
const recorder = `
window.shown = [];
window.Notification = class {
  static permission = "granted";
  static async requestPermission() { return "granted"; }
  constructor(title, { body }) { window.shown.push(title + ": " + body); }
  close() {}
};
`;

it.skipIf(chromiumPath === undefined)(
  `a page that is not in front notifies of what waits, and its title counts it${chromiumNote}`,
  async () => {
    const bridge = await startPageBridge();
    const page = await open(bridge, { hash: "#/settings" });
    await page.addInitScript(recorder);
    await page.reload();
    await page.getByRole("button", { name: "Notify me" }).click();
    await page.getByText("On in this browser.").waitFor();
    const shown = () => page.evaluate("window.shown") as Promise<string[]>;
    const link = (computerId: number, label: string) =>
      linkComputer(bridge.linkUrl, { computerId, label, protocol: 1 }, fromRemote());
    await link(5, "gate");
    await expect.poll(() => page.title(), patience).toBe("(1) ccbridge");
    // Who looks at the page sees it there.
    expect(await shown()).toEqual([]);
    await page.evaluate(
      "Object.defineProperty(document, 'visibilityState', { get: () => 'hidden' })",
    );
    await link(6, "lift");
    await expect.poll(shown, patience).toEqual(["ccbridge needs you: lift wants to link"]);
    await expect.poll(() => page.title(), patience).toBe("(2) ccbridge");
  },
);
