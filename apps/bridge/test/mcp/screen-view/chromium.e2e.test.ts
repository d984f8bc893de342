import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { JOB_META_KEY } from "@ccbridge/protocol/screen";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import axe from "axe-core";
import type { BrowserContext } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { startWithTokens } from "../../calls/helpers.js";
import { isLinked, linkGameComputer, startWorld } from "../../computer/helpers.js";
import { stock } from "../../dashboard/scene.js";
import { startTestBridge } from "../../helpers/bridge.js";
import { chromiumNote, chromiumPath, launchChromium } from "../../helpers/chromium.js";
import { callTool } from "../../helpers/sdk-client.js";
import { builtView, type Chat, type ChatOptions, openChat } from "./chat.js";
import { connectHost } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const hostile = "<img src=x onerror=alert(1)>";

const files = {
  "/ask.lua": `term.setBackgroundColour(colours.blue) term.clear() term.setCursorPos(2, 2) write("Name? ") local name = read() term.setCursorPos(2, 4) print("Hello " .. name .. " ${hostile}") os.pullEvent("mouse_click") print("clicked")`,
  "/count.lua": "for i = 1, 100000 do print(i) sleep(0.05) end",
  "/stock.lua": stock,
};

const serious = `axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations
  .filter(({ impact }) => impact === "serious" || impact === "critical")
  .map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))`;

describe.skipIf(chromiumPath === undefined)(`the screen view in Chromium${chromiumNote}`, () => {
  let shared: { browser: BrowserContext; close(): Promise<void> } | undefined;
  beforeAll(async () => {
    shared = await launchChromium();
  });
  afterAll(() => shared?.close());

  async function start(options: ChatOptions = {}, label = "base") {
    const bridge = await startTestBridge({ structured: false }, undefined, builtView());
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { label, advanced: true, files });
    const client = await connectHost(bridge);
    const chat = await openChat(shared?.browser ?? expect.unreachable(), client, options);
    return { bridge, computer, client, chat };
  }

  const corner = (chat: Chat) =>
    chat
      .frame()
      .evaluate(
        "[...document.querySelector('canvas').getContext('2d').getImageData(1, 1, 1, 1).data]",
      );

  /** Lets some game time pass: a view that still polled would have called meanwhile. */
  const later = (client: Client) =>
    callTool(client, "exec-lua", { computerId: 12, code: "sleep(10)" });

  async function picture({ page }: Chat, name: string) {
    const folder = process.env.PICTURES_TO;
    if (folder === undefined) return;
    mkdirSync(folder, { recursive: true });
    await page.screenshot({ path: join(folder, `screen-view-${name}.png`) });
  }

  it("shows a program as it draws, and types and clicks into it", async () => {
    const { chat, client } = await start({ context: { theme: "light" } }, hostile);
    await chat.call("run-program", { computerId: 12, command: "ask", waitMs: 300 });
    await expect.poll(() => chat.screenText()).toContain("Name?");
    expect(await corner(chat)).toEqual([0x33, 0x66, 0xcc, 255]);
    await chat.view.getByRole("application").focus();
    await chat.page.keyboard.type("Ada");
    await chat.page.keyboard.press("Enter");
    await expect.poll(() => chat.screenText()).toContain("Hello Ada <img src=x");
    await chat.view.getByRole("heading", { name: hostile }).waitFor();
    expect(await chat.view.locator("img").count()).toBe(0);
    await picture(chat, "hostile");
    await chat.view.locator("canvas").click({ position: { x: 30, y: 30 } });
    await expect.poll(() => chat.screenText()).toContain("clicked");
    await chat.view.getByText("The program has ended. This is its last screen.").waitFor();
    expect(await chat.view.getByPlaceholder("Type a line").count()).toBe(0);
    expect(await corner(chat)).toEqual([0x33, 0x66, 0xcc, 255]);
    await picture(chat, "ended");
    const { length } = chat.calls;
    await later(client);
    expect(chat.calls.length).toBe(length);
  });

  it("sends a line with a button, and stops the program as Ctrl+T does", async () => {
    const { chat } = await start({ capabilities: { serverTools: {}, updateModelContext: {} } });
    await chat.call("run-program", { computerId: 12, command: "ask", waitMs: 300 });
    await chat.view.getByPlaceholder("Type a line").fill("Grace");
    await chat.view.getByPlaceholder("Type a line").press("Enter");
    await expect.poll(() => chat.screenText()).toContain("Hello Grace");
    // The model is notified once, so that it expects the changed screen.
    const typed = /^The user has typed into the screen that read-screen {"jobId":"\w+"} shows\.$/;
    const content = [{ type: "text", text: expect.stringMatching(typed) }];
    await expect.poll(async () => (await chat.viewReports()).contexts).toEqual([content]);
    await chat.view.getByRole("button", { name: "Terminate" }).click();
    await chat.view.getByText(/The program has ended \(.*[Tt]erminated/).waitFor();
  });

  it("looks like the chat around it, in light and dark, narrow and wide", async () => {
    const styles = { variables: { "--color-background-primary": "light-dark(#fffefa, #17181c)" } };
    const context = { theme: "light", styles, availableDisplayModes: ["inline", "fullscreen"] };
    const { chat, client } = await start({ context });
    await chat.call("run-program", { computerId: 12, command: "stock", waitMs: 300 });
    await expect.poll(() => chat.screenText()).toContain("wheat seeds");
    await chat.frame().evaluate(axe.source);
    for (const theme of ["light", "dark"]) {
      await chat.notifyView("setHostContext", { ...context, theme });
      const ground = theme === "light" ? "rgb(255, 254, 250)" : "rgb(23, 24, 28)";
      const colour = () => chat.frame().evaluate("getComputedStyle(document.body).backgroundColor");
      await expect.poll(colour).toBe(ground);
      for (const width of [320, 400, 560, 700]) {
        await chat.page.setViewportSize({ width, height: 640 });
        // The frame follows the window later, and its height follows its width.
        const fits = `innerWidth === ${width} && document.body.scrollHeight <= innerHeight`;
        await expect.poll(() => chat.frame().evaluate(fits)).toBe(true);
        const over = "document.documentElement.scrollWidth - document.documentElement.clientWidth";
        expect(await chat.frame().evaluate(over)).toBe(0);
        await picture(chat, `${theme}-${width}`);
      }
      expect(await chat.frame().evaluate(serious)).toEqual([]);
    }
    await chat.view.getByRole("button", { name: "Expand" }).click();
    await chat.view.getByRole("button", { name: "Back to the chat" }).waitFor();
    expect((await chat.viewReports()).modes).toEqual(["fullscreen"]);
    await later(client);
  });

  it("stops asking when it is removed or cannot be seen", async () => {
    const { chat, client } = await start();
    await chat.call("run-program", { computerId: 12, command: "count", waitMs: 100 });
    await expect.poll(() => chat.screenText()).toMatch(/\d\d/);
    const polls = () => chat.calls.length;
    await chat.page.evaluate("document.body.style.paddingTop = '5000px'");
    await expect
      .poll(async () => {
        const before = polls();
        await later(client);
        return polls() - before;
      })
      .toBe(0);
    const before = polls();
    await chat.page.evaluate("document.body.style.paddingTop = '0'");
    await expect.poll(polls).toBeGreaterThan(before + 1);
    await chat.notifyView("teardownResource", {});
    const after = polls();
    await later(client);
    expect(polls()).toBe(after);
  });

  it("is read-only for a client that may not act, and shows a client that may not read the reason", async () => {
    const bridge = await startWithTokens(
      "owner\nguest name=guest mode=look\nblind name=blind tools=run-program",
      { structured: false },
      undefined,
      builtView(),
    );
    const world = await startWorld();
    await linkGameComputer(bridge, world, { label: "base", files });
    const owner = await connectHost(bridge, "owner");
    const run = { computerId: 12, command: "ask", waitMs: 300 };
    const { _meta } = await owner.callTool({ name: "run-program", arguments: run });
    const jobId = String(_meta?.[JOB_META_KEY]);
    const browser = shared?.browser ?? expect.unreachable();
    const guest = await openChat(browser, await connectHost(bridge, "guest"));
    await guest.call("read-screen", { jobId });
    await guest.view.getByText("You can only look").waitFor();
    await expect.poll(() => guest.screenText()).toContain("Name?");
    expect(await guest.view.getByRole("button", { name: "Send" }).count()).toBe(0);
    await guest.view.getByRole("application").focus();
    await guest.page.keyboard.type("x");
    expect(guest.calls.every(({ name }) => name === "read-screen")).toBe(true);
    await picture(guest, "look-only");
    // A token that may run programs but not read screens cannot read the view either.
    const blind = await connectHost(bridge, "blind");
    await expect(openChat(browser, blind)).rejects.toThrow();
  });

  it("says that its computer is gone, and continues when it is back", async () => {
    const { bridge, computer, chat } = await start();
    await chat.call("run-program", { computerId: 12, command: "ask", waitMs: 300 });
    await expect.poll(() => chat.screenText()).toContain("Name?");
    bridge.computers.find(12).close("disconnected", "cut by the test");
    await computer.until(() => isLinked(bridge, 12));
    await chat.view.getByPlaceholder("Type a line").fill("Ada");
    await chat.view.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => chat.screenText()).toContain("Hello Ada");
    computer.shutdown();
    await chat.view.getByText("The computer is not linked. This is what it showed last.").waitFor();
    await picture(chat, "away");
  });

  it("says what is wrong with a call that shows nothing, and tries again when asked", async () => {
    const { chat, computer, bridge } = await start();
    computer.shutdown();
    await computer.until(() => !isLinked(bridge, 12));
    await chat.call("read-screen", { computerId: 12 });
    await chat.view.getByRole("alert").waitFor();
    await picture(chat, "offline");
    const { length } = chat.calls;
    await chat.view.getByRole("button", { name: "Try again" }).click();
    await expect.poll(() => chat.calls.length).toBeGreaterThan(length);
  });

  it("shows the text where the client does not let views call tools", async () => {
    const { chat } = await start({ capabilities: {} });
    await chat.call("run-program", { computerId: 12, command: "ask", waitMs: 300 });
    await chat.view.getByText("this is not live").waitFor();
    await chat.view.getByText("Name?").waitFor();
    expect(chat.calls).toEqual([]);
    await picture(chat, "not-live");
  });
});
