import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket } from "../helpers/computer.js";

it("a peer that reads gets its pong", async () => {
  const bridge = await startTestBridge();
  const { socket } = await openSocket(bridge.linkUrl);
  const pong = once(socket, "pong");
  socket.ping("still there?");
  expect(String((await pong)[0])).toBe("still there?");
});

it("a computer that makes the bridge answer and does not read is cut off", async () => {
  const bridge = await startTestBridge({ maxBufferedBytes: 65_536 });
  await linkComputer(bridge.linkUrl, { computerId: 2 });
  const { socket, fake } = await linkComputer(bridge.linkUrl, { computerId: 1 });
  socket.pause();
  while (bridge.registry.size === 2 && socket.readyState === socket.OPEN) {
    for (let said = 0; said < 1_000; said++) fake.sayHello();
    await new Promise((resolve) => setImmediate(resolve));
    if (socket.bufferedAmount > 200_000_000) break;
  }
  await vi.waitFor(() => expect(bridge.registry.size).toBe(1));
});
