// A bridge that is stopped while jobs run, and started again: the real programs, all transports.
import { on } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { expect, it, onTestFinished, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { connectSessionless } from "../calls/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { openSocket } from "../helpers/computer.js";
import { initializeBody } from "../helpers/http.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient, stdioClient } from "../helpers/sdk-client.js";
import { health, spawnBridge } from "../helpers/spawn-bridge.js";
import { placeComputer, startWorld } from "./helpers.js";

const code = 'print("begun") sleep(90) return "survived"';
const args = { computerId: 12, code };

const textOf = (result: unknown) => {
  const { content, isError } = result as CallToolResult;
  expect(isError).not.toBe(true);
  return content[0]?.type === "text" ? content[0].text : "";
};

const callers: Record<string, (mcpUrl: string) => Promise<() => Promise<string>>> = {
  async "streamable HTTP"(url) {
    const client = await connectClient(url);
    return async () => textOf(await client.callTool({ name: "exec-lua", arguments: args }));
  },
  async "HTTP+SSE"(url) {
    const client = new Client({ name: "test", version: "0" });
    client.onerror = () => {};
    onTestFinished(() => client.close());
    await client.connect(new SSEClientTransport(new URL(`${url}/sse`)));
    return async () => textOf(await client.callTool({ name: "exec-lua", arguments: args }));
  },
  async "no session"(mcpUrl) {
    const client = await connectSessionless({ mcpUrl } as TestBridge, "none");
    return async () => textOf(await client.callTool({ name: "exec-lua", arguments: args }));
  },
  async WebSocket(url) {
    const { socket } = await openSocket(url.replace("http", "ws"));
    // Buffers messages: a notification and a response may arrive in one read.
    const messages = on(socket, "message");
    const ask = async (message: { id: number; method: string; params: object }) => {
      socket.send(JSON.stringify(message));
      for (;;) {
        const [data] = (await messages.next()).value as [Buffer];
        const answer = JSON.parse(data.toString()) as { id?: number; result?: unknown };
        if (answer.id === message.id) return answer.result;
      }
    };
    await ask(initializeBody);
    const params = { name: "exec-lua", arguments: args };
    return async () =>
      textOf(await ask({ ...initializeBody, id: 1, method: "tools/call", params }));
  },
  async stdio(url) {
    const { client } = await stdioClient({ MCP_PORT: new URL(url).port });
    return async () => {
      const result = await client.callTool({ name: "exec-lua", arguments: args });
      // It would start another bridge for the next call.
      await client.close();
      return textOf(result);
    };
  },
};

it("reports on SIGTERM that the job continues, and knows it by its id after the restart", async () => {
  const env = { MCP_PORT: String(await freePort()), CC_LINK_PORT: String(await freePort()) };
  const bridge = await spawnBridge([], env);
  const world = await startWorld();
  const computer = await placeComputer(world);
  computer.type(`mcp-computer ${bridge.linkUrl}\n`);
  const linked = async () => expect(await health(bridge.mcpUrl)).toMatchObject({ computers: 1 });
  await vi.waitFor(linked, 20_000);

  const calls = await Promise.all(Object.values(callers).map((open) => open(bridge.mcpUrl)));
  const answers = calls.map((call) => call());
  const watcher = await connectClient(bridge.mcpUrl);
  // Running there, not only sent.
  const isRunning = async () => {
    const { text } = await callTool(watcher, "list-jobs");
    const ids = text.match(/\b[0-9a-f]{18}\b/g) ?? [];
    expect(ids).toHaveLength(calls.length);
    for (const jobId of ids) {
      expect((await callTool(watcher, "get-job", { jobId })).text).toContain("begun");
    }
  };
  await vi.waitFor(isRunning, 20_000);
  const exit = await bridge.kill("SIGTERM");
  expect(exit).toMatchObject({ code: 0 });
  const answered = await Promise.all(answers);
  const ids = answered.map((text) => {
    expect(text).toContain(texts.theBridgeIsStoppingOr);
    return /^Still running on .* as job (\w+),/.exec(text)?.[1] ?? "";
  });
  expect(new Set(ids).size).toBe(calls.length);

  await spawnBridge([], env);
  await vi.waitFor(linked, 30_000);
  const client = await connectClient(bridge.mcpUrl);
  for (const jobId of ids) {
    const { text } = await callTool(client, "get-job", { jobId, waitMs: 30_000 });
    expect(text).toContain("survived");
  }
});
