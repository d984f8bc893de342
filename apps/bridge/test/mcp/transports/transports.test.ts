import { once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import { ResourceUpdatedNotificationSchema } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { startTestBridge, type TestBridge } from "../../helpers/bridge.js";
import { endlessProgram, linkComputer, openSocket, upgradeStatus } from "../../helpers/computer.js";
import { callTool, connectClient } from "../../helpers/sdk-client.js";

const socketUrl = (bridge: TestBridge) => bridge.mcpUrl.replace("http:", "ws:");

const transports: Record<string, (bridge: TestBridge, token?: string) => Transport> = {
  WebSocket: (bridge, token) => {
    // Node 20 has no WebSocket.
    vi.stubGlobal("WebSocket", WebSocket);
    onTestFinished(() => void vi.unstubAllGlobals());
    const query = token === undefined ? "" : `?token=${token}`;
    return new WebSocketClientTransport(new URL(`${socketUrl(bridge)}${query}`)) as Transport;
  },
  "HTTP+SSE": (bridge, token) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const url = new URL(`${bridge.mcpUrl}/sse?session=base`);
    return new SSEClientTransport(url, { requestInit: { headers } }) as Transport;
  },
};

async function connect(transport: Transport): Promise<Client> {
  const client = new Client({ name: "test", version: "0" });
  client.onerror = () => {};
  onTestFinished(() => client.close());
  await client.connect(transport);
  return client;
}

const sessions = async (bridge: TestBridge) =>
  ((await (await fetch(bridge.mcpUrl.replace("/mcp", "/health"))).json()) as { sessions: number })
    .sessions;

describe.each(Object.entries(transports))("%s", (_, create) => {
  it("serves the tools that streamable HTTP serves", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 12, label: "base" });
    const [client, other] = [await connect(create(bridge)), await connectClient(bridge.mcpUrl)];
    expect(await client.listTools()).toEqual(await other.listTools());
    expect((await callTool(client, "probe-computers")).text).toBe("pong from 12 (Label: base)");
    await expect(
      client.request({ method: "no/such" } as never, undefined as never),
    ).rejects.toThrow(/Method not found/);
  });

  it("brings progress and updates, and cancels", async () => {
    const bridge = await startTestBridge();
    const { code, programs } = endlessProgram();
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await connect(create(bridge));
    const updated = new Promise<string>((resolve) => {
      client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
        resolve(params.uri),
      );
    });
    await client.subscribeResource({ uri: "cc://computers" });
    const controller = new AbortController();
    const call = callTool(
      client,
      "exec-lua",
      { computerId: 1, code },
      { signal: controller.signal, onprogress: () => controller.abort() },
    );
    await expect(call).rejects.toThrow();
    await vi.waitFor(() => expect(fake.received.at(-1)).toMatchObject({ type: "cancel" }));
    await linkComputer(bridge.linkUrl, { computerId: 2 });
    expect(await updated).toBe("cc://computers");
  });

  it("ends its session, and nothing in the game, when the client disconnects", async () => {
    const bridge = await startTestBridge();
    const { code, programs, running } = endlessProgram();
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await connect(create(bridge));
    callTool(client, "exec-lua", { computerId: 1, code }).catch(() => {});
    await running;
    expect(await sessions(bridge)).toBe(1);
    await client.close();
    await vi.waitFor(async () => expect(await sessions(bridge)).toBe(0));
    expect(bridge.registry.jobs.list()).toMatchObject([{ state: "running" }]);
  });

  it("asks for a token", async () => {
    const bridge = await startTestBridge({ mcpTokens: ["right"] });
    await expect(connect(create(bridge))).rejects.toThrow();
    await expect(connect(create(bridge, "wrong"))).rejects.toThrow();
    const client = await connect(create(bridge, "right"));
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
  });

  it("counts among the sessions, and is ended for others", async () => {
    const bridge = await startTestBridge({ maxSessions: 1 });
    const first = await connect(create(bridge));
    const closed = new Promise<void>((resolve) => {
      first.onclose = resolve;
      first.onerror = () => resolve();
    });
    const second = await connectClient(bridge.mcpUrl);
    await closed;
    expect((await callTool(second, "probe-computers")).text).toBe("No computers connected.");
  });
});

describe("a WebSocket", () => {
  it("is guarded as the rest: a page that is not allowed cannot open one", async () => {
    const bridge = await startTestBridge({ mcpAllowedOrigins: ["https://app.example"] });
    const url = socketUrl(bridge);
    expect(await upgradeStatus(url, { origin: "https://evil.example" })).toBe(403);
    expect(await upgradeStatus(url, { headers: { host: "rebound.example" } })).toBe(403);
    expect(await upgradeStatus(url, { origin: "https://app.example" })).toBe(101);
    expect(await upgradeStatus(url.replace("/mcp", "/health"))).toBe(404);
  });

  it("answers what is not a message, and continues", async () => {
    const bridge = await startTestBridge();
    const { socket } = await openSocket(socketUrl(bridge));
    const next = async () => JSON.parse(String((await once(socket, "message"))[0]));
    for (const [text, code] of [
      ["{", -32_700],
      ['{"id":1}', -32_600],
      ["[".repeat(5_000), -32_600],
      ['{"jsonrpc":"2.0","id":1,"method":"no/such"}', -32_601],
    ] as const) {
      socket.send(text);
      expect(await next()).toMatchObject({ error: { code } });
    }
    socket.send('{"jsonrpc":"2.0","id":2,"method":"ping"}');
    expect(await next()).toEqual({ jsonrpc: "2.0", id: 2, result: {} });
  });

  it("that is not read, sends too much or sends bytes is closed", async () => {
    const bridge = await startTestBridge({ bodyLimitBytes: 65_536 });
    const large = await openSocket(socketUrl(bridge));
    large.socket.send("x".repeat(100_000));
    expect((await large.closed).code).toBe(1_009);
    const bytes = await openSocket(socketUrl(bridge));
    bytes.socket.send(Buffer.from("{}"));
    expect((await bytes.closed).code).toBe(1_003);
    const unread = await openSocket(socketUrl(bridge));
    unread.socket.pause();
    for (let id = 0; (await sessions(bridge)) > 0 && id < 20_000; id++) {
      unread.socket.send(JSON.stringify({ jsonrpc: "2.0", id, method: "tools/list" }));
    }
    expect(await sessions(bridge)).toBe(0);
  });
});
