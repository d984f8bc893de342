import { once } from "node:events";
import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { bearer, startWithTokens } from "../calls/helpers.js";
import { startWireBridge, WirePage } from "../dashboard/helpers.js";
import { rawSocket } from "../helpers/abuse.js";
import { linkComputer, openSocket } from "../helpers/computer.js";
import { initialize, initializeBody } from "../helpers/http.js";

const code = "return 1";
const call = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "exec-lua", arguments: { computerId: 1, code } },
};
/** Adds what a session would know to the message. */
const sessionless = <T extends { params: object }>(message: T) => ({
  ...message,
  params: {
    ...message.params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "test", version: "0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
});
const listen = sessionless({
  ...{ jsonrpc: "2.0", id: 1, method: "subscriptions/listen" },
  params: { notifications: { toolsListChanged: true } },
});
const headersOf = ({ method }: { method: string }) => ({
  "mcp-protocol-version": "2026-07-28",
  "mcp-method": method,
  "mcp-name": "exec-lua",
});

async function start() {
  const bridge = await startWithTokens("t-kept\nt-removed\n");
  const { fake } = await linkComputer(bridge.linkUrl, {
    computerId: 1,
    programs: { [code]: () => [{ type: "number", value: 1 }] },
  });
  return {
    ...bridge,
    remove() {
      bridge.write("t-kept\n");
      bridge.reload();
    },
    runs: () => fake.received.filter(({ type }) => type === "request").length,
  };
}

async function beginPost(
  port: number,
  path: string,
  body: string,
  headers: Record<string, string>,
): Promise<Socket> {
  const socket = await rawSocket(port);
  const all = {
    host: `127.0.0.1:${port}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
    "content-length": String(body.length),
    expect: "100-continue",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`);
  const [piece] = (await once(socket, "data")) as [Buffer];
  expect(piece.toString()).toBe("HTTP/1.1 100 Continue\r\n\r\n");
  return socket;
}

describe("a token that is removed while the body of a request is on its way", () => {
  it.each<[string, string, object, Record<string, string>]>([
    ["a call without a session", "/mcp", sessionless(call), headersOf(call)],
    ["a stream of changes", "/mcp", listen, headersOf(listen)],
    ["a new session", "/mcp", initializeBody, {}],
    ["a call of an open session", "/mcp", call, { "mcp-session-id": "own" }],
    ["a message of the older transport", "/mcp/messages?sessionId=x", call, {}],
  ])("lets nothing in: %s", async (_, path, message, headers) => {
    const bridge = await start();
    const more: Record<string, string> = { ...bearer("t-removed"), ...headers };
    if (headers["mcp-session-id"] === "own") {
      more["mcp-session-id"] = await initialize(bridge.mcpUrl, bearer("t-removed"));
    }
    const body = JSON.stringify(message);
    const socket = await beginPost(bridge.mcpPort, path, body, more);
    bridge.remove();
    socket.write(body);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 401 /);
    expect(bridge.runs()).toBe(0);
  });

  it("and no other token is", async () => {
    const bridge = await start();
    const body = JSON.stringify(sessionless(call));
    const headers = { ...bearer("t-kept"), ...headersOf(call) };
    const socket = await beginPost(bridge.mcpPort, "/mcp", body, headers);
    bridge.remove();
    socket.write(body);
    const [answer] = (await once(socket, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1.1 200 /);
    await expect.poll(() => bridge.runs()).toBe(1);
  });
});

describe("open sessions end with their token", () => {
  const ofStream = async (url: string, init: RequestInit) => {
    const response = await fetch(url, init);
    expect(response.status).toBe(200);
    return async () => {
      await response.text().catch(() => {});
    };
  };
  const events = { accept: "text/event-stream" };

  it.each<[string, (mcpUrl: string) => Promise<() => Promise<unknown>>]>([
    [
      "the stream of a session",
      async (url) => {
        const session = { "mcp-session-id": await initialize(url, bearer("t-removed")) };
        return ofStream(url, { headers: { ...bearer("t-removed"), ...events, ...session } });
      },
    ],
    [
      "the stream of the older transport",
      (url) => ofStream(`${url}/sse`, { headers: { ...bearer("t-removed"), ...events } }),
    ],
    [
      "a stream of changes without a session",
      (url) =>
        ofStream(url, {
          method: "POST",
          headers: {
            ...bearer("t-removed"),
            ...headersOf(listen),
            "content-type": "application/json",
            accept: "application/json, text/event-stream",
          },
          body: JSON.stringify(listen),
        }),
    ],
    [
      "a WebSocket",
      async (url) => {
        const { closed } = await openSocket(`${url.replace("http", "ws")}?token=t-removed`);
        return () => closed;
      },
    ],
  ])("%s", async (_, open) => {
    const bridge = await start();
    const ended = await open(bridge.mcpUrl);
    bridge.remove();
    await ended();
  });

  it("a page of the dashboard, which can do nothing more although its socket still reads", async () => {
    const { file, ...tokens } = await startWithTokens("t-kept\nt-removed\n");
    await tokens.close();
    const bridge = await startWireBridge({ mcpTokensFile: file });
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1 });
    const page = await new WirePage(bridge).hello("t-removed");
    const [computer] = bridge.computers.list();
    tokens.write("t-kept\n");
    bridge.reload();
    const params = { key: computer?.provider.key ?? "", command: "ls" };
    page.send({ type: "action", action: 1, name: "run-program", params });
    expect((await page.closed).reason).toContain("token");
    expect(fake.received.filter(({ type }) => type === "request")).toEqual([]);
  });
});
