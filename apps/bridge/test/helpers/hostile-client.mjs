// @ts-check
// An MCP client that costs the bridge as much memory as it can: `hostile-client.mjs <port> <ms>`. It is a
// separate process, so that its memory and load are not measured as the bridge's, and it uses a separate
// address, so that it does not use up the limits of the other client. After its attacks it prints a line
// and holds all its connections until it is killed.
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";

const [port = 0, ms = 0] = process.argv.slice(2).map(Number);
const from = { host: "127.0.0.1", port, localAddress: "127.0.0.2" };
const json = {
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};
const initializeBody = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "hostile", version: "0" },
  },
};

/**
 * Sends a POST and reads the response, unless it disconnects first.
 * @param {string} body
 * @param {{ session?: string, hangUpMs?: number }} [options]
 */
async function post(body, { session, hangUpMs } = {}) {
  const headers = { ...json, "content-length": Buffer.byteLength(body) };
  const sent = request({
    ...from,
    method: "POST",
    path: "/mcp",
    agent: false,
    headers: session === undefined ? headers : { ...headers, "mcp-session-id": session },
    ...(hangUpMs === undefined ? {} : { signal: AbortSignal.timeout(hangUpMs) }),
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  response.resume();
  await once(response, "close");
  return response.headers["mcp-session-id"];
}

const initialize = () => post(JSON.stringify(initializeBody));

/** A connection that stays open as long as the bridge allows. */
async function hold() {
  const socket = connect(from);
  socket.on("error", () => {});
  await once(socket, "connect");
  return socket;
}

/** Pipelines calls on one connection, and reads none of the responses. */
async function floodUnread() {
  const session = await initialize();
  const socket = await hold();
  socket.pause();
  for (let id = 0; id < 200; id++) {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" });
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: application/json\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
        `Mcp-Session-Id: ${session}\r\n\r\n${body}`,
    );
  }
}

async function streamUnread() {
  const session = await initialize();
  const socket = await hold();
  socket.pause();
  socket.write(
    `GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n` +
      `Mcp-Session-Id: ${session}\r\n\r\n`,
  );
}

/** Calls that wait for long, of a client that disconnects at once. */
async function hangUp() {
  const session = await initialize();
  const calls = Array.from({ length: 30 }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name: "exec-lua", arguments: { computerId: 2, code: "wait", waitMs: 50_000 } },
  }));
  await post(JSON.stringify(calls), { session, hangUpMs: 20 });
}

const wide = `[${"1,".repeat(500_000)}1]`;
const deep = "[".repeat(1_000_000);
const stray = JSON.stringify({ ...initializeBody, stray: "x".repeat(1_000_000) });

const attacks = [
  floodUnread,
  streamUnread,
  hangUp,
  initialize,
  hold,
  () => post(wide),
  () => post(deep),
  () => post(stray),
];

const end = performance.now() + ms;
let made = 0;
await Promise.all(
  attacks.map(async (attack) => {
    while (performance.now() < end) {
      // Refused or not: only the cost matters.
      await attack().catch(() => {});
      made += 1;
    }
  }),
);
process.send?.({ made });
setInterval(() => {}, 60_000);
