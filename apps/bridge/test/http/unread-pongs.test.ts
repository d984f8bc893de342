import { once } from "node:events";
import type { Socket } from "node:net";
import { DASHBOARD_PATH } from "@ccbridge/protocol/dashboard";
import { encodeRequest } from "@ccbridge/protocol/minecraft";
import { expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { startWireBridge } from "../dashboard/helpers.js";
import { initializeBody } from "../helpers/http.js";

const PINGS = 250_000;
const PING_BYTES = 131;
const PONG_BYTES = 127;
const token = "a-good-server-token";
const site = "http://localhost:5173";

const sockets = {
  computers: { path: "", message: { type: "hello", computerId: 1 } },
  servers: {
    path: `/minecraft?token=${token}`,
    message: JSON.parse(
      encodeRequest({ source: "minecraft", id: "1" }, { command: "hello", args: {} }),
    ),
  },
  pages: { path: "/ws", message: { jsonrpc: "2.0", id: 1, method: "ping" } },
  clients: { path: "/mcp", message: initializeBody },
  dashboard: { path: DASHBOARD_PATH, message: { type: "hello" } },
} as const;

/** Masked pings with full payloads, as bytes: a client library would take a hundred times as long. */
function pings(count: number): Buffer {
  const ping = Buffer.alloc(PING_BYTES);
  ping.set([0x89, 0x80 | 125]);
  return Buffer.concat(new Array(count).fill(ping));
}

it.each(Object.keys(sockets) as (keyof typeof sockets)[])(
  "a peer at the socket for %s that pings and does not read is not answered without end",
  async (kind) => {
    const bridge = await startWireBridge({ minecraftTokens: [token], pagesOrigins: [site] });
    const near = `ws://127.0.0.1:${bridge.mcpPort}`;
    const urls = {
      computers: bridge.linkUrl,
      servers: bridge.linkUrl,
      pages: bridge.pagesUrl,
      clients: near,
      dashboard: near,
    };
    const origins = { pages: site, dashboard: near.replace("ws", "http") };
    const { path, message } = sockets[kind];
    const origin = kind in origins ? { origin: origins[kind as keyof typeof origins] } : {};
    const subprotocols = kind === "clients" ? ["mcp"] : [];
    const socket = new WebSocket(urls[kind] + path, subprotocols, origin);
    onTestFinished(() => socket.terminate());
    await once(socket, "open");
    socket.send(JSON.stringify(message));
    await once(socket, "message");
    socket.pause();
    const { _socket: wire } = socket as unknown as { _socket: Socket };
    const before = wire.bytesRead;
    const block = pings(PINGS / 100);
    for (let sent = 0; sent < 100; sent++) {
      if (!wire.write(block)) await once(wire, "drain");
    }
    await vi.waitFor(() => expect(wire.writableLength).toBe(0));
    socket.resume();
    socket.send(JSON.stringify(kind === "dashboard" ? ask : { ...message, id: "2" }));
    const [data] = await Promise.race([once(socket, "message"), once(socket, "close")]);
    expect(data).toBeInstanceOf(Buffer);
    // At most what the kernel buffers; the bridge would have queued the rest.
    expect(wire.bytesRead - before).toBeLessThan(PINGS * PONG_BYTES * 0.7);
  },
);

const ask = { type: "action", action: 1, name: "connect", params: {} };
