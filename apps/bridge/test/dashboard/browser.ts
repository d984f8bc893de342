import type { BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished } from "vitest";
import type { TestBridge } from "../helpers/bridge.js";
import { launchChromium } from "../helpers/chromium.js";

/** A browser on a busy machine is slow. */
export const patience = { timeout: 60_000 };

export function sharedBrowser() {
  let shared: { browser: BrowserContext; close(): Promise<void> } | undefined;
  beforeAll(async () => {
    shared = await launchChromium();
  });
  afterAll(() => shared?.close());

  return async function open(
    bridge: TestBridge,
    { hash = "#/fleet", token }: { hash?: string; token?: string } = {},
  ): Promise<Page> {
    const page = (await shared?.browser.newPage()) ?? expect.unreachable();
    page.setDefaultTimeout(patience.timeout);
    const faults: string[] = [];
    page.on("pageerror", (error) => faults.push(String(error)));
    page.on("dialog", (dialog) => {
      faults.push(`a dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("console", (message) => {
      if (/Content.Security.Policy/i.test(message.text())) faults.push(message.text());
    });
    onTestFinished(async () => {
      await page.close();
      expect(faults).toEqual([]);
    });
    await page.goto(`http://127.0.0.1:${bridge.mcpPort}/${hash}`);
    if (token !== undefined) {
      await page.getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
    }
    return page;
  };
}

/** Opens the newest task of the test's client, so that its calls show. */
export async function openTask(page: Page): Promise<void> {
  await page
    .locator("details.task > summary", { hasText: /^test / })
    .first()
    .click();
}

export function screenText(page: Page): Promise<string | null> {
  return page.getByTestId("screen-text").textContent();
}
