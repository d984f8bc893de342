import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { connect, Socket } from "node:net";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { type ChannelSocket, SocketRoom } from "../src/link/channel-socket.js";

const MAX_BUFFERED = 1_000_000;

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

/** A server whose sockets are channels, and one peer on it. */
async function meet() {
  const room = new SocketRoom(MAX_BUFFERED);
  const server = new WebSocketServer({ ...room.options(10_000), host: "127.0.0.1", port: 0 });
  stops.push(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const heard: string[] = [];
  const admitted = new Promise<{ channel: ChannelSocket; connection: Socket }>((resolve) => {
    server.on("connection", (socket, { socket: connection }) => {
      // What a framework may have left behind.
      socket.on("error", () => heard.push("listener"));
      const channel = room.admit(socket, connection);
      channel.listener = {
        receive: (text) => heard.push(`text ${text}`),
        receiveBinary: () => heard.push("binary"),
        alive: () => heard.push("alive"),
        closed: (reason) => heard.push(`closed: ${reason}`),
      };
      resolve({ channel, connection });
    });
  });
  return { room, port, heard, admitted };
}

async function meetPeer() {
  const met = await meet();
  const peer = new WebSocket(`ws://127.0.0.1:${met.port}`);
  stops.push(() => peer.terminate());
  await once(peer, "open");
  return { ...met, peer, ...(await met.admitted) };
}

/** A peer that says nothing after the handshake, whatever it is told. */
async function meetMute() {
  const met = await meet();
  const peer = connect(met.port, "127.0.0.1");
  stops.push(() => peer.destroy());
  const key = Buffer.alloc(16).toString("base64");
  peer.write(
    "GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
      `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
  );
  return { ...met, peer, ...(await met.admitted) };
}

describe("a socket that is a channel", () => {
  it("receives messages without a listener of its own", async () => {
    const { channel, peer, heard } = await meetPeer();
    expect(channel.eventNames()).toEqual([]);
    peer.send("one");
    peer.send(Buffer.from("two"));
    peer.pong();
    await vi.waitFor(() => expect(heard).toEqual(["text one", "binary", "alive"]));
  });

  it("works without what Node would keep for it", async () => {
    const { channel, connection, peer } = await meetPeer();
    expect(connection.remoteAddress).toBe("127.0.0.1");
    const told = vi.fn();
    channel.on("news", told);
    channel.emit("news", 1, 2);
    expect(told).toHaveBeenCalledWith(1, 2);
    expect(channel.listenerCount("news")).toBe(1);
    channel.off("news", told);
    expect(channel.listenerCount("news")).toBe(0);
    channel.send("still here");
    expect(String((await once(peer, "message"))[0])).toBe("still here");
  });

  it("answers a ping once", async () => {
    const { peer, heard } = await meetPeer();
    const pongs: string[] = [];
    peer.on("pong", (data) => pongs.push(String(data)));
    peer.ping("a");
    peer.ping("b");
    peer.send("end");
    await vi.waitFor(() => expect(heard).toContain("text end"));
    await vi.waitFor(() => expect(pongs).toContain("b"));
    expect(pongs).toEqual(["a", "b"]);
  });

  it("says how it ended, and is not kept", async () => {
    const { channel, peer, heard, room } = await meetPeer();
    channel.close(4_000, `x${"\u20ac".repeat(100)}`);
    expect(room.leaving.size).toBe(1);
    const [code, reason] = await once(peer, "close");
    // Of 123 bytes, as many as are whole characters.
    expect([code, String(reason)]).toEqual([4_000, `x${"\u20ac".repeat(40)}`]);
    await vi.waitFor(() => expect(heard).toEqual(["closed: socket closed with 4000"]));
    channel.close(1_000, "again");
    channel.send("too late");
    expect(room.leaving.size).toBe(0);
  });

  it("gives the reason why it failed: a frame that is too large, a peer that does not read", async () => {
    const large = await meetPeer();
    large.peer.on("error", () => {});
    large.peer.send("x".repeat(10_001));
    await vi.waitFor(() => expect(large.heard).toEqual([expect.stringContaining("size")]));
    const deaf = await meetMute();
    deaf.peer.pause();
    const chunk = "x".repeat(500_000);
    for (let i = 0; i < 100; i++) deaf.channel.send(chunk);
    await vi.waitFor(() => expect(deaf.heard).toEqual([expect.stringContaining("did not read")]));
  });
});

describe("a room", () => {
  it("drops a peer that was told to leave and stays", async () => {
    const { channel, heard, room } = await meetMute();
    channel.close(1_001, "goodbye");
    room.clear();
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(room.leaving.size).toBe(0);
  });

  it("accepts only sockets of its own kind", () => {
    expect(() => new SocketRoom(1).admit(new WebSocket(null), new Socket())).toThrow(TypeError);
  });
});
