import { once } from "node:events";
import type { Socket } from "node:net";
import { expect, it, onTestFinished, vi } from "vitest";
import { limits } from "../../src/config/limits.js";
import { closeOf, rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { initialize, post } from "../helpers/http.js";

/** How many requests of the largest size fit at once. */
const room = (bodyLimit: number) => Math.floor(limits.incomingBytes / bodyLimit);

async function beginBody(port: number, length: number): Promise<Socket> {
  const socket = await rawSocket(port);
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json, text/event-stream\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await once(socket, "data");
  return socket;
}

it("bodies that never complete use a bounded amount of memory, and are dropped for others", async () => {
  const bodyLimitBytes = 16_777_216;
  const clock = { now: Math.ceil(performance.now()) };
  const now = vi.spyOn(performance, "now").mockImplementation(() => clock.now);
  onTestFinished(() => now.mockRestore());
  const bridge = await startTestBridge({ bodyLimitBytes });
  const session = await initialize(bridge.mcpUrl);
  const slow: Socket[] = [];
  for (let body = 0; body < room(bodyLimitBytes); body++) {
    slow.push(await beginBody(bridge.mcpPort, bodyLimitBytes));
  }
  const large = () =>
    post(bridge.mcpUrl, {
      session,
      body: { jsonrpc: "2.0", id: 1, method: "ping", params: { text: "x".repeat(100_000) } },
    });
  // All of them may still be honest.
  const refused = await large();
  expect(refused.status).toBe(503);
  expect(refused.headers.get("retry-after")).toBe("1");
  const small = { jsonrpc: "2.0", id: 2, method: "ping" };
  expect((await post(bridge.mcpUrl, { session, body: small })).status).toBe(200);
  const ended = Promise.race(slow.map(closeOf));
  clock.now += 2_000;
  expect((await large()).status).toBe(200);
  await ended;
  for (const socket of slow) socket.destroy();
  await expect.poll(async () => (await large()).status).toBe(200);
});
