import { describe, expect, it, vi } from "vitest";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { chromiumNote, chromiumPath } from "../helpers/chromium.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { openTask, patience, sharedBrowser } from "./browser.js";
import { startPageBridge, startWireBridge, tokenFile, WirePage } from "./helpers.js";

vi.setConfig({ testTimeout: 120_000 });

describe.skipIf(chromiumPath === undefined)(`undo on the page${chromiumNote}`, () => {
  const open = sharedBrowser();

  it("a task shows what it changed, and what undoing does before it is done", async () => {
    const bridge = await startPageBridge();
    const computer = await linkGameComputer(bridge, await startWorld(), {
      label: "gate",
      files: { "/lock.lua": "open()\n", "/code.txt": "1234\n" },
    });
    const { fs } = computer;
    const client = await connectClient(bridge.mcpUrl);
    const on = (name: string, args: object) => callTool(client, name, { computerId: 12, ...args });
    await on("exec-lua", { code: "return 1" });
    await on("edit-file", { path: "/lock.lua", oldText: "open", newText: "close" });
    await on("write-file", { path: "/code.txt", content: "9999\n" });
    await on("set-label", { label: "door" });

    const page = await open(bridge, { hash: "#/activity" });
    await openTask(page);
    const changed = page.getByRole("region", { name: "What it changed" });
    await expect
      .poll(() => changed.getByRole("listitem").allTextContents(), patience)
      .toEqual([
        expect.stringMatching(/^label: "gate" -> "door" on door/),
        expect.stringMatching(/^\/code\.txt: 5 bytes.* -> 5 bytes.* on door/),
        expect.stringMatching(/^\/lock\.lua: 7 bytes.* -> 8 bytes.* on door/),
      ]);
    // One of them: shown, cancelled, shown, done.
    await changed.getByRole("button", { name: /^Undo \/lock\.lua/ }).click();
    const shown = page.getByRole("region", { name: "What undoing would do" });
    await shown.getByText(/-close\(\)[\s\S]*\+open\(\)/).waitFor();
    expect(fs.read("/lock.lua")).toBe("close()\n");
    await shown.getByRole("button", { name: "Cancel" }).click();
    await shown.waitFor({ state: "hidden" });
    await changed.getByRole("button", { name: /^Undo \/lock\.lua/ }).click();
    await shown.getByRole("button", { name: "Undo it" }).click();
    await changed.getByRole("status").getByText("Undone: 1 change.").waitFor();
    expect(fs.read("/lock.lua")).toBe("open()\n");
    expect(fs.read("/code.txt")).toBe("9999\n");
    await changed.getByText("undone", { exact: true }).waitFor();

    // The rest: a player changed one file since, which is only lost when that is wanted.
    fs.write("/code.txt", "the player's\n");
    await changed.getByRole("button", { name: "Undo all of it" }).click();
    await shown.getByText(/something else changed it since/).waitFor();
    await shown.getByRole("button", { name: "Undo what can be undone" }).click();
    await changed
      .getByRole("status")
      .getByText(/Not undone: something else/)
      .waitFor();
    expect(fs.read("/code.txt")).toBe("the player's\n");
    await changed.getByRole("button", { name: /^Undo \/code\.txt/ }).click();
    await shown.getByRole("button", { name: "Undo it and lose what was changed since" }).click();
    await expect.poll(() => fs.read("/code.txt"), patience).toBe("1234\n");
    const task = page.locator("details.task", { hasText: "ran Lua" });
    await task.locator("summary").first().getByText("undone", { exact: true }).waitFor();
    // What the person did is there too, and can be taken back.
    const own = page.locator("details.task", { hasText: "A person took back changes" });
    await own.locator("summary").first().click();
    await own.getByRole("button", { name: /^Undo \/lock\.lua: 8 bytes/ }).waitFor();
  });

  it("a page that may only look shows changes, and nothing to undo them", async () => {
    const bridge = await startPageBridge(
      tokenFile("owner-token name=owner", "guest-token name=guest mode=look"),
    );
    await linkGameComputer(bridge, await startWorld(), { label: "gate" });
    const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer owner-token" });
    await callTool(client, "write-file", { computerId: 12, path: "/a", content: "x" });
    const guest = await open(bridge, { hash: "#/activity", token: "guest-token" });
    await guest.getByRole("heading", { name: "Activity" }).waitFor();
    const owner = await open(bridge, { hash: "#/activity", token: "owner-token" });
    await openTask(owner);
    await owner.getByRole("button", { name: /^Undo \/a/ }).waitFor();
    expect(await guest.getByRole("button", { name: /^Undo/ }).count()).toBe(0);
  });
});

describe("undo on the wire", () => {
  it("a page finds and undoes the changes of its own token, an owner's those of all", async () => {
    const bridge = await startWireBridge(
      tokenFile(
        "owner-token name=owner",
        "ann-token name=ann rate=100/s",
        "bob-token name=bob rate=100/s",
      ),
    );
    const computer = await linkGameComputer(bridge, await startWorld(), { label: "gate" });
    const client = await connectClient(bridge.mcpUrl, { Authorization: "Bearer ann-token" });
    await callTool(client, "write-file", { computerId: 12, path: "/a", content: "ann's" });
    const owner = await new WirePage(bridge).hello("owner-token");
    const { calls } = await owner.watch("activity", {}).first(({ calls }) => calls.length > 0);
    const traces = calls.map(({ trace }) => trace);
    const found = await owner.act("find-changes", { traces });
    expect(found.changes).toMatchObject([
      { what: expect.stringContaining("/a: "), undoneBy: null, cannot: null },
    ]);
    const ids = found.changes.map(({ id }) => id);
    const bob = await new WirePage(bridge).hello("bob-token");
    expect(await bob.act("find-changes", { traces })).toEqual({ changes: [] });
    const wanted = { changes: ids, sure: true, force: true };
    await expect(bob.act("undo-changes", wanted)).rejects.toThrow("Nothing was undone");
    const ann = await new WirePage(bridge).hello("ann-token");
    expect(await ann.act("find-changes", { traces })).toEqual(found);
    expect(await ann.act("undo-changes", { ...wanted, sure: false })).toMatchObject({
      undone: ids,
      details: expect.stringContaining("/a on "),
    });
    expect(computer.fs.read("/a")).toBe("ann's");
    expect(await owner.act("undo-changes", wanted)).toMatchObject({ undone: ids, refused: [] });
    expect(computer.fs.exists("/a")).toBe(false);
    const after = await ann.act("find-changes", { traces });
    expect(after.changes).toMatchObject([{ id: ids[0], undoneBy: expect.any(String) }]);
  });
});
