import { expect, it } from "vitest";
import { type Reader, UnreadBudget } from "../../src/http/outgoing.js";
import { startSocketListener } from "../helpers/listener.js";

const MAX_UNREAD = 4_000_000;

it("peers that do not read hold no more together than one of them might", async () => {
  const { connectRaw } = await startSocketListener(
    { maxUnreadBytes: MAX_UNREAD },
    { maxUnreadBytes: 1_000_000_000 },
  );
  const reasons: string[] = [];
  const sockets = [];
  for (let index = 0; index < 8; index++) {
    const { peer, socket } = await connectRaw();
    peer.pause();
    socket.listener = { receive() {}, receiveBinary() {}, closed: (why) => void reasons.push(why) };
    sockets.push(socket);
  }
  const text = "x".repeat(65_536);
  for (let round = 0; round < 200; round++) {
    for (const socket of sockets) socket.send(text);
    const waiting = sockets.filter(({ isOpen }) => isOpen);
    const unread = waiting.reduce((sum, { bufferedBytes }) => sum + bufferedBytes, 0);
    expect(unread).toBeLessThan(2 * MAX_UNREAD);
  }
  await expect.poll(() => reasons).toContainEqual(expect.stringContaining("it did not read"));
});

it("counts what small messages cost, and leaves alone a peer that has read since", async () => {
  const { connectRaw } = await startSocketListener(
    { maxUnreadBytes: MAX_UNREAD },
    { maxUnreadBytes: 1_000_000_000 },
  );
  const { peer, socket } = await connectRaw();
  peer.pause();
  const reasons: string[] = [];
  socket.listener = { receive() {}, receiveBinary() {}, closed: (why) => void reasons.push(why) };
  // The kernel takes some of it.
  while (socket.bufferedBytes === 0) socket.send("x".repeat(100_000));
  for (let sent = 0; sent < 10_000; sent++) socket.send("small");
  await expect.poll(() => reasons).toHaveLength(1);

  const dropped: string[] = [];
  const unread = new UnreadBudget(MAX_UNREAD);
  const reader = (name: string, unreadBytes: number): Reader & { unreadBytes: number } => ({
    unreadBytes,
    drop: () => void dropped.push(name),
  });
  const reading = reader("reading", 3_000_000);
  unread.note(reading);
  reading.unreadBytes = 0;
  unread.note(reader("second", 3_900_000));
  expect(dropped).toEqual([]);
  unread.note(reader("third", 200_000));
  expect(dropped).toEqual(["second"]);
});
