import { once } from "node:events";
import { CloseReason, DASHBOARD_PATH } from "@ccbridge/protocol/dashboard";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { limits } from "../../src/config/limits.js";
import type { TestBridge } from "../helpers/bridge.js";
import { startWireBridge, WirePage } from "./helpers.js";

async function stranger({ mcpPort }: TestBridge): Promise<WebSocket> {
  const host = `127.0.0.1:${mcpPort}`;
  const socket = new WebSocket(`ws://${host}${DASHBOARD_PATH}`, { origin: `http://${host}` });
  onTestFinished(() => socket.terminate());
  socket.on("error", () => {});
  await once(socket, "open");
  return socket;
}

/** Writes invalid frames, which ws itself never does. */
function writeGarbage(socket: WebSocket): void {
  const { _socket: connection } = socket as unknown as { _socket: { write(data: Buffer): void } };
  connection.write(Buffer.from([0xff, 0xff, 1, 2, 3, 4, 5, 6]));
}

it("connections without a hello do not count as viewers, and are closed for one that sends it", async () => {
  const bridge = await startWireBridge({ mcpTokens: [token] });
  const sockets: WebSocket[] = [];
  for (let count = 0; count < limits.dashboardViewers; count++)
    sockets.push(await stranger(bridge));
  await new WirePage(bridge).hello(token);
  const isOpen = ({ readyState }: WebSocket) => readyState === WebSocket.OPEN;
  await expect
    .poll(() => sockets.filter(isOpen).length)
    .toBeLessThanOrEqual(limits.dashboardStrangers);
});

it("a page beyond the last place is refused with a reason, and one that leaves gives its place back", async () => {
  const bridge = await startWireBridge({ mcpTokens: [token] });
  const pages: WirePage[] = [];
  for (let count = 0; count < limits.dashboardViewers; count++) {
    pages.push(await new WirePage(bridge).hello(token));
  }
  const refused = await stranger(bridge);
  refused.send(JSON.stringify({ type: "hello", token }));
  expect((await once(refused, "close"))[0]).toBe(CloseReason.busy);
  pages[0]?.socket.close();
  await pages[0]?.closed;
  const page = await stranger(bridge);
  page.send(JSON.stringify({ type: "hello", token }));
  expect(await responseTo(page)).toContain("welcome");
});

it("a connection that is dropped because too many wait cannot end the process with a bad frame", async () => {
  const bridge = await startWireBridge();
  const waiting = Array.from({ length: limits.dashboardStrangers + 1 }, () => stranger(bridge));
  const sockets = await Promise.all(waiting);
  const isClosed = ({ readyState }: WebSocket) => readyState === WebSocket.CLOSED;
  await expect.poll(() => sockets.some(isClosed)).toBe(true);
  const left = sockets.filter((socket) => !isClosed(socket));
  const closed = left.map((socket) => once(socket, "close"));
  for (const socket of left) writeGarbage(socket);
  await Promise.all(closed);
  const { status } = await fetch(`http://127.0.0.1:${bridge.mcpPort}/health`);
  expect(status).toBe(200);
});

const token = "owner-token-of-this-test";
const deep = "[".repeat(200_000) + "]".repeat(200_000);
const wide = `[${"[],".repeat(200_000)}[]]`;
const long = JSON.stringify("x".repeat(limits.dashboardHelloLength));

function responseTo(page: WebSocket): Promise<unknown> {
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
  expect(await responseTo(page)).toBe(CloseReason.malformed);
});

it.each([
  ["nested without end", deep],
  ["of countless values", wide],
])("a question that is %s is refused before it is read", async (_, more) => {
  const page = await stranger(await startWireBridge({ mcpTokens: [token] }));
  page.send(JSON.stringify({ type: "hello", token }));
  expect(await responseTo(page)).toContain("welcome");
  page.send(`{"type":"action","action":1,"name":"connect","params":{"more":${more}}}`);
  expect(await responseTo(page)).toBe(CloseReason.malformed);
});
