import { once } from "node:events";
import { LinkErrorCode } from "@ccbridge/registry";
import { expect, it, vi } from "vitest";
import { rawSocket } from "../helpers/abuse.js";
import { startTestBridge } from "../helpers/bridge.js";

const origin = "http://localhost:5173";

it("nothing is written to the stream of a page once it was ended, however long that takes", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    const bridge = await startTestBridge({ pagesOrigins: [origin] });
    const port = bridge.pagesPort ?? 0;
    const stream = await rawSocket(port);
    stream.write(
      `GET /events?sessionId=slow HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nOrigin: ${origin}\r\n\r\n`,
    );
    await once(stream, "data");
    stream.pause();
    const register = { jsonrpc: "2.0", id: 1, method: "tools/register" };
    await fetch(`http://127.0.0.1:${port}/message?sessionId=slow`, {
      method: "POST",
      headers: { origin, "content-type": "application/json" },
      body: JSON.stringify({ ...register, params: { tools: [{ name: "take" }] } }),
    });
    const [page] = bridge.registry.sessions();
    if (page === undefined) throw new Error("not linked");
    const params = { name: "take", arguments: { text: "x".repeat(900_000) } };
    await expect(async () => {
      for (;;) void page.send(page.prepare(crypto.randomUUID(), "call-tool", params));
    }).rejects.toMatchObject({ code: LinkErrorCode.notReading });
    page.close(LinkErrorCode.silent, "it does not answer");
    vi.advanceTimersByTime(60_000);
    // An error of the response would have been emitted by now, and end the process.
    await new Promise((resolve) => setImmediate(resolve));
    const health = await fetch(`http://127.0.0.1:${port}/health`);
    expect(health.status).toBe(200);
  } finally {
    vi.useRealTimers();
  }
});
