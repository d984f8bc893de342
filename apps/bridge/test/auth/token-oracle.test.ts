import { once } from "node:events";
import { encodeRequest } from "@ccbridge/protocol/minecraft";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { newNonce, proofOf } from "../../src/auth/proof.js";
import { startWireBridge } from "../dashboard/helpers.js";
import { rawSocket } from "../helpers/abuse.js";
import { linkComputer } from "../helpers/computer.js";
import { freePort } from "../helpers/ports.js";

// After too many wrong tokens from an address, a right one that was not used there before gets the
// same response as a wrong one: the same bytes, no later. It does not matter where it is sent, or
// whether the body of its request arrives.

const RIGHT = "hunter2";
const WRONG = "hunter1";
/** A computer that links with this token makes the address known, so that connections without a token are accepted. */
const LONG = "a-long-token-of-a-computer";

beforeEach(() => {
  const now = performance.now();
  vi.spyOn(performance, "now").mockReturnValue(now);
  onTestFinished(() => void vi.restoreAllMocks());
});

async function startGuessed() {
  const bridge = await startWireBridge({
    mcpTokens: [RIGHT],
    linkTokens: [RIGHT, LONG],
    pagesTokens: [RIGHT],
    minecraftTokens: [RIGHT],
    minecraftPort: await freePort(),
  });
  await linkComputer(bridge.linkUrl, { computerId: 1, token: LONG });
  const authorization = `Bearer ${WRONG}`;
  for (let tries = 0; tries < 25; tries++) {
    await fetch(bridge.mcpUrl, { method: "POST", headers: { authorization } });
    await fetch(`http://127.0.0.1:${bridge.pagesPort}/events?token=${WRONG}`);
  }
  return bridge;
}

async function answerToHead(port: number, head: string): Promise<string> {
  const socket = await rawSocket(port);
  socket.write(`${head}\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
  let text = "";
  const whole = () => {
    const [before = "", body = ""] = text.split("\r\n\r\n");
    const length = /content-length: (\d+)/i.exec(before)?.[1];
    return text.includes("\r\n\r\n") && body.length >= Number(length ?? 0);
  };
  while (!whole()) {
    const [piece] = (await once(socket, "data")) as [Buffer];
    text += piece.toString();
  }
  socket.destroy();
  return text.replace(/\r\nDate: [^\r]*/i, "");
}

const upgrade =
  "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n" +
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
const json = "Content-Type: application/json\r\nAccept: application/json, text/event-stream";
const bearer = (token: string) => `Authorization: Bearer ${token}`;

type Side = "mcp" | "link" | "pages" | "servers";

const heads: [string, Side, (token: string) => string][] = [
  ...["", "Mcp-Session-Id: none\r\n", "Mcp-Protocol-Version: 2026-07-28\r\n"].map(
    (more): [string, Side, (token: string) => string] => [
      `POST /mcp ${more.trim()}`,
      "mcp",
      (token) => `POST /mcp HTTP/1.1\r\n${json}\r\n${more}Content-Length: 100\r\n${bearer(token)}`,
    ],
  ),
  [
    "POST /mcp in chunks",
    "mcp",
    (token) => `POST /mcp HTTP/1.1\r\n${json}\r\nTransfer-Encoding: chunked\r\n${bearer(token)}`,
  ],
  [
    "GET /mcp",
    "mcp",
    (token) => `GET /mcp HTTP/1.1\r\nAccept: text/event-stream\r\n${bearer(token)}`,
  ],
  ["DELETE /mcp", "mcp", (token) => `DELETE /mcp HTTP/1.1\r\n${bearer(token)}`],
  [
    "GET /mcp/sse",
    "mcp",
    (token) => `GET /mcp/sse HTTP/1.1\r\nAccept: text/event-stream\r\n${bearer(token)}`,
  ],
  [
    "POST /mcp/messages",
    "mcp",
    (token) =>
      `POST /mcp/messages?sessionId=x HTTP/1.1\r\n${json}\r\nContent-Length: 9\r\n${bearer(token)}`,
  ],
  ["GET /metrics", "mcp", (token) => `GET /metrics HTTP/1.1\r\n${bearer(token)}`],
  ["a socket to /mcp", "mcp", (token) => `GET /mcp HTTP/1.1\r\n${upgrade}\r\n${bearer(token)}`],
  [
    "a socket to /mcp, in its URL",
    "mcp",
    (token) => `GET /mcp?token=${token} HTTP/1.1\r\n${upgrade}`,
  ],
  ["a computer", "link", (token) => `GET / HTTP/1.1\r\n${upgrade}\r\n${bearer(token)}`],
  ["a computer, in its URL", "link", (token) => `GET /?token=${token} HTTP/1.1\r\n${upgrade}`],
  [
    "a Minecraft server",
    "link",
    (token) => `GET /minecraft HTTP/1.1\r\n${upgrade}\r\n${bearer(token)}`,
  ],
  [
    "a Minecraft server on a separate port",
    "servers",
    (token) => `GET / HTTP/1.1\r\n${upgrade}\r\n${bearer(token)}`,
  ],
  ["a stream of a page", "pages", (token) => `GET /events?token=${token} HTTP/1.1`],
  [
    "a message of a page",
    "pages",
    (token) => `POST /${token}/message HTTP/1.1\r\n${json}\r\nContent-Length: 9`,
  ],
];

it("is not made by the head of any request", async () => {
  const bridge = await startGuessed();
  const ports: Record<Side, number | undefined> = {
    mcp: bridge.mcpPort,
    link: bridge.linkPort,
    pages: bridge.pagesPort,
    servers: bridge.minecraftPort,
  };
  for (const [what, side, head] of heads) {
    const port = ports[side] ?? 0;
    const wrong = await answerToHead(port, head(WRONG));
    expect(wrong, what).toMatch(/^HTTP\/1.1 429 /);
    const right = await answerToHead(port, head(RIGHT));
    expect(right, what).toBe(wrong);
  }
}, 30_000);

it("is not made by showing tokens of MCP clients at the dashboard", async () => {
  const bridge = await startWireBridge({ mcpTokens: [RIGHT] });
  const headers = { authorization: `Bearer ${WRONG}` };
  for (let tries = 0; tries < 25; tries++) await fetch(bridge.mcpUrl, { method: "POST", headers });
  const origin = `http://127.0.0.1:${bridge.mcpPort}`;
  const url = `ws://127.0.0.1:${bridge.mcpPort}/dashboard/live`;
  const show = (token: string) =>
    answerToMessage(url, JSON.stringify({ type: "hello", token }), origin);
  expect(await show(RIGHT)).toEqual(await show(WRONG));
});

it("is not made by a proof", async () => {
  const bridge = await startGuessed();
  const url = `http://127.0.0.1:${bridge.mcpPort}/proof`;
  const { challenge } = (await (await fetch(url)).json()) as { challenge: string };
  const prove = async (token: string) => {
    const exchanged = { port: bridge.mcpPort, nonce: newNonce(), challenge };
    const { nonce } = exchanged;
    const body = JSON.stringify({ nonce, challenge, proof: proofOf(token, "client", exchanged) });
    const headers = { "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body });
    return [response.status, await response.text()];
  };
  expect(await prove(RIGHT)).toEqual(await prove(WRONG));
  expect((await prove(RIGHT))[0]).toBe(429);
});

async function answerToMessage(url: string, message: string, origin?: string): Promise<unknown[]> {
  const socket = new WebSocket(url, origin === undefined ? {} : { origin });
  onTestFinished(() => socket.terminate());
  const received: unknown[] = [];
  socket.on("message", (data) => {
    const { id: _, timestamp: __, ...rest } = JSON.parse(String(data));
    received.push(rest);
  });
  await once(socket, "open");
  socket.send(message);
  const [code, reason] = (await once(socket, "close")) as [number, Buffer];
  return [...received, code, String(reason)];
}

it("is not made by the first message on any socket", async () => {
  const bridge = await startGuessed();
  const mcp = `127.0.0.1:${bridge.mcpPort}`;
  const hello = (more: object) => JSON.stringify({ type: "hello", ...more });
  const rows: [string, (token: string) => Promise<unknown[]>][] = [
    [
      "the dashboard",
      (token) => answerToMessage(`ws://${mcp}/dashboard/live`, hello({ token }), `http://${mcp}`),
    ],
    ["a computer", (token) => answerToMessage(bridge.linkUrl, hello({ computerId: 2, token }))],
    ...[`${bridge.linkUrl}/minecraft`, `ws://127.0.0.1:${bridge.minecraftPort}`].map(
      (url): [string, (token: string) => Promise<unknown[]>] => [
        `a Minecraft server at ${url}`,
        (authToken) => {
          const request = { command: "hello", args: {}, authToken };
          return answerToMessage(url, encodeRequest({ source: "minecraft", id: "hello" }, request));
        },
      ],
    ),
    ["a page", (token) => answerToMessage(`ws://127.0.0.1:${bridge.pagesPort}/${token}/ws`, "{}")],
  ];
  for (const [what, show] of rows) expect(await show(RIGHT), what).toEqual(await show(WRONG));
}, 30_000);
