import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket, WebSocketServer } from "ws";
import { SocketRoom } from "../src/link/channel-socket.js";
import { writeAll, writeInTurn, writeLate } from "../src/net/turn.js";

describe("writes of one turn", () => {
  it("go at once for the first, and for the others when everything was read, in their order", async () => {
    await endOfTurn();
    const written: number[] = [];
    for (const number of [1, 2, 3]) writeInTurn(10, () => written.push(number));
    expect(written).toEqual([1]);
    await endOfTurn();
    expect(written).toEqual([1, 2, 3]);
  });

  it("do not wait once they are many bytes: a turn is not a buffer", async () => {
    await endOfTurn();
    const written: string[] = [];
    const write = (name: string, length: number) => writeInTurn(length, () => written.push(name));
    write("first", 1);
    write("second", 40_000);
    expect(written).toEqual(["first"]);
    write("third", 40_000);
    expect(written).toEqual(["first", "second", "third"]);
    write("fourth", 1);
    expect(written).toHaveLength(3);
    await endOfTurn();
    expect(written).toHaveLength(4);
  });

  it("do not wait once they are many: the first peers need not wait for the last", async () => {
    await endOfTurn();
    const written: number[] = [];
    for (let number = 0; number < 100; number++) writeInTurn(1, () => written.push(number));
    expect(written.length).toBeGreaterThan(90);
    await endOfTurn();
    expect(written).toEqual(Array.from({ length: 100 }, (_, number) => number));
  });

  it("that begin further writes leave those to the end of the next turn at the latest", async () => {
    await endOfTurn();
    const written: string[] = [];
    writeInTurn(1, () => written.push("first"));
    writeInTurn(1, () => {
      written.push("outer");
      writeInTurn(1, () => written.push("inner"));
    });
    writeAll();
    expect(written).toEqual(["first", "outer"]);
    await endOfTurn();
    await endOfTurn();
    expect(written).toEqual(["first", "outer", "inner"]);
  });

  it("let those go first that somebody waits for", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    await endOfTurn();
    const written: string[] = [];
    writeLate({ writeLate: () => written.push("late") });
    writeInTurn(1, () => written.push("first"));
    writeInTurn(1, () => written.push("second"));
    writeLate({ writeLate: () => written.push("later") });
    await endOfTurn();
    expect(written).toEqual(["first", "second"]);
    await vi.advanceTimersByTimeAsync(20);
    expect(written).toEqual(["first", "second", "late", "later"]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("that are late do not pile up", () => {
    let written = 0;
    const write = () => {
      written += 1;
    };
    for (let number = 0; number < 1_000; number++) writeLate({ writeLate: write });
    expect(written).toBeGreaterThan(500);
    writeAll();
    expect(written).toBe(1_000);
  });

  it("come before the goodbye of their socket", async () => {
    const { channel, client, messages } = await connectedChannel();
    channel.sendLate("late");
    for (const text of ["one", "two", "three"]) channel.send(text);
    channel.close(1000, "goodbye");
    const [code] = await once(client, "close");
    expect({ code, messages }).toEqual({ code: 1000, messages: ["one", "two", "three", "late"] });
  });

  it("take late messages of their socket along, in one write", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    const { channel, messages, writes } = await connectedChannel();
    for (const text of ["1", "2", "3", "4"]) channel.sendLate(text);
    channel.send("request");
    await expect.poll(() => messages).toEqual(["request", "1", "2", "3", "4"]);
    expect(writes()).toBe(1);
    // A few wait for more, and the time brings them too.
    channel.sendLate("5");
    channel.send("another");
    await expect.poll(() => messages.at(-1)).toBe("another");
    await vi.advanceTimersByTimeAsync(20);
    await expect.poll(() => messages.at(-1)).toBe("5");
    // Many do not wait.
    for (let number = 0; number < 16; number++) channel.sendLate(`many ${number}`);
    await expect.poll(() => messages.at(-1)).toBe("many 15");
    expect(writes()).toBe(4);
  });

  it("leave late messages behind when their socket is gone", async () => {
    const { channel, client, messages } = await connectedChannel();
    channel.sendLate("late");
    channel.terminate();
    await once(client, "close");
    writeAll();
    expect(messages).toEqual([]);
  });
});

/** A channel, and the client at its other end with what it received. */
async function connectedChannel() {
  const room = new SocketRoom(1_000_000);
  const server = new WebSocketServer({ ...room.options(10_000), host: "127.0.0.1", port: 0 });
  onTestFinished(() => new Promise((resolve) => server.close(() => resolve())));
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const client = new WebSocket(`ws://127.0.0.1:${port}`);
  onTestFinished(() => client.terminate());
  const [socket, { socket: connection }] = (await once(server, "connection")) as [
    WebSocket,
    IncomingMessage,
  ];
  const messages: string[] = [];
  client.on("message", (data) => messages.push(String(data)));
  const channel = room.admit(socket, connection);
  // Frames have two parts, and whatever has several goes this way.
  const written = vi.spyOn(connection, "_writev" as "write");
  return { channel, client, messages, writes: () => written.mock.calls.length };
}
