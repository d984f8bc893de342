import { describe, expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(chromiumPath === undefined)(`versions on the page${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("of a file are compared with what is there now, and restored", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, {
      label: "base",
      files: { "/a.lua": "-- first\n-- same\n" },
    });
    const client = await connectClient(bridge.mcpUrl);
    const content = "-- second\n-- same\n";
    await callTool(client, "write-file", { computerId: 12, path: "/a.lua", content });
    const code = 'local f = fs.open("/a.lua", "w") f.write("-- third\\n") f.close()';
    await callTool(client, "exec-lua", { computerId: 12, code });

    const page = await open(bridge);
    await page.getByRole("link", { name: /^base/ }).click();
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("button", { name: "a.lua" }).click();
    await page.getByRole("button", { name: "Versions" }).click();
    const versions = page.getByRole("region", { name: "Versions" }).getByRole("listitem");
    await expect.poll(() => versions.count(), patience).toBe(2);
    expect(await versions.first().textContent()).toMatch(/when exec-lua changed \/a\.lua/);
    expect(await versions.last().textContent()).not.toMatch(/anyone|hash/);

    await versions.last().getByRole("button").click();
    const shown = page.getByRole("region", { name: "What undoing would do" });
    await expect.poll(() => shown.textContent(), patience).toContain("+-- first");
    expect(await shown.textContent()).toContain("--- third");
    expect(computer.fs.read("/a.lua")).toBe("-- third\n");
    await shown.getByRole("button", { name: "Undo it" }).click();
    await expect.poll(() => computer.fs.read("/a.lua"), patience).toBe("-- first\n-- same\n");
    await expect.poll(() => versions.count(), patience).toBe(3);
    const editor = page.getByRole("textbox", { name: "The file /a.lua" });
    await expect.poll(() => editor.textContent(), patience).toContain("-- first");
  });
});
