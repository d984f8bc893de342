import { once } from "node:events";
import { connect } from "node:net";
import { LinkCloseCode } from "@ccbridge/protocol";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer, openSocket, upgradeStatus } from "../helpers/computer.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const hello = (computerId: number) => JSON.stringify({ type: "hello", computerId });

describe("linking", () => {
  it("works on any path, for every version", async () => {
    const bridge = await startTestBridge();
    await linkComputer(`${bridge.linkUrl}/some/path?x=1`, { computerId: 1, protocol: 1 });
    await linkComputer(bridge.linkUrl, { computerId: 2 });
    expect(bridge.registry.size).toBe(2);
  });

  it("does not lose a hello that is sent with the handshake", async () => {
    const bridge = await startTestBridge();
    const { socket } = await openSocket(bridge.linkUrl);
    socket.send(hello(7));
    const [data] = await once(socket, "message");
    expect(JSON.parse(String(data))).toEqual({ type: "hello-ok" });
  });

  it("forgets a computer whose socket closes or is cut off", async () => {
    const bridge = await startTestBridge();
    for (const end of ["close", "terminate"] as const) {
      const { socket } = await linkComputer(bridge.linkUrl, { computerId: 1 });
      expect(bridge.registry.size).toBe(1);
      socket[end]();
      await vi.waitFor(() => expect(bridge.registry.size).toBe(0));
    }
  });

  it("closes a connection that sends nothing", async () => {
    const bridge = await startTestBridge({ helloTimeoutMs: 50 });
    const { closed } = await openSocket(bridge.linkUrl);
    expect((await closed).code).toBe(LinkCloseCode.helloTimeout);
  });

  it("replaces the earlier socket of a computer", async () => {
    const bridge = await startTestBridge();
    const first = await linkComputer(bridge.linkUrl, { computerId: 1 });
    const second = await linkComputer(bridge.linkUrl, { computerId: 1 });
    expect((await first.closed).code).toBe(LinkCloseCode.replaced);
    expect(bridge.registry.size).toBe(1);
    expect(second.socket.readyState).toBe(second.socket.OPEN);
  });

  it("explains itself on paths where nothing is", async () => {
    const bridge = await startTestBridge();
    const response = await fetch(`http://127.0.0.1:${bridge.linkPort}/nothing`);
    expect(response.status).toBe(426);
    expect(await response.text()).toContain(texts.computersInTheGame);
  });
});

describe("tokens", () => {
  it("are read from the hello, the header or the URL", async () => {
    const bridge = await startTestBridge({ linkTokens: ["one", "two"] });
    const url = bridge.linkUrl;
    await linkComputer(url, { computerId: 1, token: "one" });
    await linkComputer(url, { computerId: 2 }, { headers: { authorization: "Bearer two" } });
    await linkComputer(`${url}/?token=two`, { computerId: 3, protocol: 1 });
    expect(bridge.registry.size).toBe(3);
  });

  it("that are wrong or missing are refused with a reason", async () => {
    const bridge = await startTestBridge({ linkTokens: ["right"] });
    for (const [token, query] of [
      ["wrong", ""],
      [undefined, ""],
      [undefined, "?token=wrong"],
      ["wrong", "?token=right"],
    ] as const) {
      const { fake, closed } = await linkComputer(`${bridge.linkUrl}/${query}`, {
        computerId: 1,
        ...(token === undefined ? {} : { token }),
      });
      expect((await closed).code).toBe(LinkCloseCode.unauthorized);
      expect(fake.received).toMatchObject([{ type: "hello-error", code: "unauthorized" }]);
    }
    expect(bridge.registry.size).toBe(0);
  });
});

describe("browsers", () => {
  it.each([
    ["a foreign page", { origin: "https://evil.example" }, 403],
    ["a local page", { origin: "http://localhost:5173" }, 403],
    ["a page that hides its origin", { origin: "null" }, 403],
    ["a page under the bridge's own address", { origin: "HOST" }, 403],
    [
      "an old computer",
      { origin: "HOST", headers: { "user-agent": "computercraft/1.100.5" } },
      101,
    ],
    ["a computer", {}, 101],
  ])("%s", async (_, options, status) => {
    const bridge = await startTestBridge();
    const origin =
      "origin" in options
        ? options.origin.replace("HOST", `http://127.0.0.1:${bridge.linkPort}`)
        : undefined;
    const given = { ...options, ...(origin === undefined ? {} : { origin }) };
    expect(await upgradeStatus(bridge.linkUrl, given)).toBe(status);
  });

  it("an old computer's name must not be one that a page could be served under", async () => {
    const bridge = await startTestBridge();
    const host = `rebound.example:${bridge.linkPort}`;
    const headers = { host, "user-agent": "computercraft/1.100.5" };
    expect(await upgradeStatus(bridge.linkUrl, { origin: `http://${host}`, headers })).toBe(403);
  });

  it("only names on the list reach a listener that has one", async () => {
    const bridge = await startTestBridge({ linkAllowedHosts: ["bridge.lan"] });
    expect(await upgradeStatus(bridge.linkUrl)).toBe(403);
    expect(await upgradeStatus(bridge.linkUrl, { headers: { host: "bridge.lan:3001" } })).toBe(101);
  });
});

describe("hostile frames", () => {
  it.each([
    [
      "binary",
      (send: (data: string | Buffer) => void) => send(Buffer.from([1, 2, 3])),
      LinkCloseCode.binary,
    ],
    [
      "oversized",
      (send: (data: string) => void) => send("x".repeat(200_000)),
      LinkCloseCode.tooBig,
    ],
    [
      "malformed again and again",
      (send: (data: string) => void) => {
        for (let i = 0; i < 50; i++) send("{");
      },
      LinkCloseCode.policy,
    ],
  ])("%s ones end the connection and nothing else", async (_, attack, code) => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    const bad = await linkComputer(bridge.linkUrl, { computerId: 2 });
    attack((data) => bad.socket.send(data));
    expect((await bad.closed).code).toBe(code);
    await vi.waitFor(() => expect(bridge.registry.size).toBe(1));
  });

  it("that are not UTF-8 or not WebSocket do not stop the bridge", async () => {
    const bridge = await startTestBridge();
    const { socket, closed } = await openSocket(bridge.linkUrl);
    const raw = (socket as unknown as { _socket: import("node:net").Socket })._socket;
    raw.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff]));
    expect((await closed).code).toBe(1007);
    const garbage = connect(bridge.linkPort, "127.0.0.1");
    garbage.resume();
    garbage.write("\0\0\0garbage\r\n\r\n");
    await once(garbage, "close");
    await linkComputer(bridge.linkUrl, { computerId: 1 });
    expect(bridge.registry.size).toBe(1);
  });
});

describe("a stuck computer", () => {
  it("cannot make the bridge buffer without bound", async () => {
    const bridge = await startTestBridge({ maxBufferedBytes: 2_000_000, maxPending: 1_000 });
    const { socket } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    socket.pause();
    const link = bridge.computers.find(1);
    const params = { code: "x".repeat(1_000_000) };
    const codes: string[] = [];
    for (let i = 0; i < 40; i++) {
      link
        .request("exec-lua", params, { timeoutMs: 60_000 })
        .catch((error) => codes.push(error.code));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(codes).toContain("not-reading"));
    expect(link.runningRequests).toBeLessThan(30);
  });

  it("is shown as unresponsive", async () => {
    const bridge = await startTestBridge({ heartbeatMs: 30, unresponsiveAfterMs: 90 });
    const { socket } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    socket.removeAllListeners("message");
    const client = await connectClient(bridge.mcpUrl);
    await vi.waitFor(async () => {
      expect((await callTool(client, "list-computers")).text).toContain("unresponsive");
    });
  });

  it("is dropped in the end", async () => {
    const bridge = await startTestBridge({
      heartbeatMs: 30,
      unresponsiveAfterMs: 90,
      dropAfterMs: 400,
    });
    const { socket, closed } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    socket.removeAllListeners("message");
    expect((await closed).code).toBe(LinkCloseCode.silent);
    const client = await connectClient(bridge.mcpUrl);
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
  });

  it("that answers heartbeats stays live", async () => {
    const bridge = await startTestBridge({
      heartbeatMs: 20,
      unresponsiveAfterMs: 60,
    });
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    const pings = () => fake.received.filter((frame) => frame.type === "request").length;
    await vi.waitFor(() => expect(pings()).toBeGreaterThan(15));
    // On a busy machine an answer may be late; without answers it would not be live again.
    await expect.poll(() => bridge.computers.find(1).state).toBe("live");
  });
});
