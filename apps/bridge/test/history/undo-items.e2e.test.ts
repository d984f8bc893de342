// Moving back twice would move other items: what is not known to have been undone is not undone again by itself.
import { join } from "node:path";
import { expect, it } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { scratchDirectory } from "../helpers/scratch.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { spawnBridge } from "../helpers/spawn-bridge.js";
import { item, linkChests, listChanges } from "./chests.js";

it("an undo of move-items whose bridge was killed is not done again, unless the client insists", async () => {
  const settings = {
    ...{ CC_HISTORY: "on", CC_HISTORY_FILE: join(scratchDirectory(), "history.db") },
    ...{ MCP_STRUCTURED: "on", CC_LINK_TOKEN: "" },
  };
  const first = await spawnBridge([], settings);
  const chests = new Map([
    ["left", 8],
    ["right", 64],
  ]);
  const computer = await linkChests(first.linkUrl, chests);
  const client = await connectClient(first.mcpUrl);
  const moving = { computerId: 12, item, from: "left", to: "right" };
  expect(await callTool(client, "move-items", moving)).not.toMatchObject({ isError: true });
  const [move] = await listChanges(client);
  computer.isSilent = true;
  callTool(client, "undo-change", { changes: [move?.id] }).catch(() => {});
  await expect.poll(() => computer.moves).toBe(2);
  expect([...chests.values()]).toEqual([8, 64]);
  await first.kill("SIGKILL");

  const next = await spawnBridge([], settings);
  const again = await linkChests(next.linkUrl, chests);
  const later = await connectClient(next.mcpUrl);
  const shown = (await listChanges(later)).find(({ id }) => id === move?.id);
  expect(shown).toMatchObject({ canBeUndone: true, undoing: expect.any(String) });
  for (const args of [{ changes: [move?.id] }, { until: "now", dryRun: false }]) {
    const { text } = await callTool(later, "undo-change", args);
    expect(text).toContain(texts.beganToUndoItAnd);
  }
  expect([again.moves, ...chests.values()]).toEqual([0, 8, 64]);
  const forced = await callTool(later, "undo-change", { changes: [move?.id], force: true });
  expect(forced.text).toContain("Undone: 1 change.");
  expect([...chests.values()]).toEqual([16, 56]);
  expect((await listChanges(later)).find(({ id }) => id === move?.id)).toMatchObject({
    canBeUndone: false,
  });
});

it("an undo of move-items whose bridge was killed has ended once its computer says so", async () => {
  const settings = {
    ...{ CC_HISTORY: "on", CC_HISTORY_FILE: join(scratchDirectory(), "history.db") },
    MCP_STRUCTURED: "on",
  };
  const first = await spawnBridge([], settings);
  const chests = new Map([
    ["left", 8],
    ["right", 64],
  ]);
  const computer = await linkChests(first.linkUrl, chests);
  const client = await connectClient(first.mcpUrl);
  const moving = { computerId: 12, item, from: "left", to: "right" };
  expect(await callTool(client, "move-items", moving)).not.toMatchObject({ isError: true });
  const [move] = await listChanges(client);
  computer.isSilent = true;
  callTool(client, "undo-change", { changes: [move?.id] }).catch(() => {});
  await expect.poll(() => computer.unsaid.length).toBe(1);
  await first.kill("SIGKILL");

  const next = await spawnBridge([], settings);
  const [answer] = computer.unsaid as { id: string }[];
  const again = await linkChests(next.linkUrl, chests, [answer?.id ?? ""]);
  again.send(answer ?? {});
  const later = await connectClient(next.mcpUrl);
  await expect
    .poll(async () => (await listChanges(later)).map(({ canBeUndone }) => canBeUndone))
    .toEqual([true, false]);
  await callTool(later, "undo-change", { changes: [move?.id] });
  expect([again.moves, ...chests.values()]).toEqual([0, 8, 64]);
});
