import { join } from "node:path";
import { inventoryPeripheral, monitorPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { isLinked, linkGameComputer, placeComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { linkComputer } from "../helpers/computer.js";
import { fromRemote } from "../helpers/proxy.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "../page/socket-page.js";
import { openTask, patience, screenText, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const focused = `(() => {
  const holders = [document.activeElement];
  while (holders[0]?.shadowRoot?.activeElement) holders.unshift(holders[0].shadowRoot.activeElement);
  const [element] = holders;
  if (element === null || element === document.body) return { name: "", seen: true };
  const name = element.getAttribute("aria-label") ?? (element.labels?.[0] ?? element).textContent;
  const isSeen = ({ outlineStyle, outlineWidth }) => outlineStyle !== "none" && outlineWidth !== "0px";
  return { name: name.trim(), seen: holders.some((holder) => isSeen(getComputedStyle(holder))) };
})()`;

/** Presses Tab until an element has the focus; it must be visible on all elements before. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 80; step++) {
    const now = await page.evaluate<{ name: string; seen: boolean }>(focused);
    expect(now.seen, `the focus is not seen at ${now.name}`).toBe(true);
    if (name.test(now.name)) return;
    await page.keyboard.press("Tab");
  }
  expect.unreachable(`no ${name} can be reached with Tab`);
}

const spy = `
local function say(...) print(...) end
while true do
  local event = { os.pullEvent() }
  if event[1] == "mouse_scroll" then say("scroll", event[2], event[3], event[4])
  elseif event[1] == "paste" then say("paste [" .. event[2] .. "]")
  elseif event[1] == "key" then say("key", keys.getName(event[2]))
  elseif event[1] == "char" then say("char", event[2]) end
end`;

describe.skipIf(chromiumPath === undefined)(`hands on the dashboard${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("the wheel and the clipboard go to the game", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    await linkGameComputer(bridge, world, {
      label: "base",
      advanced: true,
      files: { "/spy.lua": spy },
    });
    const page = await open(bridge);
    await page.getByRole("link", { name: /base/ }).click();
    await page.getByPlaceholder("Run a program").fill("spy");
    await page.getByRole("button", { name: "Run" }).click();
    const canvas = page.locator("canvas");
    await canvas.click({ position: { x: 5, y: 5 } });
    await page.mouse.wheel(0, 100);
    await expect.poll(() => screenText(page), patience).toMatch(/scroll\s+1\s+1\s+1/);
    await page.mouse.wheel(0, -100);
    await expect.poll(() => screenText(page), patience).toMatch(/scroll\s+-1\s+1\s+1/);
    await page.evaluate(`(() => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", "first <line>\\nsecond");
      const paste = new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true });
      document.activeElement.dispatchEvent(paste);
    })()`);
    await expect.poll(() => screenText(page), patience).toContain("paste [first <line>]");
  });

  it("a screen has the program's palette, is sharp, and may be a monitor's", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const paint =
      'term.setPaletteColour(colours.blue, 0x123456) term.setBackgroundColour(colours.blue) term.clear() print(term.getSize()) os.pullEvent("key") term.setPaletteColour(colours.blue, 0x654321) os.pullEvent("never")';
    const computer = await linkGameComputer(bridge, world, {
      label: "base",
      advanced: true,
      files: { "/paint.lua": paint },
    });
    const monitor = monitorPeripheral(20, 8);
    computer.attach("top", monitor);
    const page = await open(bridge);
    await page.getByRole("link", { name: /base/ }).click();
    await page.getByLabel("Where the game shows it").selectOption("top");
    await page.getByPlaceholder("Run a program").fill("paint");
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByRole("button", { name: "paint on top", pressed: true }).waitFor();
    await expect.poll(() => screenText(page), patience).toContain("20 8");
    expect(monitor.screen.text()).toContain("20 8");
    const corner = () =>
      page.evaluate(
        "[...document.querySelector('canvas').getContext('2d').getImageData(100, 60, 1, 1).data]",
      );
    await expect.poll(corner, patience).toEqual([0x12, 0x34, 0x56, 255]);
    await page.getByRole("application").focus();
    await page.keyboard.press("x");
    await expect.poll(corner, patience).toEqual([0x65, 0x43, 0x21, 255]);
    for (const width of [1_200, 1_000, 800]) {
      await page.setViewportSize({ width, height: 700 });
      const times = await page
        .locator("canvas")
        .evaluate((canvas) => canvas.getBoundingClientRect().width / canvas.width);
      expect(Number.isInteger(times), `${times} at ${width}`).toBe(true);
    }
  });

  it("a monitor shows what the computer draws on it, and takes no input", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { label: "base", advanced: true });
    computer.attach("top", monitorPeripheral(20, 8));
    const client = await connectClient(bridge.mcpUrl);
    const draw = (text: string) => {
      const code = `local m = peripheral.wrap("top") m.setCursorPos(2, 3) m.write("${text}")`;
      return callTool(client, "exec-lua", { computerId: 12, code });
    };
    const page = await open(bridge);
    await page.getByRole("link", { name: /base/ }).click();
    await page.getByRole("button", { name: "Monitor top" }).click();
    await page.getByText("The game cannot read a monitor back.").waitFor();
    await draw("IRON 64");
    await expect.poll(() => screenText(page), patience).toContain("IRON 64");
    await draw("GOLD 12");
    await expect.poll(() => screenText(page), patience).toContain("GOLD 12");
    await page.getByText(/other computers draw, is not seen/).waitFor();
    expect(await page.getByRole("application", { name: /Keys go to the game/ }).count()).toBe(0);
    expect(await page.getByPlaceholder("Type a line").count()).toBe(0);
  });

  it("the lines for the game and for clients are this bridge's, and are copied by a button", async () => {
    const bridge = await startPageBridge({ mcpTokens: ["right-token"] });
    const page = await open(bridge, { hash: "#/connect", token: "right-token" });
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = async (name: string) => {
      await page.getByRole("button", { name: `Copy ${name}` }).click();
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    expect(await copied("the line for the game")).toContain(`:${bridge.linkPort}/install.lua`);
    await page.getByText("Domain not permitted").click();
    const rule = await copied("the rule for the game's configuration");
    expect(rule).toMatch(
      new RegExp(`host = "127.0.0.1"\\s+port = ${bridge.linkPort}\\s+action = "allow"`),
    );
    expect(await copied("the command that allows this bridge")).toContain("allow");
    const clients = page.getByRole("combobox", { name: /^Client/ });
    const offered = await clients.locator("option").allTextContents();
    expect(offered).toEqual(expect.arrayContaining(["Claude Code", "LM Studio", "VS Code"]));
    for (const client of offered) {
      await clients.selectOption(client);
      const text = await copied("the configuration of this client");
      // Never the token of the person who looks.
      expect(text, client).toContain("YOUR_TOKEN");
      expect(text, client).not.toContain("right-token");
    }
  });

  it("calls are found by word, outcome and whether they act", async () => {
    const bridge = await startPageBridge();
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
    const client = await connectClient(bridge.mcpUrl);
    await callTool(client, "list-computers", {});
    await callTool(client, "exec-lua", { computerId: 1, code: "return 'a secret word'" });
    const page = await open(bridge, { hash: "#/activity" });
    const tools = () => page.locator("details.call b").allTextContents();
    await openTask(page);
    await expect.poll(tools, patience).toHaveLength(2);
    await page.getByRole("searchbox").fill("secret test");
    await expect.poll(tools, patience).toEqual(["exec-lua"]);
    await page.getByRole("searchbox").fill("");
    await page.getByLabel("Outcome").selectOption("error");
    await expect.poll(tools, patience).toEqual(["exec-lua"]);
    await page.getByLabel("Outcome").selectOption("refused");
    await page.getByText("No matching calls").waitFor();
    await page.getByLabel("Outcome").selectOption("");
    await page.getByLabel("hide read-only calls").check();
    await expect.poll(tools, patience).toEqual(["exec-lua"]);
  });

  it("the keyboard alone reaches every part and does everything, and gets out of the game", async () => {
    const bridge = await startPageBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, {
      label: "base",
      advanced: true,
      files: { "/spy.lua": spy, "/a.lua": "" },
    });
    await linkGameComputer(bridge, world, { id: 13, label: "other" });
    const client = await connectClient(bridge.mcpUrl);
    await callTool(client, "run-program", { computerId: 12, command: "spy" });
    const page = await open(bridge);
    await page.getByRole("link", { name: /other/ }).waitFor();
    for (const part of ["Home", "Activity", "Clients", "Numbers", "Connect", "Settings", "Fleet"]) {
      await tabTo(page, new RegExp(`^${part}`));
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: part, level: 1 }).waitFor();
    }
    await page.reload();
    await page.getByRole("link", { name: /other/ }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(`${focused}.name`)).toBe("Skip to content");
    await tabTo(page, /^base/);
    await page.keyboard.press("ArrowDown");
    await tabTo(page, /^other/);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");

    await tabTo(page, /^Screen of base/);
    await page.keyboard.press("Tab");
    await expect.poll(() => screenText(page), patience).toMatch(/key\s+tab/);
    expect(await page.evaluate(`${focused}.name`)).toMatch(/^Screen of base/);
    await page.keyboard.press("Escape");
    await page.keyboard.press("Tab");
    expect(await page.evaluate(`${focused}.name`)).toBe(texts.aLineToTypeFollowed);
    await page.keyboard.type("q");
    await page.keyboard.press("Enter");
    await expect.poll(() => screenText(page), patience).toMatch(/char\s+q/);

    await tabTo(page, /^Jobs$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop" }).waitFor();
    await tabTo(page, /^Stop/);
    await page.keyboard.press("Enter");
    await page.getByText("cancelled").waitFor();

    await tabTo(page, /^Files$/);
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "a.lua" }).waitFor();
    await tabTo(page, /^a\.lua/);
    await page.keyboard.press("Enter");
    const editor = page.getByRole("textbox", { name: "The file /a.lua" });
    await editor.waitFor();
    await tabTo(page, /^The file/);
    await page.keyboard.type("return 1");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(`${focused}.name`)).toBe("Save");
    await page.keyboard.press("Enter");
    await expect.poll(() => computer.fs.read("/a.lua"), patience).toBe("return 1");

    await tabTo(page, /^Events$/);
    await page.keyboard.press("Enter");
    await tabTo(page, /^Events to watch/);
    await page.keyboard.type("bell");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Stop watching bell" }).waitFor();
    computer.queueEvent("bell", "<b>ding</b>");
    await page.getByText("<b>ding</b>").waitFor();
    await tabTo(page, /^Stop watching bell/);
    await page.keyboard.press("Space");
    await page.getByText("No events are watched").waitFor();
  });

  it("the keyboard stays with a computer when the list moves, and leaves it when it scrolls away", async () => {
    const bridge = await startPageBridge();
    for (let id = 10; id < 90; id++) {
      await linkComputer(bridge.linkUrl, { computerId: id, label: `computer ${id}` });
    }
    const page = await open(bridge);
    await page.getByRole("button", { name: "All 80" }).waitFor();
    await page.getByRole("link", { name: /^computer 12/ }).focus();
    await linkComputer(bridge.linkUrl, { computerId: 1, label: "alpha" });
    await page.getByRole("link", { name: /^alpha/ }).waitFor();
    expect(await page.evaluate(`${focused}.name`)).toMatch(/^computer 12/);
    await page.keyboard.press("End");
    await expect.poll(() => page.evaluate(`${focused}.name`), patience).toMatch(/^computer 89/);
    await page.locator(".virtual").evaluate((box) => box.scrollTo(0, 0));
    await page.getByRole("link", { name: /^alpha/ }).waitFor();
    // An Enter meant for this computer must not open another one.
    await expect.poll(() => page.evaluate(`${focused}.name`), patience).toBe("");
  });

  it("one click pairs a computer, grants a capability, and stops waiting", async () => {
    const bridge = await startPageBridge({
      pairing: "on",
      pairingFile: join(scratchDirectory(), "paired.json"),
      mcpTokens: ["owner-token"],
      pagesOrigins: ["http://localhost:5173"],
    });
    const world = await startWorld();
    const computer = await placeComputer(world, { label: "<img src=x onerror=alert()>" });
    const page = await open(bridge, { hash: "#/activity", token: "owner-token" });
    await page.getByRole("heading", { name: "Activity" }).waitFor();
    computer.type(`mcp-computer ${bridge.linkUrl}\n`);
    await page.getByText("<img src=x onerror=alert()>").waitFor();
    await page.getByRole("link", { name: /1 waiting/ }).waitFor();
    await page.getByRole("button", { name: "Approve" }).click();
    await computer.until(() => isLinked(bridge, 12));
    const web = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    await web.register({ name: "write", capabilities: ["dom:write"] });
    const headers = { Authorization: "Bearer owner-token" };
    const client = await connectClient(bridge.mcpUrl, headers);
    const capabilities = ["dom:write"];
    await callTool(client, "__btcp_request_capabilities", { capabilities });
    await page.getByRole("button", { name: "Grant" }).click();
    const listed = async () => (await client.listTools()).tools.map(({ name }) => name);
    await expect.poll(listed, patience).toContain("write");
    await page.getByRole("heading", { name: "Waiting for you" }).waitFor({ state: "hidden" });
  });

  it("one click approves the first computer, where the page shows that none is linked", async () => {
    const bridge = await startPageBridge({ mcpTokens: ["owner-token"] });
    const page = await open(bridge, { token: "owner-token" });
    await page.getByRole("heading", { name: "No computer is linked yet" }).waitFor();
    await linkComputer(bridge.linkUrl, { computerId: 7, label: "old", protocol: 1 }, fromRemote());
    const card = page.getByRole("article", { name: "Computer 7 wants to link" });
    await card.getByText("203.0.113.5 through 127.0.0.1").waitFor();
    await card.getByText("too old to show a code").waitFor();
    await card.getByRole("button", { name: "Approve" }).click();
    await page.getByRole("link", { name: /^old/ }).waitFor();
  });

  it("a read-only page has nothing to type into, to stop, to save or to end", async () => {
    const bridge = await startPageBridge(
      tokenFile("owner-token name=owner", "look-token name=guest mode=look"),
    );
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, {
      label: "base",
      advanced: true,
      files: { "/spy.lua": spy, "/a.lua": "-- a" },
    });
    const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer owner-token" });
    await callTool(client, "run-program", { computerId: 12, command: "spy" });
    const page = await open(bridge, { token: "look-token" });
    const buttons = () => page.locator("main").getByRole("button").allTextContents();
    await page.getByRole("link", { name: /base/ }).click();
    await page.locator("canvas").click();
    await page.keyboard.press("q");
    expect(await page.locator("main input").count()).toBe(0);
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByText("running").waitFor();
    expect((await buttons()).join()).not.toContain("Stop");
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("button", { name: "a.lua" }).click();
    const editor = page.getByRole("textbox", { name: "The file /a.lua" });
    await editor.waitFor();
    await editor.press("x");
    await editor.press("Control+s");
    expect((await buttons()).join()).not.toMatch(/Save|Create|Delete/);
    await page.getByRole("link", { name: "Events" }).click();
    await page.getByText("No events are watched").waitFor();
    expect(await page.locator("main input").count()).toBe(0);
    await page.getByRole("link", { name: "Clients" }).click();
    await page.getByText("No client has a session").waitFor();
    expect(computer.fs.read("/a.lua")).toBe("-- a");
    const { text } = await callTool(client, "read-screen", { computerId: 12 });
    expect(text).not.toContain("key");
  });

  it("text from the game is text in every view", async () => {
    const evil = "<img src=x onerror=alert(1)>";
    const file = "&lt;img src=x onerror=alert(1)&gt;.lua";
    const bridge = await startPageBridge();
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, {
      label: evil,
      advanced: true,
      files: { [`/${file}`]: `-- ${evil}`, "/say.lua": `print("${evil}") os.pullEvent("never")` },
    });
    const network = new WiredNetwork();
    const items = { 1: { name: `mod:${evil}`, count: 3 } };
    network.add(inventoryPeripheral({ items }, network));
    network.connect(computer, "back");
    const client = await connectClient(bridge.mcpUrl);
    await callTool(client, "watch-events", { computerId: 12, events: ["sign"] });
    await callTool(client, "exec-lua", {
      computerId: 12,
      code: `print("${evil}") return "${evil}"`,
    });
    await callTool(client, "run-program", { computerId: 12, command: "say" });
    computer.queueEvent("sign", evil);
    const page = await open(bridge);
    const shown = () =>
      page.locator("main").getByText(evil).filter({ visible: true }).first().waitFor();
    await shown();
    await page.getByRole("link", { name: /^<img/ }).click();
    await expect.poll(() => screenText(page), patience).toContain(evil);
    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("button", { name: /print/ }).click();
    await page.locator("pre.output").getByText(evil).waitFor();
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("button", { name: file }).click();
    await page.getByRole("textbox", { name: `The file /${file}` }).waitFor();
    await page.getByRole("link", { name: "Events" }).click();
    await page.getByText(`"${evil}"`).waitFor();
    await page.getByRole("link", { name: "Peripherals" }).click();
    await page.getByText(`mod:${evil}`).waitFor();
    await page.getByRole("link", { name: "Activity" }).click();
    await openTask(page);
    await page.locator("details.call").getByText("exec-lua").click();
    await shown();
    expect(await page.locator("#app img, #app script").count()).toBe(0);
  });
});
