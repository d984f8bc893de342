import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { closeOf, rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";

describe("a slow peer", () => {
  it("does not take forever to send a body", async () => {
    const bridge = await startTestBridge({ requestTimeoutMs: 400 });
    const socket = await rawSocket(bridge.mcpPort);
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${bridge.mcpPort}\r\nContent-Type: application/json\r\n` +
        "Accept: */*\r\nContent-Length: 1000\r\n\r\n{",
    );
    const [answer] = await once(socket, "data");
    expect(String(answer)).toContain("408");
    await closeOf(socket);
    // The default is 30 s.
  }, 20_000);

  it("is gone soon after it was refused, whether it answers the goodbye or not", async () => {
    const bridge = await startTestBridge({ helloTimeoutMs: 50 });
    const socket = await rawSocket(bridge.linkPort);
    socket.resume();
    socket.write(
      `GET / HTTP/1.1\r\nHost: 127.0.0.1:${bridge.linkPort}\r\nUpgrade: websocket\r\n` +
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n",
    );
    await closeOf(socket);
    // The default of ws is 30 s.
  }, 20_000);
});
