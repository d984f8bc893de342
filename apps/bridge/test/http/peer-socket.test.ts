import { once } from "node:events";
import { setImmediate as afterReads } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { texts } from "../../../../vitest.texts.js";
import { flushWrites, queueWrite } from "../../src/http/outgoing.js";
import { startSocketListener } from "../helpers/listener.js";

async function connectPeer(...options: Parameters<typeof startSocketListener>) {
  const listener = await startSocketListener(...options);
  const peer = new WebSocket(`ws://127.0.0.1:${listener.port}`);
  onTestFinished(() => peer.terminate());
  peer.on("error", () => {});
  await once(peer, "open");
  await vi.waitFor(() => expect(listener.accepted).toHaveLength(1));
  const [socket] = listener.accepted;
  if (socket === undefined) throw new Error("not accepted");
  const events: string[] = [];
  socket.listener = {
    receive: (text) => void events.push(`text ${text}`),
    receiveBinary: () => void events.push("binary"),
    alive: () => void events.push("alive"),
    closed: (reason) => void events.push(`closed: ${reason}`),
  };
  return { ...listener, peer, socket, events };
}

describe("queued writes", () => {
  it("are flushed in order when everything was read; the first one is not queued", async () => {
    const written: number[] = [];
    await afterReads();
    for (const number of [1, 2, 3]) queueWrite(10, () => written.push(number));
    expect(written).toEqual([1]);
    await afterReads();
    expect(written).toEqual([1, 2, 3]);
    queueWrite(10, () => written.push(4));
    expect(written).toEqual([1, 2, 3, 4]);
    await afterReads();
  });

  it("are flushed early when they are many or large", async () => {
    const written: string[] = [];
    await afterReads();
    queueWrite(1, () => {});
    for (let count = 0; count < 16; count++) queueWrite(1, () => written.push("small"));
    expect(written).toHaveLength(16);
    queueWrite(40_000, () => written.push("large"));
    expect(written).toHaveLength(16);
    queueWrite(40_000, () => written.push("large"));
    expect(written).toHaveLength(18);
  });

  it("are held back by their connection until all of them were made", async () => {
    const done: string[] = [];
    const writer = { cork: () => done.push("cork"), uncork: () => done.push("uncork") };
    await afterReads();
    for (const number of [1, 2, 3]) queueWrite(10, () => done.push(`write ${number}`), writer);
    expect(done).toEqual(["write 1"]);
    await afterReads();
    expect(done.slice(1)).toEqual(["cork", "cork", "write 2", "write 3", "uncork", "uncork"]);
  });

  it("that queue further writes leave those to the next flush", async () => {
    const written: string[] = [];
    await afterReads();
    queueWrite(1, () => {});
    queueWrite(1, () => {
      written.push("outer");
      queueWrite(1, () => written.push("inner"));
    });
    queueWrite(1, () => written.push("second"));
    flushWrites();
    expect(written).toEqual(["outer", "second"]);
    await afterReads();
    expect(written).toEqual(["outer", "second", "inner"]);
  });
});

describe("a peer's socket", () => {
  it("receives messages and answers each ping once", async () => {
    const { peer, events } = await connectPeer();
    const pongs: string[] = [];
    peer.on("pong", (data) => pongs.push(String(data)));
    peer.send("one");
    peer.send(Buffer.from("two"));
    peer.ping("a");
    await vi.waitFor(() => expect(events).toEqual(["text one", "binary", "alive"]));
    await vi.waitFor(() => expect(pongs).toEqual(["a"]));
  });

  it("sends what is queued before its close frame, whose reason is truncated to whole characters", async () => {
    const { socket, peer, events } = await connectPeer();
    const messages: string[] = [];
    peer.on("message", (data) => messages.push(String(data)));
    for (const text of ["one", "two", "three"]) socket.send(text);
    socket.close(4_000, `x${"\u20ac".repeat(100)}`);
    const [code, reason] = await once(peer, "close");
    expect([code, String(reason)]).toEqual([4_000, `x${"\u20ac".repeat(40)}`]);
    expect(messages).toEqual(["one", "two", "three"]);
    await vi.waitFor(() => expect(events).toEqual(["closed: socket closed with 4000"]));
    socket.close(1_000, "again");
    socket.send("too late");
  });

  it("refuses a message above its limit, even below that of the listener", async () => {
    const { peer, events } = await connectPeer({}, { maxMessageBytes: 10_000 });
    peer.send("x".repeat(10_000));
    peer.send("x".repeat(10_001));
    const [code] = await once(peer, "close");
    expect(code).toBe(1_009);
    await vi.waitFor(() => expect(events).toHaveLength(2));
    expect(events[1]).toContain(texts.largerThanTheMaximumSize);
  });

  it("refuses such a message before it has arrived whole", async () => {
    const { peer, events } = await connectPeer({}, { maxMessageBytes: 10_000 });
    peer.send("x".repeat(100_000), { fin: false });
    expect((await once(peer, "close"))[0]).toBe(1_009);
    await vi.waitFor(() => expect(events).toHaveLength(1));
  });

  it("is dropped when its peer does not read", async () => {
    const { connectRaw } = await startSocketListener();
    const { peer, socket } = await connectRaw();
    const reasons: string[] = [];
    socket.listener = { receive() {}, receiveBinary() {}, closed: (why) => void reasons.push(why) };
    peer.pause();
    const text = "x".repeat(500_000);
    for (let count = 0; count < 100; count++) socket.send(text);
    await vi.waitFor(() => expect(reasons).toEqual([expect.stringContaining("did not read")]));
  });
});
