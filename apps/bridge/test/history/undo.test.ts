// What the AI changed can be taken back: with the real program, files first.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inventoryPeripheral, monitorPeripheral, WiredNetwork } from "@ccbridge/cc-host";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startWithTokens } from "../calls/helpers.js";
import { linkGameComputer, startWorld } from "../computer/helpers.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool } from "../helpers/sdk-client.js";
import { startUndoScene as startScene } from "./undo-scene.js";

describe("files", () => {
  it("a replaced, an edited, a new and a deleted file: each alone, and again", async () => {
    const { computer, on, write, undo, newest, changes } = await startScene();
    computer.fs.write("/a", "one\ntwo\n");
    await write("/a", "one\nthree\n");
    const replaced = await newest();
    const seen = await undo({ changes: replaced, dryRun: true });
    expect(seen.text).toContain("| -three");
    expect(seen.text).toContain("| +two");
    expect(computer.fs.read("/a")).toBe("one\nthree\n");
    const done = await undo({ changes: replaced });
    expect(done.text).toContain("Undone: 1 change.");
    expect(computer.fs.read("/a")).toBe("one\ntwo\n");
    // Undoing is itself a change.
    await undo({ changes: await newest() });
    expect(computer.fs.read("/a")).toBe("one\nthree\n");
    await on("edit-file", { path: "/a", oldText: "three", newText: "four" });
    await undo({ changes: await newest() });
    expect(computer.fs.read("/a")).toBe("one\nthree\n");
    await write("/new", "x");
    await undo({ changes: await newest() });
    expect(computer.fs.exists("/new")).toBe(false);
    await on("delete-file", { path: "/a" });
    await undo({ changes: await newest() });
    expect(computer.fs.read("/a")).toBe("one\nthree\n");
    await write("/a", "more", { append: true });
    await undo({ changes: await newest() });
    expect(computer.fs.read("/a")).toBe("one\nthree\n");
    expect((await changes()).every(({ canBeUndone, cannot }) => canBeUndone || cannot)).toBe(true);
  });

  it("a folder that was deleted, moved and copied over, by the calls", async () => {
    const { computer, on, undo, changes } = await startScene();
    const files = { "/d/a": "A", "/d/sub/b": "B\r\n\0", "/d/sub/c": "" };
    for (const [path, text] of Object.entries(files)) computer.fs.write(path, text);
    computer.fs.write("/target", "old");
    const back = async () => {
      const [last] = await changes();
      const { text } = await undo({ trace: last?.trace, dryRun: false });
      for (const [path, content] of Object.entries(files)) {
        expect(computer.fs.read(path), `${path}: ${text}`).toBe(content);
      }
      expect(computer.fs.read("/target")).toBe("old");
    };
    await on("delete-file", { path: "/d", recursive: true });
    expect(computer.fs.exists("/d")).toBe(false);
    await back();
    await on("copy-file", { from: "/d", to: "/elsewhere", move: true });
    expect(computer.fs.read("/elsewhere/sub/b")).toBe("B\r\n\0");
    await back();
    expect(computer.fs.exists("/elsewhere/sub/b")).toBe(false);
    await on("copy-file", { from: "/d/a", to: "/target", overwrite: true, move: true });
    expect(computer.fs.read("/target")).toBe("A");
    await back();
    await on("copy-file", { from: "/d", to: "/copy" });
    await back();
    expect(computer.fs.exists("/copy/sub/b")).toBe(false);
  });

  it("a folder that was synchronized, file by file", async () => {
    const root = join(scratchDirectory(), "scripts");
    mkdirSync(root);
    writeFileSync(join(root, "a.lua"), "new");
    writeFileSync(join(root, "b.lua"), "b");
    const { computer, on, undo, changes } = await startScene({ syncFolders: [`scripts=${root}`] });
    computer.fs.write("/programs/a.lua", "old");
    computer.fs.write("/programs/extra", "only here");
    await on("sync-folder", {
      ...{ folder: "scripts", computerPath: "/programs", direction: "to-computer" },
      ...{ deleteExtra: true, dryRun: false },
    });
    expect(computer.fs.list("/programs")).toEqual(["a.lua", "b.lua"]);
    const kept = await changes();
    expect(kept).toHaveLength(3);
    await undo({ trace: kept[0]?.trace, dryRun: false });
    expect(computer.fs.list("/programs")).toEqual(["a.lua", "extra"]);
    expect(computer.fs.read("/programs/a.lua")).toBe("old");
    expect(computer.fs.read("/programs/extra")).toBe("only here");
  });

  it("several changes: shown first, and undone to where all began", async () => {
    const { computer, write, undo, on } = await startScene();
    computer.fs.write("/a", "0");
    for (const text of ["1", "2", "3"]) await write("/a", text);
    await write("/b", "new");
    await on("delete-file", { path: "/b" });
    const shown = await undo({ since: "1h" });
    expect(shown.text).toContain(texts.nothingWasChangedYetWhat);
    expect(shown.text).toContain('"dryRun":false');
    expect(computer.fs.read("/a")).toBe("3");
    const done = await undo({ since: "1h", dryRun: false });
    expect(done.text).toContain("Undone: 3 changes.");
    expect(done.text).toContain(texts.isAsItWasBefore);
    expect(computer.fs.read("/a")).toBe("0");
    expect(computer.fs.exists("/b")).toBe(false);
    const again = await undo({ since: "1h", dryRun: false });
    expect(again.text).toContain(texts.everythingIsAsItWas);
  });

  it("is refused when the player changed the file since, unless forced", async () => {
    const { computer, write, undo, newest } = await startScene();
    computer.fs.write("/a", "old");
    await write("/a", "new");
    computer.fs.write("/a", "the player's");
    const refused = await undo({ changes: await newest() });
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain(texts.somethingElseChangedItSince);
    expect(refused.text).toContain("it is 12 bytes");
    expect(computer.fs.read("/a")).toBe("the player's");
    // What would be lost, and what would be there instead.
    expect(refused.text).toContain("| -the player's");
    expect(refused.text).toContain("| +old");
    await undo({ changes: await newest(), force: true });
    expect(computer.fs.read("/a")).toBe("old");
    await undo({ changes: await newest() });
    expect(computer.fs.read("/a")).toBe("the player's");
  });

  it("is refused when the player changed it between two changes", async () => {
    const { computer, write, undo, changes } = await startScene();
    await write("/a", "1");
    computer.fs.write("/a", "the player's");
    await write("/a", "2");
    const refused = await undo({ file: "/a", dryRun: false });
    expect(refused.text).toContain(texts.somethingElseChangedIt);
    const [last] = await changes();
    await undo({ changes: [last?.id] });
    expect(computer.fs.read("/a")).toBe("the player's");
  });

  it("changes that took back others are taken back with them, and each says whether it holds", async () => {
    const { computer, write, undo, changes } = await startScene();
    computer.fs.write("/a", "a");
    await write("/a", "b");
    await write("/a", "c");
    const ids = async () => (await changes()).map(({ id }) => id).reverse();
    const holding = async () =>
      (await changes()).map(({ cannot }) => (cannot === undefined ? 1 : 0)).reverse();
    const [first, second] = await ids();
    await undo({ changes: [first, second], dryRun: false });
    expect(computer.fs.read("/a")).toBe("a");
    expect(await holding()).toEqual([0, 0, 1]);
    // To how it was before the second, although the third took back the first as well.
    const [, , third] = await ids();
    await undo({ changes: [second, third], dryRun: false });
    expect(computer.fs.read("/a")).toBe("b");
    expect(await holding()).toEqual([1, 0, 0, 1]);
    const [, , , fourth] = await ids();
    await undo({ changes: [fourth] });
    expect(computer.fs.read("/a")).toBe("a");
    expect(await holding()).toEqual([0, 0, 1, 0, 1]);
    const all = (await ids()).slice(1);
    await undo({ changes: all, dryRun: false });
    expect(computer.fs.read("/a")).toBe("b");
  });

  it("a call that was refused leaves no change behind, and what is too large is said", async () => {
    const { computer, on, write, changes, undo, newest } = await startScene();
    computer.fs.write("/a", "x");
    await on("edit-file", { path: "/a", oldText: "not there", newText: "y" });
    await write("/a", "y", { expectedHash: "wrong" });
    await write("/rom/a", "y");
    await on("delete-file", { path: "/missing" });
    expect(await changes()).toEqual([]);
    computer.fs.write("/large", "x".repeat(1_100_000));
    await on("delete-file", { path: "/large" });
    const [large] = await changes();
    expect(large).toMatchObject({ canBeUndone: false });
    expect(large?.cannot).toContain("larger than 1048576 bytes");
    expect((await undo({ changes: await newest() })).text).toContain("REFUSED");
  });

  it("a computer that is away is said, and one with its id that is another", async () => {
    const { bridge, world, computer, write, undo, newest } = await startScene();
    await write("/a", "1");
    const ids = await newest();
    computer.shutdown();
    await vi.waitFor(() => expect(bridge.computers.list()).toHaveLength(0));
    expect((await undo({ changes: ids })).text).toContain(texts.isNotLinkedCallAgain);
    const other = await startWorld();
    expect(other).not.toBe(world);
    await linkGameComputer(bridge, other, { id: 12, label: "gate" });
    const refused = await undo({ changes: ids });
    expect(refused.text).toContain(texts.notTheOneThat);
  });

  it("a full disk leaves everything as it is", async () => {
    const { computer, write, undo, newest, on } = await startScene();
    computer.fs.write("/a", "x".repeat(300_000));
    await on("delete-file", { path: "/a" });
    const ids = await newest();
    computer.fs.write("/b", "y".repeat(400_000));
    computer.fs.write("/c", "y".repeat(computer.fs.freeSpace - 100_000));
    const full = await undo({ changes: ids });
    expect(full.isError).toBe(true);
    expect(full.text).toContain(texts.theDiskIsToo);
    expect(computer.fs.exists("/a")).toBe(false);
    await on("delete-file", { path: "/b" });
    expect((await undo({ changes: ids })).text).toContain("Undone: 1 change.");
    expect(computer.fs.read("/a")).toBe("x".repeat(300_000));
    await write("/d", "z");
  });
});

describe("what is no file", () => {
  it("redstone: back to what the side had, unless something else set it", async () => {
    const { computer, on, undo, newest } = await startScene();
    const output = () =>
      on("redstone").then(({ structuredContent }) => {
        const { sides } = structuredContent as { sides: { side: string; output: number }[] };
        return sides.find(({ side }) => side === "back")?.output;
      });
    await on("redstone", { side: "back", strength: 4 });
    await on("redstone", { side: "back", output: true });
    expect(await output()).toBe(15);
    const last = await newest();
    await undo({ changes: last });
    expect(await output()).toBe(4);
    await undo({ changes: await newest() });
    expect(await output()).toBe(15);
    await on("exec-lua", { code: 'redstone.setAnalogOutput("back", 3)' });
    const refused = await undo({ changes: await newest() });
    expect(refused.text).toContain(texts.theChangeLeftOutputAnd);
    expect(refused.text).not.toContain("force undoes");
    expect(await output()).toBe(3);
    await on("redstone", { side: "left", output: true, pulseMs: 50 });
    expect(computer.fs.exists("/a")).toBe(false);
  });

  it("a label", async () => {
    const { bridge, on, undo, newest } = await startScene();
    const label = () => bridge.computers.list()[0]?.provider.label;
    await on("set-label", { label: "new" });
    expect(label()).toBe("new");
    await undo({ changes: await newest() });
    await vi.waitFor(() => expect(label()).toBe("gate"));
  });

  it("settings of a peripheral that can be read", async () => {
    const { computer, on, undo, newest, changes } = await startScene();
    computer.attach("top", monitorPeripheral());
    const scale = () =>
      on("exec-lua", { code: 'return peripheral.call("top", "getTextScale")' }).then(
        ({ text }) => text,
      );
    const before = await scale();
    const calls = [{ name: "top", method: "setTextScale", args: [2] }];
    await on("call-peripheral", { calls });
    expect(await scale()).not.toBe(before);
    expect((await changes())[0]).toMatchObject({ subject: "top.setTextScale" });
    await undo({ changes: await newest() });
    expect(await scale()).toContain("1");
    await on("call-peripheral", { calls: [{ name: "top", method: "setNothing", args: [2] }] });
    expect(await changes()).toHaveLength(2);
  });

  it("moved items go back where they came from, if they are still there", async () => {
    const { computer, on, undo, changes, newest } = await startScene();
    const network = new WiredNetwork();
    const iron = { name: "minecraft:iron_ingot", count: 40 };
    const coal = { name: "minecraft:coal", count: 8 };
    network.add(inventoryPeripheral({ items: { 2: iron, 5: coal } }, network));
    network.add(inventoryPeripheral({ items: { 1: iron } }, network));
    network.add(inventoryPeripheral({ items: {} }, network));
    network.connect(computer, "back");
    const chest = (n: number) => `minecraft:chest_${n}`;
    const counts = async (n: number) => {
      const { structuredContent } = await on("list-inventory", { names: [chest(n)] });
      const { totals } = structuredContent as { totals: { item: string; count: number }[] };
      return Object.fromEntries(totals.map(({ item, count }) => [item, count]));
    };
    const before = [await counts(0), await counts(1), await counts(2)];
    await on("move-items", { item: "*", to: chest(2) });
    expect(await counts(2)).toEqual({ "minecraft:iron_ingot": 80, "minecraft:coal": 8 });
    const [{ trace } = { trace: "" }] = await changes();
    expect(await changes()).toHaveLength(3);
    expect((await undo({ trace, dryRun: true })).text).toContain("-> 8 minecraft:coal in");
    const done = await undo({ trace, dryRun: false });
    expect(done.text).toContain("Undone: 3 changes.");
    expect([await counts(0), await counts(1), await counts(2)]).toEqual(before);
    await on("move-items", { item: "coal", to: chest(2) });
    const last = await newest();
    await on("move-items", { item: "coal", to: chest(1), from: chest(2), count: 5 });
    expect((await undo({ changes: last })).text).toContain("it is 3 minecraft:coal in");
  });
});

describe("rights", () => {
  it("a client undoes its own changes only, owners all", async () => {
    const bridge = await startWithTokens(
      "t-owner name=owner\nt-alice name=alice rate=1000/min\nt-bob name=bob rate=1000/min\n",
    );
    const world = await startWorld();
    const computer = await linkGameComputer(bridge, world, { id: 12 });
    const [alice, bob, owner] = await Promise.all([
      bridge.connect("t-alice"),
      bridge.connect("t-bob"),
      bridge.connect("t-owner"),
    ]);
    await callTool(alice, "write-file", { computerId: 12, path: "/a", content: "alice" });
    const { structuredContent } = await callTool(owner, "list-changes");
    const { changes } = structuredContent as { changes: { id: string }[] };
    const ids = changes.map(({ id }) => id);
    expect((await callTool(bob, "list-changes")).text).toContain(texts.noSuchChangeIs);
    expect((await callTool(bob, "undo-change", { changes: ids })).text).toContain(
      texts.ofThisClientIs,
    );
    expect((await callTool(bob, "undo-change", { client: "alice" })).text).toContain(
      "No such change",
    );
    expect(computer.fs.read("/a")).toBe("alice");
    await callTool(owner, "undo-change", { changes: ids });
    expect(computer.fs.exists("/a")).toBe(false);
  });
});
