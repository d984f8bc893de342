import { once } from "node:events";
import { CloseReason, DASHBOARD_PATH } from "@ccbridge/protocol/dashboard";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { limits } from "../../src/limits.js";
import { startWireBridge } from "../dashboard/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";

/** A page that has not said who it is. */
async function stranger({ mcpPort }: TestBridge): Promise<WebSocket> {
  const host = `127.0.0.1:${mcpPort}`;
  const socket = new WebSocket(`ws://${host}${DASHBOARD_PATH}`, { origin: `http://${host}` });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => {});
  await once(socket, "open");
  return socket;
}

/** Writes bytes that are not a frame, as ws itself never does. */
function writeGarbage(socket: WebSocket): void {
  const { _socket: connection } = socket as unknown as { _socket: { write(data: Buffer): void } };
  connection.write(Buffer.from([0xff, 0xff, 1, 2, 3, 4, 5, 6]));
}

it("a page that is turned away because too many are open cannot end the process with a bad frame", async () => {
  const bridge = await startWireBridge();
  const pages = Array.from({ length: limits.dashboardViewers + 1 }, () => stranger(bridge));
  const sockets = await Promise.all(pages);
  const closed = sockets.map((socket) => once(socket, "close"));
  for (const socket of sockets) writeGarbage(socket);
  await Promise.all(closed);
  const { status } = await fetch(`http://127.0.0.1:${bridge.mcpPort}/health`);
  expect(status).toBe(200);
});

const token = "owner-token-of-this-test";
const deep = "[".repeat(200_000) + "]".repeat(200_000);
const wide = `[${"[],".repeat(200_000)}[]]`;
const long = JSON.stringify("x".repeat(limits.dashboardHelloLength));

/** How the bridge takes a message: by closing the socket with a code, or with an answer. */
function taken(page: WebSocket): Promise<unknown> {
  return Promise.race([
    once(page, "close").then(([code]) => code),
    once(page, "message").then(([data]) => String(data)),
  ]);
}

it.each([
  ["nested without end", deep],
  ["of countless values", wide],
  ["long", long],
])("a first message that is %s is refused before it is read", async (_, more) => {
  const page = await stranger(await startWireBridge({ mcpTokens: [token] }));
  page.send(`{"type":"hello","token":"${token}","more":${more}}`);
  expect(await taken(page)).toBe(CloseReason.malformed);
});

it.each([
  ["nested without end", deep],
  ["of countless values", wide],
])("a question that is %s is refused before it is read", async (_, more) => {
  const page = await stranger(await startWireBridge({ mcpTokens: [token] }));
  page.send(JSON.stringify({ type: "hello", token }));
  expect(await taken(page)).toContain("welcome");
  page.send(`{"type":"action","action":1,"name":"connect","params":{"more":${more}}}`);
  expect(await taken(page)).toBe(CloseReason.malformed);
});
