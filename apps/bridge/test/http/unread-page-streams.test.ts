import { once } from "node:events";
import { LinkErrorCode } from "@ccbridge/registry";
import { expect, it, vi } from "vitest";
import { rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";

const origin = "http://localhost:5173";

it("a page that does not read its stream is dropped with everything that waited for it", async () => {
  const bridge = await startTestBridge({ pagesOrigins: [origin] });
  const port = bridge.pagesPort ?? 0;
  const stream = await rawSocket(port);
  stream.write(
    `GET /events HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\n` +
      "Accept: text/event-stream\r\n\r\n",
  );
  await once(stream, "data");
  stream.pause();
  const register = { jsonrpc: "2.0", id: 1, method: "tools/register" };
  await fetch(`http://127.0.0.1:${port}/message`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify({ ...register, params: { tools: [{ name: "take" }] } }),
  });
  const page = await vi.waitFor(() => {
    const [session] = bridge.registry.sessions();
    if (session === undefined) throw new Error("not linked yet");
    return session;
  });
  const params = { name: "take", arguments: { text: "x".repeat(900_000) } };
  await expect(async () => {
    for (;;) void page.send(page.prepare(crypto.randomUUID(), "call-tool", params));
  }).rejects.toMatchObject({ code: LinkErrorCode.notReading });
  page.close(LinkErrorCode.silent, "it does not answer");
  await vi.waitFor(
    () => {
      stream.write("\r\n");
      expect(stream.destroyed).toBe(true);
    },
    { timeout: 15_000, interval: 100 },
  );
});
