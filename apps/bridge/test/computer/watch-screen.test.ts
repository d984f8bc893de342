import { createLocalPort, findComputer, type WatchedScreen, watchScreen } from "@ccbridge/registry";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { isLinked, placeComputer, screenText, startWorld } from "./helpers.js";

const SCREEN = "cc://computers/12/screen";

interface Frame {
  type: string;
  job?: string;
  screen?: { width: number; height: number };
  rows?: { y: number; text: string }[];
}

async function shared(advanced: boolean) {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await placeComputer(world, { advanced });
  computer.type(`mcp-computer ${bridge.linkUrl} share\n`);
  await computer.until(() => isLinked(bridge, 12));
  await computer.until(() => screenText(computer).includes("shared, linked"));
  const link = bridge.computers.find(12);
  const frames: Frame[] = [];
  const receive = link.receive.bind(link);
  link.receive = (text) => {
    const frame = JSON.parse(text) as Frame;
    if (frame.type === "screen") frames.push(frame);
    receive(text);
  };
  return { bridge, computer, frames };
}

async function follower(url: string) {
  const client = await connectClient(url);
  const notifications = { updates: 0 };
  client.setNotificationHandler(
    ResourceUpdatedNotificationSchema,
    () => void notifications.updates++,
  );
  await client.subscribeResource({ uri: SCREEN });
  return { client, notifications };
}

describe.each([
  ["a normal computer", false],
  ["an advanced one", true],
])("a prompt that is shared on %s", (_name, advanced) => {
  it("is pushed once for all viewers: whole first, then rows, and nothing when nothing changed", async () => {
    const { bridge, computer, frames } = await shared(advanced);
    const first = await follower(bridge.mcpUrl);
    const second = await follower(bridge.mcpUrl);
    const port = createLocalPort(bridge.registry);
    const { key } = await findComputer(port, 12);
    const seen: WatchedScreen[] = [];
    onTestFinished(await watchScreen(port, key, (screen) => seen.push(screen)));
    await vi.waitFor(() => expect(seen.length).toBeGreaterThan(0));
    expect(frames.map(({ screen }) => screen !== undefined)).toEqual([true]);
    expect(frames[0]).not.toHaveProperty("job");
    for (let count = 0; count < 5; count++) computer.queueEvent("nothing_to_see");
    await callTool(first.client, "probe-computers");
    expect(frames).toHaveLength(1);

    computer.type("id\n");
    await vi.waitFor(() => expect(seen.at(-1)?.screen?.text).toContain("This is computer #12"));
    const changed = frames.slice(1);
    expect(changed.length).toBeGreaterThan(0);
    for (const frame of changed) expect(frame).not.toHaveProperty("screen");
    const height = frames[0]?.screen?.height ?? 0;
    for (const { rows = [] } of changed) expect(rows.length).toBeLessThan(height);
    await vi.waitFor(() => {
      expect(first.notifications.updates).toBeGreaterThan(0);
      expect(second.notifications.updates).toBeGreaterThan(0);
    });
    const { contents } = await first.client.readResource({ uri: SCREEN });
    expect(JSON.stringify(contents)).toContain("This is computer #12");
  });

  it("shows the player who controlled it last", async () => {
    const { bridge, computer } = await shared(advanced);
    const client = await connectClient(bridge.mcpUrl);
    const steps = [{ text: "label get" }, { key: "enter" }];
    const { text } = await callTool(client, "send-input", {
      computerId: 12,
      steps,
      waitFor: "base-turtle",
    });
    expect(text).toContain("base-turtle");
    await computer.until(() => screenText(computer).includes("driven by test;"));
  });
});
