import { noNats, startNats } from "@ccbridge/cluster/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { health, spawnBridge } from "../helpers/spawn-bridge.js";
import { item, linkChests, listChanges } from "../history/chests.js";

describe.skipIf(noNats !== undefined)(`undo in a cluster${noNats ? ` (${noNats})` : ""}`, () => {
  it("does nothing when the bridge that keeps the change no longer answers", async () => {
    const nats = await startNats();
    onTestFinished(() => nats[Symbol.asyncDispose]());
    const settings = { CC_CLUSTER: nats.url, MCP_STRUCTURED: "on" };
    const one = await spawnBridge([], { ...settings, CC_CLUSTER_NAME: "one" });
    const two = await spawnBridge([], { ...settings, CC_CLUSTER_NAME: "two" });
    await expect
      .poll(async () => ((await health(one.mcpUrl)).cluster as { members: number }).members)
      .toBe(2);
    const chests = new Map([
      ["left", 8],
      ["right", 64],
    ]);
    const computer = await linkChests(one.linkUrl, chests);
    const [near, far] = [await connectClient(one.mcpUrl), await connectClient(two.mcpUrl)];
    const moving = { computerId: 12, item, from: "left", to: "right" };
    await expect
      .poll(async () => (await callTool(far, "move-items", moving)).isError !== true)
      .toBe(true);
    const [move] = await listChanges(near);
    const undo = async () => (await callTool(near, "undo-change", { changes: [move?.id] })).text;
    // It stops when the undo has looked, before it moves anything.
    computer.onLook = () => two.child.kill("SIGSTOP");
    const refused = await undo();
    two.child.kill("SIGCONT");
    expect(refused).toContain(texts.doesNotAnswerSoNothing);
    expect([computer.moves, ...chests.values()]).toEqual([1, 0, 72]);

    computer.onLook = () => {};
    await expect
      .poll(async () => (await listChanges(near)).map(({ id }) => id))
      .toContain(move?.id);
    // Whether it was marked there is not known here: then it is undone only on request.
    const text = await undo();
    const asked = { changes: [move?.id], force: true };
    if (!text.includes("Undone: 1 change.")) await callTool(near, "undo-change", asked);
    expect([computer.moves, ...chests.values()]).toEqual([2, 8, 64]);
  });
});
