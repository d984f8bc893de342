import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { type ChannelSocket, SocketRoom } from "../../src/link/channel-socket.js";
import { Unread } from "../../src/link/unread.js";
import { rawSocket } from "./helpers.js";

const MAX_UNREAD = 4_000_000;

/** A room, and peers in it that read nothing behind their handshake. */
async function meetMutes(count: number) {
  const room = new SocketRoom(1_000_000_000, MAX_UNREAD);
  const server = new WebSocketServer({ ...room.options(10_000), host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const channels: { channel: ChannelSocket; closed: string[] }[] = [];
  for (let index = 0; index < count; index++) {
    const peer = await rawSocket(port);
    peer.write(
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
    );
    peer.pause();
    const [socket, { socket: connection }] = await once(server, "connection");
    const channel = room.admit(socket, connection);
    const closed: string[] = [];
    channel.listener = { receive() {}, receiveBinary() {}, closed: (why) => void closed.push(why) };
    channels.push({ channel, closed });
  }
  return channels;
}

it("peers that do not read hold no more together than one of them might", async () => {
  const channels = await meetMutes(8);
  const text = "x".repeat(65_536);
  for (let round = 0; round < 200; round++) {
    for (const { channel } of channels) channel.send(text);
    const waiting = channels.filter(({ channel }) => channel.readyState === channel.OPEN);
    const unread = waiting.reduce((sum, { channel }) => sum + channel.bufferedBytes, 0);
    expect(unread).toBeLessThan(2 * MAX_UNREAD);
  }
  await expect
    .poll(() => channels.flatMap(({ closed }) => closed))
    .toContainEqual(expect.stringContaining("it did not read"));
});

it("counts what small messages cost, and leaves alone a peer that reads", () => {
  const dropped: string[] = [];
  const unread = new Unread(MAX_UNREAD);
  const peer = (name: string, bufferedBytes: number) => ({
    bufferedBytes,
    drop: () => void dropped.push(name),
  });
  const reading = peer("reading", 0);
  const large = peer("large", 1_000_000);
  const small = peer("small", 1_000_000);
  for (let sent = 0; sent < 1_000; sent++) {
    unread.note(reading, 1_000_000);
    unread.note(large, 100_000);
    unread.note(small, 20);
  }
  expect(new Set(dropped)).toEqual(new Set(["small"]));
});
