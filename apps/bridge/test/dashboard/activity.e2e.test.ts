import { describe, expect, it, vi } from "vitest";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge } from "./helpers.js";
import { weeksOfCalls } from "./weeks-of-calls.js";

vi.setConfig({ testTimeout: 120_000 });

function localDate(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  return [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join("-");
}

describe.skipIf(chromiumPath === undefined)(`the activity${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("calls of weeks ago are found, below the heading of their day", async () => {
    const historyFile = await weeksOfCalls(24 * 20);
    const bridge = await startPageBridge({ history: "on", historyFile });
    const page = await open(bridge, { hash: "#/activity" });
    const count = () => page.locator("details.call").count();
    await expect.poll(count, patience).toBe(100);
    const headings = () => page.locator("h2.day").allTextContents();
    expect((await headings()).slice(0, 2)).toContain("Yesterday");
    await page.getByRole("button", { name: "Show earlier calls" }).click();
    await expect.poll(count, patience).toBe(200);
    expect((await headings()).length).toBeGreaterThan(8);

    await page.getByRole("searchbox").fill("notes-470.txt");
    await expect.poll(count, patience).toBe(1);
    const day = new Date(Date.now() - 470 * 3_600_000);
    expect((await headings())[0]).toContain(String(day.getFullYear()));
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("Client", { exact: true }).selectOption("ann");
    await expect.poll(() => page.locator(".call-who").first().textContent(), patience).toBe("test");
    await page.getByLabel("up to", { exact: true }).fill(localDate(Date.now() - 10 * 86_400_000));
    await page.locator("details.call").first().locator("summary").click();
    await expect.poll(headings, patience).not.toContain("Yesterday");
    expect(await count()).toBeGreaterThan(50);
  });
});
