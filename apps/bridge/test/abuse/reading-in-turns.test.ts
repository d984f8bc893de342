import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { WebSocketServer } from "ws";
import { SocketRoom } from "../../src/link/channel-socket.js";
import { rawSocket } from "./helpers.js";

/** A room, and peers in it, whose messages are noted by the number of the peer. */
async function meet(count: number) {
  const room = new SocketRoom(1_000_000);
  const server = new WebSocketServer({ ...room.options(10_000), host: "127.0.0.1", port: 0 });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const received: number[] = [];
  const peers: Socket[] = [];
  for (let index = 0; index < count; index++) {
    const peer = await rawSocket(port);
    peer.write(
      "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${Buffer.alloc(16).toString("base64")}\r\n\r\n`,
    );
    const [socket, { socket: connection }] = await once(server, "connection");
    const receive = () => void received.push(index);
    room.admit(socket, connection).listener = { receive, receiveBinary() {}, closed() {} };
    await once(peer, "data");
    peers.push(peer);
  }
  return { received, peers };
}

/** A text message of 100 bytes on the wire, with a mask that changes nothing. */
const frame = Buffer.concat([Buffer.from([0x81, 0x80 + 94, 0, 0, 0, 0]), Buffer.alloc(94, "x")]);
const FLOOD = 50_000;

it("peers that send without end are read in turns, and wholly", async () => {
  const { received, peers } = await meet(2);
  const flood = Buffer.concat(Array.from({ length: FLOOD }, () => frame));
  for (const peer of peers) peer.write(flood);
  await expect.poll(() => received.length).toBe(peers.length * FLOOD);
  // Until one of them is done.
  const together = received.slice(0, Math.min(...[0, 1].map((peer) => received.lastIndexOf(peer))));
  let longest = 0;
  let run = 0;
  for (const [at, peer] of together.entries()) {
    run = peer === together[at - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  // Node alone would read 2 MB of one of them before it looks at the other: 20,972 messages.
  expect(longest).toBeLessThan(10_000);
});
