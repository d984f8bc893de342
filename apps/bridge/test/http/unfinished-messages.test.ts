import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { limits } from "../../src/config/limits.js";
import { IncomingBudget } from "../../src/http/incoming.js";
import { heldBytes } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";
import { rawWebSocket, startSocketListener, textFrame } from "../helpers/listener.js";

it("the address that holds the most loses its oldest message, and others keep theirs", () => {
  const dropped: string[] = [];
  const budget = new IncomingBudget(100_000);
  const message = (address: string, name: string) => ({
    address,
    drop: () => void dropped.push(name),
  });
  const honest = message("192.0.2.1", "honest");
  const [old, young] = [message("192.0.2.2", "old"), message("192.0.2.2", "young")];
  budget.set(honest, 40_000);
  budget.set(old, 30_000);
  budget.set(young, 50_000);
  expect(budget.shed()).toBe(true);
  expect(dropped).toEqual(["old"]);
  budget.release(young);
  budget.set(old, 60_000);
  expect(budget.shed()).toBe(true);
  expect(dropped).toEqual(["old"]);
  // One that has just begun may be honest.
  budget.set(young, 60_000);
  expect(budget.shed(2_000)).toBe(false);
  expect(dropped).toEqual(["old"]);
});

const half = textFrame("x".repeat(125_000), 131_000);
const HALVES = Math.ceil(limits.incomingBytes / 125_000) + 100;

async function sendHalves(port: number, count: number) {
  const sockets: Socket[] = [];
  for (let sent = 0; sent < count; sent += 50) {
    const opened = await Promise.all(Array.from({ length: 50 }, () => rawWebSocket(port)));
    for (const socket of opened) {
      socket.resume();
      socket.write(half);
    }
    sockets.push(...opened);
  }
  const isDone = (socket: Socket) => socket.destroyed || socket.writableLength === 0;
  await expect.poll(() => sockets.every(isDone), { timeout: 20_000 }).toBe(true);
  return sockets;
}

it("computers that send half a frame and wait hold a bounded part of the memory, and give it back", async () => {
  const bridge = await startTestBridge({ linkMaxPerAddress: 5_000, helloTimeoutMs: 60_000 });
  const before = await heldBytes();
  const sockets = await sendHalves(bridge.linkPort, HALVES);
  await expect.poll(() => sockets.some(({ destroyed }) => destroyed)).toBe(true);
  expect((await heldBytes()) - before).toBeLessThan(limits.incomingBytes * 0.75);
  await linkComputer(bridge.linkUrl, { computerId: 1, label: "honest" });
  expect(bridge.registry.size).toBe(1);
  for (const socket of sockets) socket.destroy();
  await expect
    .poll(async () => (await heldBytes()) - before, { timeout: 20_000 })
    .toBeLessThan(16_000_000);
}, 60_000);

it("counts the beginning of a message that comes with the end of another", async () => {
  const { connectRaw } = await startSocketListener({ maxMessageBytes: 200_000_000 });
  const { peer, socket } = await connectRaw();
  const received: string[] = [];
  const reasons: string[] = [];
  socket.listener = {
    receive: (text) => void received.push(text),
    receiveBinary() {},
    closed: (reason) => void reasons.push(reason),
  };
  const rest = Buffer.alloc(limits.incomingBytes, "x");
  peer.write(Buffer.concat([textFrame("whole"), textFrame(rest, 190_000_000)]));
  await expect
    .poll(() => reasons, { timeout: 20_000 })
    .toEqual([expect.stringContaining("message was incomplete")]);
  expect(received).toEqual(["whole"]);
});

it("clients that send most of a message and wait are let go, and others are served", async () => {
  const length = 33_554_432;
  const bridge = await startTestBridge({ bodyLimitBytes: length });
  const open = async () => {
    const socket = new WebSocket(`ws://127.0.0.1:${bridge.mcpPort}/mcp`, ["mcp"]);
    onTestFinished(() => socket.terminate());
    socket.on("error", () => {});
    await once(socket, "open");
    return socket;
  };
  const part = "x".repeat(length - 1_000);
  const sockets: WebSocket[] = [];
  for (let sent = 0; sent <= limits.incomingBytes; sent += part.length) {
    const socket = await open();
    socket.send(part, { fin: false });
    sockets.push(socket);
  }
  await expect
    .poll(() => sockets.filter(({ readyState }) => readyState === WebSocket.CLOSED).length)
    .toBeGreaterThan(0);
  const honest = await open();
  honest.send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }));
  expect(JSON.parse(String((await once(honest, "message"))[0]))).toMatchObject({ id: 1 });
});
