import { describe, expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const OWNER = "the-owners-own-token";

describe.skipIf(chromiumPath === undefined)(`in Chromium${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("Connect creates a token for the client, and never shows the owner's", async () => {
    const bridge = await startPageBridge(tokenFile(`${OWNER} name=owner`));
    const page = await open(bridge, { hash: "#/connect", token: OWNER });
    const config = page.locator("pre", { hasText: "claude mcp add" });
    expect(await config.textContent()).toContain("Bearer YOUR_TOKEN");
    expect(await page.content()).not.toContain(OWNER);
    await page.getByRole("button", { name: "Create the token" }).click();
    await page.getByText("It contains the new token").waitFor();
    const [, token = ""] = /Bearer ([\w-]+)/.exec((await config.textContent()) ?? "") ?? [];
    expect(token).not.toBe(OWNER);
    const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer ${token}` });
    await client.ping();
    // The list shows it, and revokes it.
    await page.getByRole("link", { name: "Settings" }).click();
    const row = page.getByRole("listitem").filter({ hasText: "acts after a person's yes" });
    await row.getByText("claude-code").waitFor();
    await row.getByText(/used/).waitFor();
    expect(await page.content()).not.toContain(token);
    await row.getByRole("button", { name: "Revoke the token claude-code" }).click();
    await page.getByRole("button", { name: "Revoke claude-code" }).click();
    await row.waitFor({ state: "hidden" });
    await expect(client.ping()).rejects.toThrow();
  });

  it("Settings creates a token with rights and a last day, and shows it once", async () => {
    const bridge = await startPageBridge(tokenFile(`${OWNER} name=owner`));
    const page = await open(bridge, { hash: "#/settings", token: OWNER });
    const form = page.getByRole("form", { name: "Create a token" });
    await form.getByLabel("Name").fill("guest");
    await form.getByLabel("May").selectOption("only look");
    await form.getByLabel("Last day").fill("2999-12-31");
    await form.getByText("Fewer tools or computers").click();
    await form.getByLabel("Tools").fill("core");
    await form.getByRole("button", { name: "Create the token" }).click();
    const token = await page.getByRole("status").locator("pre").textContent();
    const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer ${token}` });
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("list-computers");
    expect(names).not.toContain("exec-lua");
    const row = page.getByRole("listitem").filter({ hasText: "guest" });
    await row.getByText("until the end of 31 Dec 2999").waitFor();
    await row.getByText(/may only look · tools=core/).waitFor();
    await page.clock.setFixedTime(new Date(2999, 11, 31, 12));
    await page.reload();
    await row.getByText("until the end of today").waitFor();
    expect(await page.content()).not.toContain(token);
  });

  it("an address that was cut off shows that nothing has this name", async () => {
    const page = await open(await startPageBridge(), { hash: "#/computer/%ff%/" });
    await page.getByText("Nothing has this name.").waitFor();
  });

  it("a computer says what can be seen of it, and a program that cannot start why", async () => {
    const bridge = await startPageBridge();
    await linkGameComputer(bridge, await startWorld(), { label: "gate" });
    const page = await open(bridge);
    await page.getByRole("link", { name: /^gate/ }).click();
    await page.getByText("Nothing to see here yet.").waitFor();
    expect(await page.getByText(/Start the program with run-program/).isVisible()).toBe(false);
    await page
      .getByLabel(/program/i)
      .first()
      .fill("nosuch");
    await page.keyboard.press("Enter");
    await page.getByText("This program ended before it showed anything.").waitFor();
    await page
      .getByText(/No such program/)
      .first()
      .waitFor();
    expect(await page.getByText(/is running here as job/).count()).toBe(0);
  });

  it("watches events as the placeholder shows them", async () => {
    const bridge = await startPageBridge();
    const computer = await linkGameComputer(bridge, await startWorld(), { label: "gate" });
    const page = await open(bridge);
    await page.getByRole("link", { name: /^gate/ }).click();
    await page.getByRole("link", { name: "Events" }).click();
    const input = page.getByLabel("Events to watch");
    await input.fill((await input.getAttribute("placeholder")) ?? "");
    await page.keyboard.press("Enter");
    for (const name of ["redstone", "modem_message", "key*"]) {
      await page.getByRole("button", { name: `Stop watching ${name}`, exact: true }).waitFor();
    }
    computer.queueEvent("redstone");
    await page.getByRole("cell", { name: "redstone" }).waitFor();
  });

  it("capabilities are granted one by one, and not asked for pages that left", async () => {
    const bridge = await startPageBridge({
      ...tokenFile(`${OWNER} name=owner`),
      pagesOrigins: ["http://localhost:5173"],
    });
    const page = await open(bridge, { hash: "#/activity", token: OWNER });
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    const web = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    await web.register(
      { name: "write", capabilities: ["dom:write"] },
      { name: "copy", capabilities: ["clipboard:write"] },
    );
    const client = await connectClient(bridge.mcpUrl, { Authorization: `Bearer ${OWNER}` });
    const capabilities = ["dom:write", "clipboard:write"];
    await callTool(client, "__btcp_request_capabilities", { capabilities });
    await page.getByText(/^test.* \(token owner\) wants to use abilities of/).waitFor();
    await page.getByRole("button", { name: "Grant dom:write" }).click();
    const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
    await expect.poll(listed, patience).toContain("write");
    expect(await listed()).not.toContain("copy");
    const rest = page.getByRole("article", { name: "clipboard:write" });
    await rest.waitFor();
    web.socket.terminate();
    await rest.waitFor({ state: "hidden" });
  });
});
