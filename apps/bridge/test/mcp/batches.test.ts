import { describe, expect, it, onTestFinished } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { initialize, post } from "../helpers/http.js";

const list = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });

describe("a batch", () => {
  it("of eighty thousand calls is refused before it costs anything", async () => {
    const bridge = await startTestBridge();
    const session = await initialize(bridge.mcpUrl);
    const body = JSON.stringify(Array.from({ length: 80_000 }, (_, id) => list(id)));
    const refused = await post(bridge.mcpUrl, { session, body });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("at most 32 messages");
    expect((await fetch(bridge.mcpUrl.replace("/mcp", "/health"))).status).toBe(200);
  });

  it("of 32 is answered, one of 33 is not", async () => {
    const bridge = await startTestBridge({ tools: ["slim"] });
    const session = await initialize(bridge.mcpUrl);
    const send = (count: number) =>
      post(bridge.mcpUrl, { session, body: Array.from({ length: count }, (_, id) => list(id)) });
    expect(await (await send(32)).json()).toHaveLength(32);
    expect((await send(33)).status).toBe(400);
  });

  it("of calls leaves no more listeners on its response than one call", async () => {
    const warnings: string[] = [];
    const onWarning = (warning: Error) => void warnings.push(String(warning));
    process.on("warning", onWarning);
    onTestFinished(() => void process.off("warning", onWarning));
    const bridge = await startTestBridge({ tools: ["slim"] });
    const session = await initialize(bridge.mcpUrl);
    const params = { name: "list-computers", arguments: {} };
    const body = Array.from({ length: 32 }, (_, id) => ({
      ...list(id),
      method: "tools/call",
      params,
    }));
    const answered = await post(bridge.mcpUrl, { session, body });
    expect(await answered.json()).toHaveLength(32);
    expect(warnings).toEqual([]);
  });

  it("is not processed after its first invalid message", async () => {
    const bridge = await startTestBridge();
    const session = await initialize(bridge.mcpUrl);
    const refused = await post(bridge.mcpUrl, { session, body: [list(1), 2, list(3)] });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain("not a JSON-RPC 2.0 message");
  });
});
