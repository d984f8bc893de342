import { expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { linkGameComputer, startWorld } from "./helpers.js";

it("wait-for-event takes the side of a redstone event, as create-alert does", async () => {
  const bridge = await startTestBridge();
  const world = await startWorld();
  const computer = await linkGameComputer(bridge, world);
  const client = await connectClient(bridge.mcpUrl);
  const wait = (filter: object, more: object = {}) =>
    callTool(client, "wait-for-event", { computerId: 12, name: "redstone", filter, ...more });
  const set = async (side: "left" | "right", strength: number) => {
    computer.redstone.setInput(side, strength);
    await world.advance(100);
  };
  const none = await wait({ left: true }, { waitMs: 0 });
  expect(none.structuredContent).toMatchObject({ found: false });
  await set("right", 3);
  await set("left", 13);
  await set("left", 0);
  const { log } = bridge.registry.events.of(bridge.computers.find(12));
  await expect.poll(() => log.end).toBe(3);
  const on = await wait({ left: true }, { cursor: 0 });
  expect(on.text).toContain("left = { from = 0, to = 13 }");
  const off = await wait({ left: 0 }, { cursor: 0 });
  expect(off.text).toContain("left = { from = 13, to = 0 }");
  const later = await wait({ left: true }, { cursor: 2, waitMs: 10 });
  expect(later.structuredContent).toMatchObject({ found: false, cursor: 3 });
  const next = wait({ left: 7 }, { cursor: 3 });
  await set("right", 0);
  await set("left", 7);
  expect((await next).text).toContain("left = { from = 0, to = 7 }");
});
