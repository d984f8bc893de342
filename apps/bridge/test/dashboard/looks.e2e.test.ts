import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";
import {
  furnish,
  OWNER,
  requestApproval,
  SERVER_TOKEN,
  tokens,
  views,
  webOrigin,
} from "./scene.js";

const looks = [
  {
    name: "light",
    colorScheme: "light",
    viewport: { width: 1_280, height: 800 },
    rules: undefined,
  },
  // Only what differs from the first theme, so that nothing is checked three times.
  {
    name: "dark",
    colorScheme: "dark",
    viewport: { width: 1_280, height: 800 },
    rules: ["color-contrast"],
  },
  {
    name: "phone",
    colorScheme: "light",
    viewport: { width: 390, height: 844 },
    rules: ["scrollable-region-focusable", "target-size"],
  },
] as const;

async function problems(page: Page, rules: readonly string[] | undefined): Promise<string[]> {
  const options = {
    resultTypes: ["violations"],
    ...(rules === undefined ? {} : { runOnly: rules }),
  };
  return page.evaluate(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
    violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.slice(0, 3).map(({ html }) => html).join(" | ")))`);
}

/** Outside of quoted answers and code, names are as people say them, and times have one format. */
const oddWords = /\(Label: |null\b|undefined|NaN|\d:\d\d ?[AP]M|\d{4}-\d\d-\d\d[T ]|\b\d{13}\b/;

function textOf(page: Page): Promise<string> {
  return page.evaluate(`(() => {
    const copy = document.body.cloneNode(true);
    for (const quoted of copy.querySelectorAll("pre, code, script, style")) quoted.remove();
    return copy.textContent;
  })()`);
}

async function inspect(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  const odd = oddWords.exec(await textOf(page));
  if (odd !== null) {
    const { index, input } = odd;
    found.push(`${name}: ${input.slice(Math.max(0, index - 40), index + 40)}`);
  }
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(look.viewport);
    const isWide = await page.evaluate(
      "[document.documentElement, document.querySelector('main')].some((box) => box.scrollWidth > box.clientWidth)",
    );
    if (isWide) found.push(`${name} ${look.name}: wider than the screen`);
    const hasEmptyEnd = await page.evaluate(
      "document.documentElement.scrollHeight > document.documentElement.clientHeight",
    );
    if (hasEmptyEnd) found.push(`${name} ${look.name}: scrolls beyond its end`);
    for (const problem of await problems(page, look.rules)) {
      found.push(`${name} ${look.name}: ${problem}`);
    }
    const { PICTURES_TO: folder } = process.env;
    if (folder !== undefined) {
      mkdirSync(folder, { recursive: true });
      const whole = await page.evaluate("document.querySelector('main').scrollHeight");
      const height = Math.min(Math.max(look.viewport.height, Number(whole) + 120), 4_000);
      await page.setViewportSize({ ...look.viewport, height });
      await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
    }
  }
  await page.setViewportSize(looks[0].viewport);
  return found;
}

describe.skipIf(chromiumPath === undefined)(`each view in Chromium${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("serves people with a screen reader, in light, in dark and on a phone", async () => {
    const bridge = await startPageBridge({
      ...tokenFile(...tokens),
      pagesOrigins: [webOrigin],
      minecraftTokens: [SERVER_TOKEN],
    });
    await furnish(bridge);
    const page = await open(bridge);
    await page.getByLabel("Token").waitFor();
    await page.evaluate(axe.source);
    const found = await inspect(page, "gate");
    await page.getByLabel("Token").fill(OWNER);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Fleet" }).waitFor();
    await expect.poll(() => bridge.approvals.isOpen, patience).toBe(true);
    for (const view of views) {
      // Not earlier: the client waits a minute for its answer, which is short for all views on a busy machine.
      if (view.name === "activity") await requestApproval(bridge);
      await view.open(page);
      found.push(...(await inspect(page, view.name)));
    }
    expect(found).toEqual([]);
  });

  it("serves them on an empty bridge too", async () => {
    const page = await open(await startPageBridge());
    await page.evaluate(axe.source);
    const found: string[] = [];
    await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
    found.push(...(await inspect(page, "empty")));
    for (const part of ["Activity", "Clients"]) {
      await page.getByRole("link", { name: part }).click();
      await page.locator(".empty").waitFor();
      found.push(...(await inspect(page, `empty-${part.toLowerCase()}`)));
    }
    expect(found).toEqual([]);
  });
});
