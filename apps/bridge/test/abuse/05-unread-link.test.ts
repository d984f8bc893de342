import { once } from "node:events";
import { expect, it, vi } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket } from "../helpers/computer.js";

const PINGS = 300_000;

it("a peer that pings and does not read is not answered without end", async () => {
  const bridge = await startTestBridge();
  const { socket } = await openSocket(bridge.linkUrl);
  socket.send(JSON.stringify({ type: "hello", computerId: 1 }));
  await once(socket, "message");
  socket.pause();
  const payload = Buffer.alloc(125);
  for (let sent = 0; sent < PINGS; sent++) {
    socket.ping(payload);
    if (socket.bufferedAmount > 1_000_000) await new Promise((resolve) => setImmediate(resolve));
  }
  await vi.waitFor(() => expect(socket.bufferedAmount).toBe(0), { timeout: 20_000 });
  let pongs = 0;
  socket.on("pong", () => {
    pongs += 1;
  });
  socket.resume();
  // Behind the last of the pongs comes the answer to another hello.
  socket.send(JSON.stringify({ type: "hello", computerId: 1 }));
  await once(socket, "message");
  // What the kernel took at most; the rest would have been held by the bridge.
  expect(pongs).toBeLessThan(PINGS * 0.7);
  // A peer that reads gets its pong.
  const pong = once(socket, "pong");
  await vi.waitFor(() => socket.ping("still there?"));
  expect(String((await pong)[0])).toBe("still there?");
}, 60_000);

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
  await vi.waitFor(() => expect(bridge.registry.size).toBe(1), { timeout: 10_000 });
}, 60_000);
