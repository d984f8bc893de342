import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { chromiumNote, chromiumPath, startChromium } from "../helpers/chromium.js";
import { startPageBridge } from "./helpers.js";
import { furnish, views } from "./scene.js";

const pictures = fileURLToPath(new URL("../../../../docs/pictures", import.meta.url));

const looks = [
  {
    name: "light",
    colorScheme: "light",
    viewport: { width: 1_280, height: 800 },
    rules: undefined,
  },
  // What differs from the first look, so that nothing is checked three times.
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

/** What axe-core finds on the page that is serious. */
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

describe.skipIf(chromiumPath === undefined)(`each view in Chromium${chromiumNote}`, () => {
  // PICTURES_TO names a folder for a picture of each; `pnpm write-pictures` makes those of the docs.
  it("serves people with a screen reader, in light, in dark and on a phone", async () => {
    const bridge = await startPageBridge();
    await furnish(bridge);
    const browser = await startChromium();
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`http://127.0.0.1:${bridge.mcpPort}/`);
    await page.evaluate(axe.source);
    const found: string[] = [];
    const folder = process.env.PICTURES_TO;
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    for (const { name, open } of views) {
      await page.setViewportSize(looks[0].viewport);
      await open(page);
      for (const look of looks) {
        await page.emulateMedia({ colorScheme: look.colorScheme, reducedMotion: "reduce" });
        await page.setViewportSize(look.viewport);
        const wide = await page.evaluate(
          "document.documentElement.scrollWidth > document.documentElement.clientWidth",
        );
        if (wide) found.push(`${name} ${look.name}: wider than the screen`);
        for (const problem of await problems(page, look.rules))
          found.push(`${name} ${look.name}: ${problem}`);
        if (folder !== undefined) {
          await page.screenshot({ path: join(folder, `${name}-${look.name}.png`) });
        }
        if (process.env.PICTURES !== undefined && name === "screen" && look.name === "dark") {
          await page.screenshot({ path: join(pictures, "dashboard.png") });
        }
      }
    }
    expect(found).toEqual([]);
  }, 240_000);
});
