import type { PlacedComputer } from "@ccbridge/cc-host";
import type { Page } from "playwright-core";
import { describe, expect, it, vi } from "vitest";
import { isLinked, linkGameComputer, startWorld } from "../computer/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { patience, sharedBrowser } from "./browser.js";
import { startPageBridge, tokenFile } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

const files = { "/a.lua": "-- a\n", "/b.lua": "-- b\n" };

async function startWithFiles(settings = {}) {
  const bridge = await startPageBridge(settings);
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world, { label: "base", files });
  return { bridge, computer };
}

async function goToFiles(page: Page): Promise<void> {
  await page.getByRole("link", { name: /^base/ }).click();
  await page.getByRole("link", { name: "Files" }).click();
  await page.getByRole("button", { name: "a.lua" }).waitFor();
}

const editorOf = (page: Page, path: string) =>
  page.getByRole("textbox", { name: `The file ${path}` });

async function openFile(page: Page, name: string): Promise<void> {
  await page.getByRole("button", { name, exact: false }).first().click();
  await editorOf(page, `/${name}`).waitFor();
}

async function typeInto(page: Page, name: string, text: string): Promise<void> {
  await openFile(page, name);
  await editorOf(page, `/${name}`).press("Control+End");
  await page.keyboard.type(text);
}

const shown = (page: Page, path: string) =>
  expect.poll(() => editorOf(page, path).textContent(), patience);

const status = (page: Page) =>
  expect.poll(() => page.locator(".open-file").getByRole("status").textContent(), patience);

const inDialog = (page: Page, name: string) =>
  page.getByRole("dialog").getByRole("button", { name });

async function writeElsewhere(bridge: TestBridge, path: string, content: string): Promise<void> {
  const client = await connectClient(bridge.mcpUrl);
  await callTool(client, "write-file", { computerId: 12, path, content });
}

describe.skipIf(chromiumPath === undefined)(`unsaved text${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("survives another file, tab and view and a reload, and is marked everywhere", async () => {
    const { bridge, computer } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- żółć ☃ 🎮");
    await status(page).toBe("unsaved");
    const entry = page.locator(".tree li").filter({ hasText: "a.lua" }).getByRole("button");
    expect(await entry.textContent()).toContain("unsaved");

    await openFile(page, "b.lua");
    await status(page).toBe("saved");
    expect(await entry.textContent()).toContain("unsaved");
    await openFile(page, "a.lua");
    await shown(page, "/a.lua").toContain("-- żółć ☃ 🎮");

    await page.getByRole("link", { name: "Jobs" }).click();
    await page.getByRole("link", { name: "Files 1 unsaved" }).click();
    await page.getByRole("link", { name: "/a.lua" }).click();
    await shown(page, "/a.lua").toContain("-- żółć ☃ 🎮");

    await page.getByRole("link", { name: "Activity" }).click();
    await page.getByRole("link", { name: "Fleet", exact: true }).click();
    await page.getByRole("link", { name: "base: /a.lua" }).click();
    await shown(page, "/a.lua").toContain("-- żółć ☃ 🎮");

    await editorOf(page, "/a.lua").press("Control+End");
    await page.keyboard.type("!");
    await page.reload();
    await shown(page, "/a.lua").toContain("-- żółć ☃ 🎮!");
    await status(page).toBe("unsaved");
    expect(computer.fs.read("/a.lua")).toBe("-- a\n");
    expect(await page.evaluate("localStorage.length")).toBe(0);

    await page.getByRole("button", { name: "Save", exact: true }).click();
    await status(page).toBe("saved");
    expect(computer.fs.read("/a.lua")).toBe("-- a\n-- żółć ☃ 🎮!");
    await page.reload();
    await status(page).toBe("saved");
    expect(await page.getByText("unsaved").count()).toBe(0);
  });

  it("is dropped only after a question, which the keyboard answers", async () => {
    const { bridge } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- mine");
    const discard = page.getByRole("button", { name: "Discard" });
    await discard.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByText("Discard the unsaved text of /a.lua?").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await shown(page, "/a.lua").toContain("-- mine");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Discard");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await status(page).toBe("unsaved");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await status(page).toBe("saved");
    await shown(page, "/a.lua").not.toContain("-- mine");

    await editorOf(page, "/a.lua").press("Control+End");
    await page.keyboard.type("x");
    await status(page).toBe("unsaved");
    await page.keyboard.press("Backspace");
    await status(page).toBe("saved");
    await page.reload();
    await status(page).toBe("saved");
  });

  it("is saved over nothing but the version that it began with", async () => {
    const { bridge, computer } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- mine");
    await openFile(page, "b.lua");
    await writeElsewhere(bridge, "/a.lua", "-- theirs\n");
    await openFile(page, "a.lua");
    await status(page).toBe("changed on the computer");
    await shown(page, "/a.lua").toContain("-- mine");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator(".problem").getByText("has changed since you read it").waitFor();
    expect(computer.fs.read("/a.lua")).toBe("-- theirs\n");
    await page.reload();
    await page.getByRole("button", { name: "Load their version" }).click();
    await inDialog(page, "Cancel").click();
    await shown(page, "/a.lua").toContain("-- mine");
    await page.getByRole("button", { name: "Overwrite with my version" }).click();
    await status(page).toBe("saved");
    expect(computer.fs.read("/a.lua")).toBe("-- a\n-- mine");

    await typeInto(page, "b.lua", "-- mine");
    await page.getByRole("link", { name: "Jobs" }).click();
    const client = await connectClient(bridge.mcpUrl);
    await callTool(client, "delete-file", { computerId: 12, path: "/b.lua" });
    await page.getByRole("link", { name: "Files" }).click();
    await page.getByRole("link", { name: "/b.lua" }).click();
    await page.getByText("was deleted on the computer").waitFor();
    await page.getByRole("button", { name: "Save my version" }).click();
    await expect.poll(() => computer.fs.read("/b.lua"), patience).toBe("-- b\n-- mine");
  });

  it("of a new file survives, and does not replace one that appears", async () => {
    const { bridge, computer } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await page.getByLabel("The path of a new file").fill("lib/new.lua");
    await page.keyboard.press("Enter");
    await editorOf(page, "/lib/new.lua").click();
    await page.keyboard.type("-- new");
    await page.reload();
    await shown(page, "/lib/new.lua").toContain("-- new");
    await writeElsewhere(bridge, "/lib/new.lua", "-- theirs\n");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("This file was changed on the computer").waitFor();
    expect(computer.fs.read("/lib/new.lua")).toBe("-- theirs\n");
    await page.getByRole("button", { name: "Load their version" }).click();
    await inDialog(page, "Discard it").click();
    await shown(page, "/lib/new.lua").toContain("-- theirs");
  });

  it("in two tabs are two drafts, of which the second to be saved meets the first", async () => {
    const { bridge, computer } = await startWithFiles();
    const first = await open(bridge);
    await goToFiles(first);
    await typeInto(first, "a.lua", "-- first");
    const second = await open(bridge);
    await goToFiles(second);
    await typeInto(second, "a.lua", "-- second");
    await second.getByRole("button", { name: "Save", exact: true }).click();
    await status(second).toBe("saved");
    await first.reload();
    await status(first).toBe("changed on the computer");
    await shown(first, "/a.lua").toContain("-- first");
    expect(computer.fs.read("/a.lua")).toBe("-- a\n-- second");
  });

  it("is still there when its computer is gone, and when it is back", async () => {
    const { bridge, computer } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- mine");
    computer.shutdown();
    await page.getByText("Not linked at the moment").waitFor();
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy the unsaved text of /a.lua" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe("-- a\n-- mine");
    await page.reload();
    await page.getByRole("button", { name: "Discard the unsaved text of /a.lua" }).waitFor();
    await turnOn(bridge, computer);
    await shown(page, "/a.lua").toContain("-- mine");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => computer.fs.read("/a.lua"), patience).toBe("-- a\n-- mine");
  });

  it("is hidden from another token in the same tab, and back for its own", async () => {
    const { bridge } = await startWithFiles(
      tokenFile("owner-token-0123456789 name=owner", "other-token-0123456789 name=other"),
    );
    const page = await open(bridge, { token: "owner-token-0123456789" });
    const signIn = async (token: string) => {
      await page.getByLabel("Token").fill(token);
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "a.lua" }).waitFor();
    };
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- of the owner");
    await page.getByRole("button", { name: "Sign out" }).click();
    await inDialog(page, "Cancel").click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await inDialog(page, "Keep it and sign out").click();
    await page.getByLabel("Token").waitFor();
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain(
      "0123456789",
    );
    await signIn("other-token-0123456789");
    await editorOf(page, "/a.lua").waitFor();
    await shown(page, "/a.lua").not.toContain("-- of the owner");
    expect(await page.getByText("unsaved").count()).toBe(0);
    await page.reload();
    await status(page).toBe("saved");
    expect(await page.getByText("unsaved").count()).toBe(0);
    await page.getByRole("button", { name: "Sign out" }).click();
    await signIn("owner-token-0123456789");
    await shown(page, "/a.lua").toContain("-- of the owner");
    await page.getByRole("button", { name: "Sign out" }).click();
    await inDialog(page, "Discard it and sign out").click();
    await page.getByLabel("Token").waitFor();
    expect(await page.evaluate("JSON.stringify({ ...sessionStorage })")).not.toContain("owner");
  });

  it("that the browser does not store is kept in the page, which shows that", async () => {
    const { bridge } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await page.evaluate(`(() => {
      for (let text = "x".repeat(1 << 22); text !== ""; text = text.slice(0, text.length / 2)) {
        for (let i = 0; i < 9; i++) try { sessionStorage.setItem("full" + text.length + i, text); } catch { break; }
      }
    })()`);
    await typeInto(page, "a.lua", "-- mine");
    await page.getByText("This browser cannot store all of your unsaved text").waitFor();
    await openFile(page, "b.lua");
    await openFile(page, "a.lua");
    await shown(page, "/a.lua").toContain("-- mine");
    page.removeAllListeners("dialog");
    const asked = page.waitForEvent("dialog");
    const reloading = page.evaluate("void location.reload()");
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await reloading;
    await shown(page, "/a.lua").toContain("-- mine");
    await page.evaluate("sessionStorage.clear()");
    await editorOf(page, "/a.lua").press("Control+End");
    await page.keyboard.type(" more");
    await page.getByText("This browser cannot store").waitFor({ state: "hidden" });
    await page.reload();
    await shown(page, "/a.lua").toContain("-- mine more");
  });

  it("of more files than the page stores is kept as long as the page, which shows that", async () => {
    const { bridge } = await startWithFiles();
    const page = await open(bridge);
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- mine");
    await page.reload();
    await shown(page, "/a.lua").toContain("-- mine");
    await page.evaluate(`(() => {
      const [name] = Object.keys(sessionStorage).filter((key) => key.startsWith("ccbridge-draft:"));
      const draft = JSON.parse(sessionStorage.getItem(name));
      for (let i = 1; i < 32; i++) {
        const path = "/many/" + i + ".lua";
        sessionStorage.setItem(name.replace("/a.lua", path), JSON.stringify({ ...draft, path }));
      }
    })()`);
    await page.reload();
    await page.getByRole("link", { name: "Files 32 unsaved" }).waitFor();
    await typeInto(page, "b.lua", "-- one more");
    await page.getByText("This browser cannot store all of your unsaved text").waitFor();
    await page.getByRole("link", { name: "Files 33 unsaved" }).waitFor();
    await openFile(page, "a.lua");
    await page.getByRole("button", { name: "Discard" }).click();
    await inDialog(page, "Discard it").click();
    await page.getByText("This browser cannot store").waitFor({ state: "hidden" });
    await page.reload();
    await openFile(page, "b.lua");
    await shown(page, "/b.lua").toContain("-- one more");
  });

  it("and everything else works where the browser has no storage at all", async () => {
    const { bridge } = await startWithFiles(tokenFile("owner-token-0123456789 name=owner"));
    const page = await open(bridge);
    await page.addInitScript(
      'Object.defineProperty(window, "sessionStorage", { get() { throw new DOMException("denied", "SecurityError"); } })',
    );
    await page.reload();
    await page.getByLabel("Token").fill("owner-token-0123456789");
    await page.keyboard.press("Enter");
    await goToFiles(page);
    await typeInto(page, "a.lua", "-- mine");
    await page.getByText("This browser cannot store all of your unsaved text").waitFor();
    await openFile(page, "b.lua");
    await openFile(page, "a.lua");
    await shown(page, "/a.lua").toContain("-- mine");
  });
});

async function turnOn(bridge: TestBridge, computer: PlacedComputer): Promise<void> {
  computer.turnOn();
  await computer.until(() => computer.screen.text().includes(">"));
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  await computer.until(() => isLinked(bridge, computer.id));
}
