import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { chromiumNote, chromiumPath, startChromium } from "../helpers/chromium.js";
import { freePort } from "../helpers/ports.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { spawnProgram } from "../helpers/spawn-bridge.js";
import { openChat } from "../mcp/screen-view/chat.js";
import { connectHost } from "../mcp/screen-view/helpers.js";
import { patience } from "./browser.js";

const start = fileURLToPath(new URL("../../../../start.js", import.meta.url));
const picture = (name: string) =>
  fileURLToPath(new URL(`../../../../docs/pictures/${name}.png`, import.meta.url));

it.skipIf(chromiumPath === undefined)(
  `node start --demo shows a living base, marked as a demo${chromiumNote}`,
  async () => {
    const [mcpPort, linkPort] = [await freePort(), await freePort()];
    const ports = ["--mcp-port", String(mcpPort), "--cc-link-port", String(linkPort)];
    // The owner's own bridge has tokens, which the demo needs none of.
    const home = scratchDirectory();
    mkdirSync(join(home, ".ccbridge"));
    writeFileSync(join(home, ".ccbridge/mcp-tokens"), "a-token-of-the-owner name=owner\n");
    const own = { HOME: home, MCP_TOKENS: "another-token-of-the-owner" };
    const run = spawnProgram([start, "--demo", ...ports], own, [process.execPath]);
    await run.line((line) => line.includes('"bridge started"'));
    const browser = await startChromium();
    const page = await browser.newPage();
    page.setDefaultTimeout(patience.timeout);
    await page.setViewportSize({ width: 1_280, height: 1_180 });
    await page.goto(`http://127.0.0.1:${mcpPort}/`);
    await page.getByText("Demo: no Minecraft runs").waitFor();
    // What needs me, what the base does, what the AI did.
    await page.getByRole("article", { name: "Computer 77 wants to link" }).waitFor();
    const needs = page.getByRole("region", { name: "Needs you" });
    await needs.getByText("harvest failed on farm").waitFor();
    await needs.getByText("lumber is away").waitFor();
    await page.getByRole("region", { name: "Screens" }).getByText("REACTOR 1").waitFor({
      state: "attached",
    });
    await page
      .getByRole("region", { name: "What runs" })
      .getByText(/layer \d+/)
      .waitFor();
    const did = page.getByRole("region", { name: "What the AI did" });
    await did.getByText("edited /lock.lua on gate and restarted it").waitFor();
    expect(await page.title()).toBe("(1) ccbridge");
    if (process.env.PICTURES !== undefined) await page.screenshot({ path: picture("dashboard") });

    await page.getByRole("link", { name: "Fleet", exact: true }).click();
    await page.getByRole("link", { name: /^lumber/ }).click();
    await page.getByText("It was last at 80, 64, 12.").waitFor();
    await page.getByRole("link", { name: "Fleet", exact: true }).click();
    await page.getByRole("link", { name: /^survival/ }).click();
    const chat = page.getByRole("region", { name: "Chat" });
    await chat.getByText("is the quarry still running?").first().waitFor();
    await page.getByText("1.21.1").waitFor();
    await chat.getByLabel("A message to the players of survival").fill("hello");
    await chat.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => chat.getByRole("textbox").inputValue(), patience).toBe("");
    expect(await page.locator(".problem").count()).toBe(0);
    await page.getByRole("link", { name: "Jobs", exact: true }).click();
    await page.getByText("Tools that it offers to AI clients appear here").waitFor();

    // A client may join, and its chat shows the screens of the base.
    const client = await connectHost({ mcpUrl: `http://127.0.0.1:${mcpPort}/mcp` });
    const shown = await openChat(browser, client, { width: 560, context: { theme: "dark" } });
    await shown.call("read-screen", { computerId: "base" });
    await expect.poll(() => shown.screenText(), patience).toContain("Stock of the base");
    if (process.env.PICTURES !== undefined) {
      await shown.page.locator("iframe").screenshot({ path: picture("screen-view") });
    }
  },
  180_000,
);
