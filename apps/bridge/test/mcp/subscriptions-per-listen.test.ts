import { once } from "node:events";
import { expect, it, onTestFinished } from "vitest";
import { rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "test", version: "0" },
  "io.modelcontextprotocol/clientCapabilities": {},
};

function listenRequest(port: number): string {
  const resourceSubscriptions = Array.from({ length: 256 }, (_, id) => `computer://${id}`);
  const notifications = { toolsListChanged: true, resourceSubscriptions };
  const message = { jsonrpc: "2.0", id: 1, method: "subscriptions/listen" };
  const body = JSON.stringify({ ...message, params: { _meta: meta, notifications } });
  const head = [
    "POST /mcp HTTP/1.1",
    `Host: 127.0.0.1:${port}`,
    "Accept: application/json, text/event-stream",
    "Content-Type: application/json",
    "MCP-Protocol-Version: 2026-07-28",
    "Mcp-Method: subscriptions/listen",
    `Content-Length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

it("a client that listens to hundreds of things leaves turns to other clients, and nothing on stderr", async () => {
  const warnings: string[] = [];
  const onWarning = (warning: Error) => void warnings.push(String(warning));
  process.on("warning", onWarning);
  onTestFinished(() => void process.off("warning", onWarning));
  const bridge = await startTestBridge();
  const answered: string[] = [];
  const ask = async (name: string, request: string) => {
    const socket = await rawSocket(bridge.mcpPort);
    const answer = once(socket, "data").then(([data]) => {
      answered.push(name);
      return String(data);
    });
    socket.write(request);
    return { answer };
  };
  // The first of them waits for the SDK to be loaded.
  await (await ask("first", listenRequest(bridge.mcpPort))).answer;
  const listening = await ask("listen", listenRequest(bridge.mcpPort));
  const quick = await ask("health", "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await quick.answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(await listening.answer).toMatch(/^HTTP\/1\.1 200 /);
  expect(answered).toEqual(["first", "health", "listen"]);
  expect(warnings).toEqual([]);
});

it("a client that hangs up before it is answered leaves no session behind", async () => {
  const bridge = await startTestBridge();
  const health = async () => (await fetch(`http://127.0.0.1:${bridge.mcpPort}/health`)).json();
  for (let round = 0; round < 20; round++) {
    const socket = await rawSocket(bridge.mcpPort);
    socket.write(listenRequest(bridge.mcpPort), () => socket.destroy());
  }
  const last = await rawSocket(bridge.mcpPort);
  last.write(listenRequest(bridge.mcpPort));
  await expect.poll(health).toMatchObject({ sessions: 1 });
  last.destroy();
  await expect.poll(health).toMatchObject({ sessions: 0 });
});
