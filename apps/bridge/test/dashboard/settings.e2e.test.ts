import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { fromRemote } from "../helpers/proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { connectClient } from "../helpers/sdk-client.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(chromiumPath === undefined)(`Settings in Chromium${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("an owner changes what holds while the bridge runs, and reads what each means", async () => {
    const settingsFile = join(scratchDirectory(), "settings.json");
    const bridge = await startPageBridge({ settingsFile });
    await linkComputer(bridge.linkUrl, { computerId: 5, label: "gate", protocol: 1 }, fromRemote());
    const client = await connectClient(bridge.mcpUrl);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    const page = await open(bridge, { hash: "#/settings" });
    const card = (name: string) => page.getByRole("region", { name, exact: true });

    await card("Read-only").getByText("Off: each token's rights apply.").waitFor();
    await page.getByRole("button", { name: "Make the bridge read-only" }).click();
    await card("Read-only").getByText("On: clients may only look.").waitFor();
    await expect.poll(names, patience).not.toContain("exec-lua");
    await page.getByText("may look", { exact: false }).first().waitFor();
    await page.getByRole("button", { name: "Let clients act again" }).click();
    await expect.poll(names, patience).toContain("exec-lua");

    await card("Tools for AI clients")
      .getByRole("checkbox", { name: /^files/ })
      .uncheck();
    await expect.poll(names, patience).not.toContain("read-file");
    await card("Tools for AI clients")
      .getByRole("checkbox", { name: /^files/ })
      .check();
    await expect.poll(names, patience).toContain("read-file");
    expect(JSON.parse(readFileSync(settingsFile, "utf8")).settings).toEqual({});

    await page.getByText("Nothing. When a client asks").waitFor();
    await page.getByText("None yet. A computer that needs your approval").waitFor();
    const off = card("Approval of computers").getByRole("radio", { name: /^off/ });
    await off.click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await expect.poll(() => off.isChecked(), patience).toBe(false);
    expect(bridge.pairing?.pending()).toHaveLength(1);
    await off.click();
    await page.getByRole("button", { name: "Link every computer" }).click();
    await expect.poll(() => bridge.registry.size, patience).toBe(1);

    const days = page.getByRole("spinbutton", { name: "Calls and links" });
    await days.fill("30");
    await page.getByRole("button", { name: "Save calls and links" }).click();
    await page.getByRole("button", { name: "Keep only 30 days" }).click();
    await expect
      .poll(() => JSON.parse(readFileSync(settingsFile, "utf8")).settings, patience)
      .toEqual({ CC_PAIRING: "off", CC_HISTORY_CALL_DAYS: "30" });
    await page.getByText(settingsFile).waitFor();
  });

  it("shows approved computers, takes an approval back, and what cannot be changed here", async () => {
    const bridge = await startPageBridge({
      ...tokenFile("owner-token name=owner", "look-token name=guest mode=look"),
      tools: ["core"],
    });
    const far = await linkComputer(
      bridge.linkUrl,
      { computerId: 5, label: "gate", protocol: 1 },
      fromRemote(),
    );
    const [{ code } = { code: "" }] = bridge.pairing?.pending() ?? [];
    bridge.pairing?.confirm(code, "owner");
    const page = await open(bridge, { hash: "#/settings", token: "owner-token" });
    const tools = page.getByRole("region", { name: "Tools for AI clients" });
    await tools.getByText("Set where the bridge is started (CC_TOOLS)").waitFor();
    expect(await tools.getByRole("checkbox", { name: /^files/ }).isDisabled()).toBe(true);
    await page.getByRole("button", { name: "Revoke the approval of gate (#5)" }).click();
    await page.getByRole("button", { name: "Revoke gate (#5)" }).click();
    await far.closed;
    await page.getByText("None yet. A computer that needs your approval").waitFor();

    const guest = await open(bridge, { hash: "#/settings", token: "look-token" });
    await guest.getByText("The other settings are for owners").waitFor();
    expect(await guest.getByRole("heading", { name: "Read-only" }).count()).toBe(0);
  });
});
