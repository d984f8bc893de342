import { describe, expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { openTask, patience, screenText, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(chromiumPath === undefined)(`the dashboard in Chromium${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("shows how to connect first, then a computer with whatever it is called", async () => {
    const bridge = await startPageBridge();
    const page = await open(bridge);
    await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
    await page.getByText(`wget run http://127.0.0.1:${bridge.linkPort}/install.lua`).waitFor();
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "first" });
    await page.getByRole("link", { name: /first/ }).waitFor();
    const client = await connectClient(bridge.mcpUrl);
    const label = "<img src=x onerror=alert()>";
    await callTool(client, "set-label", { computerId: 12, label });
    await page.getByText(label).waitFor();
    expect(await page.locator("#app img").count()).toBe(0);
    await page.getByRole("searchbox").fill("nobody");
    await page.getByText("No matches").waitFor();
  });

  it("shows a program draw, and types into it", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const files = {
      "/ask.lua":
        'term.setBackgroundColour(colours.blue) term.clear() term.setCursorPos(2, 2) write("Name? ") local name = read() term.setCursorPos(2, 4) print("Hello " .. name .. " <script>alert(1)</script>") os.pullEvent("mouse_click") print("clicked")',
    };
    await linkGameComputer(bridge, world, { label: "base", advanced: true, files });
    const page = await open(bridge);
    await page.getByRole("link", { name: /base/ }).click();
    await page.getByPlaceholder("Run a program").fill("ask");
    await page.getByRole("button", { name: "Run" }).click();
    await expect.poll(() => screenText(page), patience).toContain("Name?");
    await page.getByRole("application").focus();
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await expect.poll(() => screenText(page), patience).toContain("Hello Ada <script>");
    const canvas = page.locator("canvas");
    const corner = await page.evaluate(
      "[...document.querySelector('canvas').getContext('2d').getImageData(1, 1, 1, 1).data]",
    );
    expect(corner).toEqual([0x33, 0x66, 0xcc, 255]);
    await canvas.click({ position: { x: 20, y: 20 } });
    await expect.poll(() => screenText(page), patience).toContain("clicked");
    await page.getByText("The program has ended").waitFor();
  });

  it("shows the output of a job as it comes, and stops it", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base" });
    const client = await connectClient(bridge.mcpUrl);
    const code = 'for i = 1, 1000 do print("<b>round</b> " .. i) sleep(0.2) end';
    await callTool(client, "exec-lua", { computerId: 12, code, waitMs: 0 });
    const page = await open(bridge);
    await page.getByText("1 job").waitFor();
    await page.getByRole("link", { name: /base/ }).click();
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByText("<b>round</b> 3").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("cancelled").waitFor();
  });

  it("edits a file, and does not lose what was written elsewhere meanwhile", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const name = "&lt;img src=x&gt;.lua";
    const computer = await linkGameComputer(bridge, world, {
      label: "base",
      files: { "/hello.lua": 'print("hello")\n', [`/${name}`]: "x" },
    });
    const page = await open(bridge);
    await page.getByRole("link", { name: /base/ }).click();
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("button", { name }).waitFor();
    await page.getByRole("button", { name: "hello.lua" }).click();
    const editor = page.getByRole("textbox", { name: "The file /hello.lua" });
    await editor.waitFor();
    await editor.press("Control+End");
    await page.keyboard.type("-- from the page");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("status").getByText("saved", { exact: true }).waitFor();
    expect(computer.fs.read("/hello.lua")).toBe('print("hello")\n-- from the page');
    const client = await connectClient(bridge.mcpUrl);
    const theirs = { computerId: 12, path: "/hello.lua", content: "-- theirs\n" };
    await callTool(client, "write-file", theirs);
    await page.getByRole("textbox", { name: "The file /hello.lua" }).press("Control+End");
    await page.keyboard.type(" again");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("changed on the computer", { exact: true }).waitFor();
    expect(computer.fs.read("/hello.lua")).toBe("-- theirs\n");
    await page.getByRole("button", { name: "Load their version" }).click();
    await page.getByRole("button", { name: "Discard it" }).click();
    await page.getByText("-- theirs").waitFor();
    await page.getByRole("button", { name: "Delete" }).click();
    expect(computer.fs.read("/hello.lua")).toBe("-- theirs\n");
    await page.getByRole("button", { name: "Really delete" }).click();
    await page.getByRole("button", { name: "hello.lua" }).waitFor({ state: "hidden" });
    expect(computer.fs.exists("/hello.lua")).toBe(false);
  });

  it("shows that it lost the bridge, and reconnects", async () => {
    const bridge = await startPageBridge({ mcpPort: await freePort() });
    const page = await open(bridge);
    await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
    await bridge.close();
    await page.getByText("The connection to the bridge is lost").waitFor();
    const again = await startPageBridge({ mcpPort: bridge.mcpPort });
    await linkComputer(again.linkUrl, { computerId: 4, label: "after" });
    await page.getByRole("link", { name: /after/ }).waitFor();
    expect(await page.getByText("The connection to the bridge is lost").count()).toBe(0);
  });

  it("asks for a token, keeps it out of the address, and forgets it when the tab closes", async () => {
    const bridge = await startPageBridge({ mcpTokens: ["right-token"] });
    const page = await open(bridge);
    await page.getByLabel("Token").fill("wrong-token");
    await page.getByRole("button", { name: "Open the dashboard" }).click();
    await page.getByRole("alert").waitFor();
    await page.getByLabel("Token").fill("right-token");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
    expect(page.url()).not.toContain("token");
    expect(await page.evaluate("[localStorage.length, document.cookie]")).toEqual([0, ""]);
    await page.getByText("Bearer YOUR_TOKEN").waitFor();
    expect(await page.textContent("body")).not.toContain("right-token");
    const other = await open(bridge);
    await other.getByLabel("Token").waitFor();
  });

  it("shows what clients do as they do it, and lets a person decide", async () => {
    const bridge = await startPageBridge(
      tokenFile("owner-token", "asking-token name=helper mode=ask"),
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base" });
    const page = await open(bridge, { hash: "#/activity", token: "owner-token" });
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    await expect.poll(() => bridge.approvals.isOpen, patience).toBe(true);
    const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer asking-token" });
    const code = 'return "<b>" .. 6 * 7';
    const first = callTool(client, "exec-lua", { computerId: 12, code });
    await page.getByRole("button", { name: "No", exact: true }).click();
    expect((await first).text).toContain("not allowed");
    await openTask(page);
    await page.locator(".call .badge.refused").waitFor();
    const second = callTool(client, "exec-lua", { computerId: 12, code });
    await page.getByRole("button", { name: "This call" }).click();
    expect((await second).text).toContain("<b>42");
    const call = page.locator("details.call", { hasText: "exec-lua" }).first();
    await call.getByText("ok", { exact: true }).waitFor();
    await call.locator("summary").click();
    await call.getByText("code: return").waitFor();
    await call.getByText("<b>42").first().waitFor();
    expect(await call.textContent()).toContain("helper");

    await page.getByRole("link", { name: "Clients" }).click();
    await page.getByRole("button", { name: "End the session of test 0" }).click();
    await page
      .getByRole("button", { name: "End the session of test 0" })
      .waitFor({ state: "hidden" });
    await expect(callTool(client, "list-computers", {})).rejects.toThrow();
    await page.getByRole("link", { name: "Numbers" }).click();
    await page.locator(".uplot canvas").first().waitFor();
  });

  it("is read-only for a read-only token", async () => {
    const bridge = await startPageBridge(
      tokenFile("look-token name=guest mode=look computers=label:farm-*"),
    );
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "secret-base" });
    await linkComputer(bridge.linkUrl, { computerId: 2, label: "farm-1" });
    const page = await open(bridge, { token: "look-token" });
    await page.getByRole("link", { name: /farm-1/ }).click();
    await page.getByRole("link", { name: "Screens" }).waitFor();
    expect(await page.getByRole("button", { name: "Run" }).count()).toBe(0);
    expect(await page.getByText("secret-base").count()).toBe(0);
    await page.getByText("guest · may look").waitFor();
  });
});
