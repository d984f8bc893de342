import { expect, it } from "vitest";
import { closeOf, rawSocket, startListener, unreadStream } from "../helpers/abuse.js";
import { initialize } from "../helpers/http.js";

const PART = "x".repeat(65_536);

it("a client that stops reading its stream loses it, and the bridge keeps running", async () => {
  const { port, url, transports } = await startListener(() => {});
  const session = await initialize(url);
  const socket = await unreadStream(port, session);
  const closed = closeOf(socket);
  const [transport] = transports;
  for (let sent = 0; sent < 400; sent++) {
    transport?.send({ jsonrpc: "2.0", method: "notifications/message", params: { PART } });
    await new Promise((resolve) => setImmediate(resolve));
  }
  socket.resume();
  await closed;
  // The session may open another stream, which receives later messages.
  const again = await fetch(url, {
    headers: { accept: "text/event-stream", "mcp-session-id": session },
  });
  expect(again.status).toBe(200);
  transport?.send({ jsonrpc: "2.0", method: "notifications/message", params: { n: 1 } });
  const { value } = (await again.body?.getReader().read()) ?? {};
  expect(new TextDecoder().decode(value)).toContain('"n":1');
});

it("a client that does not read the progress of its call loses the answer, not the bridge", async () => {
  let finish: () => void = () => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const { port, url } = await startListener(async ({ id = 0 }, transport) => {
    for (let sent = 0; sent < 400; sent++) {
      const params = { progressToken: 1, progress: sent, PART };
      const note = { jsonrpc: "2.0", method: "notifications/progress", params };
      transport.send(note, id);
      await new Promise((resolve) => setImmediate(resolve));
    }
    transport.send({ jsonrpc: "2.0", id, result: {} });
    finish();
  });
  const session = await initialize(url);
  const socket = await rawSocket(port);
  socket.pause();
  const closed = closeOf(socket);
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call" });
  socket.write(
    `POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAccept: text/event-stream\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n` +
      `Mcp-Session-Id: ${session}\r\n\r\n${body}`,
  );
  await finished;
  socket.resume();
  await closed;
  expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
});
