import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished, vi } from "vitest";
import { Clients } from "../../../src/auth/clients.js";
import { defaultConfig } from "../../../src/index.js";
import type { McpServices } from "../../../src/mcp/handlers/session.js";
import { createMcpListener } from "../../../src/mcp/listener.js";
import { EventStream } from "../../../src/mcp/transports/exchange.js";
import type { PeerLog } from "../../../src/monitor/peer-log.js";

it("a stream sends its endpoint only when its session has a server, which takes time to load", async () => {
  const order: string[] = [];
  const log = { debug() {}, info() {}, warn() {}, error() {}, flush() {} } as unknown as PeerLog;
  const { app } = await createMcpListener({
    config: defaultConfig(),
    clients: new Clients([]),
    peerLog: log,
    services: {} as McpServices,
    health: () => ({ open: {}, local: {} }),
    serve: async () => {
      await sleep(20);
      order.push("server");
    },
  });
  onTestFinished(() => app.close());
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const sent = vi.spyOn(EventStream.prototype, "send");
  onTestFinished(() => sent.mockRestore());
  sent.mockImplementationOnce((_, event) => void order.push(String(event)));
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = { accept: "text/event-stream" };
  await fetch(`${url}/mcp/sse`, { headers, signal: gone.signal });
  await vi.waitFor(() => expect(order).toHaveLength(2));
  expect(order).toEqual(["server", "endpoint"]);
});
