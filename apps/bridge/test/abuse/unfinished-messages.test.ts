import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { limits } from "../../src/limits.js";
import { Unfinished } from "../../src/net/unfinished.js";
import { startTestBridge } from "../helpers/bridge.js";

/** A peer whose connection has read so many bytes, and what became of it. */
function peer() {
  const state = {
    connection: { bytesRead: 500 },
    isEnded: false,
    terminate() {
      state.isEnded = true;
    },
  };
  return state;
}

it("of messages that never end no more is kept than the bound, and those that wait go first", () => {
  const unfinished = new Unfinished(1_000);
  const [waiting, sending, quick] = [peer(), peer(), peer()];
  for (const each of [waiting, sending, quick]) unfinished.add(each, each.connection);
  waiting.connection.bytesRead += 400;
  unfinished.look();
  sending.connection.bytesRead += 700;
  // One that is whole is not kept, however long it was.
  quick.connection.bytesRead += 5_000;
  unfinished.whole(quick);
  unfinished.look();
  expect([waiting, sending, quick].map(({ isEnded }) => isEnded)).toEqual([true, false, false]);
  sending.connection.bytesRead += 400;
  unfinished.look();
  expect(sending.isEnded).toBe(true);
  expect(quick.isEnded).toBe(false);
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
  for (let sent = 0; sent <= limits.unfinishedBytes; sent += part.length) {
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
