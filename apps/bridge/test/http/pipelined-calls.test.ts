import { expect, it } from "vitest";
import { closeOf, rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { initialize, post } from "../helpers/http.js";

const call = (id: number, name: string, args: object = {}) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

it("a connection with too many unanswered calls is closed", async () => {
  const bridge = await startTestBridge({});
  const { code, programs } = endlessProgram();
  await linkComputer(bridge.linkUrl, { computerId: 1, programs });
  const session = await initialize(bridge.mcpUrl);
  const { port } = new URL(bridge.mcpUrl);
  const socket = await rawSocket(Number(port));
  const posts = Array.from({ length: 50 }, (_, id) => {
    const body = JSON.stringify(call(id, "exec-lua", { computerId: 1, code }));
    return (
      `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n` +
      `Accept: application/json\r\nMcp-Session-Id: ${session}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    );
  });
  socket.write(posts.join(""));
  // None of them is ever answered, so nothing else would end it.
  await closeOf(socket);
  const response = await post(bridge.mcpUrl, { session, body: call(99, "probe-computers") });
  expect(await response.text()).toContain("pong from 1");
});

it("a connection that asks without reading the answers is cut", async () => {
  const bridge = await startTestBridge();
  const session = await initialize(bridge.mcpUrl);
  const socket = await rawSocket(bridge.mcpPort);
  const closed = closeOf(socket);
  socket.pause();
  for (let id = 0; id < 200; id++) {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" });
    socket.write(
      `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${bridge.mcpPort}\r\nAccept: application/json\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
        `Mcp-Session-Id: ${session}\r\n\r\n${body}`,
    );
  }
  socket.resume();
  await closed;
});
