import type { Socket } from "node:net";
import { expect, it } from "vitest";
import { startSocketListener } from "../helpers/listener.js";

const frame = Buffer.concat([Buffer.from([0x81, 0x80 + 94, 0, 0, 0, 0]), Buffer.alloc(94, "x")]);
const FLOOD = 50_000;

it("peers that send without end are read in turns, and wholly", async () => {
  const { connectRaw } = await startSocketListener();
  const received: number[] = [];
  const peers: Socket[] = [];
  for (const index of [0, 1]) {
    const { peer, socket } = await connectRaw();
    const receive = () => void received.push(index);
    socket.listener = { receive, receiveBinary() {}, closed() {} };
    peers.push(peer);
  }
  const flood = Buffer.concat(Array.from({ length: FLOOD }, () => frame));
  for (const peer of peers) peer.write(flood);
  await expect.poll(() => received.length).toBe(peers.length * FLOOD);
  const together = received.slice(0, Math.min(...[0, 1].map((peer) => received.lastIndexOf(peer))));
  let longest = 0;
  let run = 0;
  for (const [at, peer] of together.entries()) {
    run = peer === together[at - 1] ? run + 1 : 1;
    longest = Math.max(longest, run);
  }
  // Node alone would read 2 MB from one of them before the other: 20,972 messages.
  expect(longest).toBeLessThan(10_000);
});
