import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import {
  Client,
  StreamableHTTPClientTransport,
  type VersionNegotiationMode,
} from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { linkHostile, result } from "../helpers/hostile-computer.js";
import { freePort } from "../helpers/ports.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";
import { secondAddress } from "../helpers/second-address.js";
import { SocketPage } from "../page/socket-page.js";

const LATEST = "2026-07-28";

async function connect(
  bridge: TestBridge,
  mode: VersionNegotiationMode = { pin: LATEST },
  headers: Record<string, string> = {},
  query = "",
  name = "test",
): Promise<Client> {
  const capabilities = { elicitation: {} };
  const options = { versionNegotiation: { mode }, capabilities };
  const client = new Client({ name, version: "0" }, options);
  client.onerror = () => {};
  onTestFinished(() => client.close());
  const url = new URL(bridge.mcpUrl + query);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
}

const call = async (client: Client, name: string, args: Record<string, unknown> = {}) => {
  const { content } = await client.callTool({ name, arguments: args });
  const [first] = content;
  return first?.type === "text" ? first.text : "";
};

const sessions = async (bridge: TestBridge) =>
  ((await (await fetch(bridge.mcpUrl.replace("/mcp", "/health"))).json()) as { sessions: number })
    .sessions;

describe("a client without sessions", () => {
  it("is named to the player whose prompt it drives", async () => {
    const bridge = await startTestBridge();
    const screen = { width: 3, height: 1, text: "abc", cursor: { x: 1, y: 1, blink: false } };
    const drivers: unknown[] = [];
    await linkHostile(
      bridge.linkUrl,
      { computerId: 12, methods: ["read-screen", "send-input"] },
      ({ id, method, params }, computer) => {
        if (method === "send-input") drivers.push(params.by);
        computer.send(result(id, { screen, sent: 1, waiting: 0 }));
      },
    );
    const client = await connect(bridge, { pin: LATEST }, {}, "", "opener");
    await call(client, "send-input", { computerId: 12, steps: [{ text: "x" }] });
    expect(drivers).toEqual([expect.stringContaining("opener")]);
  });

  it("finds what a client with one finds, and opens no session", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 12, label: "base" });
    const modern = await connect(bridge);
    expect(modern.getNegotiatedProtocolVersion()).toBe(LATEST);
    expect(modern.getServerVersion()).toMatchObject({ name: "ccbridge", version: "1.2.3" });
    expect(await call(modern, "probe-computers")).toBe("pong from 12 (Label: base)");
    expect(await sessions(bridge)).toBe(0);
    const other = await connectClient(bridge.mcpUrl);
    expect(modern.getInstructions()).toBe(other.getInstructions());
    const names = ({ tools }: { tools: { name: string; inputSchema: object }[] }) => tools;
    expect(names(await modern.listTools()).map(({ name }) => name)).toEqual(
      names(await other.listTools()).map(({ name }) => name),
    );
    const uris = (list: { resources: { uri: string }[] }) => list.resources.map(({ uri }) => uri);
    expect(uris(await modern.listResources())).toEqual(uris(await other.listResources()));
    const { contents } = await modern.readResource({ uri: "cc://computers" });
    expect(JSON.stringify(contents)).toContain("base");
    const { prompts } = await modern.listPrompts();
    expect(prompts).toHaveLength((await other.listPrompts()).prompts.length);
  });

  it("is found by a client that tries the newest version first", async () => {
    const bridge = await startTestBridge();
    const client = await connect(bridge, "auto");
    expect(client.getNegotiatedProtocolVersion()).toBe(LATEST);
  });

  it("misses nothing when the bridge restarts", async () => {
    const bridge = await startTestBridge({ mcpPort: await freePort() });
    const client = await connect(bridge);
    expect(await call(client, "probe-computers")).toBe("No computers connected.");
    await bridge.close();
    await startTestBridge({ mcpPort: bridge.mcpPort });
    await vi.waitFor(async () => {
      expect(await call(client, "probe-computers")).toBe("No computers connected.");
    });
  });

  it("gets errors in the form of its generation", async () => {
    const bridge = await startTestBridge();
    const client = await connect(bridge);
    await expect(call(client, "fly")).rejects.toMatchObject({
      code: -32_602,
      message: expect.stringMatching(/^There is no tool "fly"/),
    });
    await expect(client.readResource({ uri: "cc://computers/99" })).rejects.toMatchObject({
      code: -32_602,
    });
  });

  it("gets progress, and hanging up cancels the call in the game", async () => {
    const bridge = await startTestBridge();
    const { code, programs } = endlessProgram();
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const client = await connect(bridge);
    const hangUp = new AbortController();
    const reported: unknown[] = [];
    const pending = client.callTool(
      { name: "exec-lua", arguments: { computerId: 1, code } },
      {
        signal: hangUp.signal,
        onprogress: (progress) => {
          reported.push(progress);
          hangUp.abort();
        },
      },
    );
    await expect(pending).rejects.toThrow();
    expect(reported).toMatchObject([{ message: "| digging" }]);
    await vi.waitFor(() => expect(fake.received.map(({ type }) => type)).toContain("cancel"));
    await vi.waitFor(async () => expect(await call(client, "list-jobs")).toContain("cancelled"));
  });

  it("has its calls answered when others hang up", async () => {
    const bridge = await startTestBridge();
    const { code, programs } = endlessProgram();
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const [leaving, staying] = [await connect(bridge), await connect(bridge)];
    const hangUp = new AbortController();
    const left = leaving.callTool(
      { name: "exec-lua", arguments: { computerId: 1, code } },
      { signal: hangUp.signal, onprogress: () => hangUp.abort() },
    );
    const stayed = call(staying, "exec-lua", { computerId: 1, code, waitMs: 100 });
    await expect(left).rejects.toThrow();
    expect(await stayed).toContain("Still running");
  });

  it("receives what it listens for, in a separate session that ends with it", async () => {
    const bridge = await startTestBridge();
    const client = await connect(bridge);
    const updated: string[] = [];
    client.setNotificationHandler("notifications/resources/updated", ({ params }) => {
      updated.push(params.uri);
    });
    const listChanged = vi.fn();
    client.setNotificationHandler("notifications/resources/list_changed", listChanged);
    const subscription = await client.listen({
      resourcesListChanged: true,
      resourceSubscriptions: ["cc://computers"],
    });
    expect(subscription.honoredFilter.resourceSubscriptions).toEqual(["cc://computers"]);
    expect(await sessions(bridge)).toBe(1);
    await linkComputer(bridge.linkUrl, { computerId: 7 });
    await vi.waitFor(() => expect(updated).toContain("cc://computers"));
    await vi.waitFor(() => expect(listChanged).toHaveBeenCalled());
    await subscription.close();
    await vi.waitFor(async () => expect(await sessions(bridge)).toBe(0));
  });

  it("is notified of tools that computers offer", async () => {
    const bridge = await startTestBridge();
    const client = await connect(bridge);
    const listChanged = vi.fn();
    client.setNotificationHandler("notifications/tools/list_changed", listChanged);
    const before = (await client.listTools()).tools.map(({ name }) => name);
    const subscription = await client.listen({ toolsListChanged: true });
    expect(subscription.honoredFilter).toEqual({ toolsListChanged: true });
    const { fake } = await linkComputer(bridge.linkUrl, { computerId: 7, protocol: 2 });
    fake.send({
      type: "tools",
      tools: [{ name: "open_gate", description: "Opens the gate.", inputSchema: {} }],
    });
    await vi.waitFor(() => expect(listChanged).toHaveBeenCalled());
    const after = (await client.listTools()).tools.map(({ name }) => name);
    expect(after.filter((name) => !before.includes(name))).toEqual(["open_gate"]);
  });

  it("sees the session of web pages that it names, and asks a person by calling again", async () => {
    const origin = "http://localhost:5173";
    const bridge = await startTestBridge({ pagesOrigins: [origin] });
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws?sessionId=mine`);
    page.handlers.set("write", () => ({ content: [{ type: "text", text: "written" }] }));
    await page.register("read", { name: "write", capabilities: ["dom:write"] });
    const mine = await connect(bridge, undefined, {}, "?session=mine");
    const other = await connect(bridge);
    const offered = async (client: Client) =>
      (await client.listTools()).tools
        .map(({ name }) => name)
        .filter((name) => ["read", "write"].includes(name));
    expect(await offered(mine)).toEqual(["read"]);
    expect(await offered(other)).toEqual([]);
    const asked: string[] = [];
    mine.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message);
      return { action: asked.length > 1 ? "accept" : "decline", content: {} };
    });
    const request = () =>
      call(mine, "__btcp_request_capabilities", { capabilities: ["dom:write"] });
    await request();
    expect(await offered(mine)).toEqual(["read"]);
    await request();
    expect(asked).toEqual(Array(2).fill(expect.stringContaining("dom:write")));
    expect(await offered(mine)).toEqual(["read", "write"]);
    expect(await call(mine, "write")).toBe("written");
  });

  it("has its own watches, as far as it can be distinguished from others", async () => {
    const bridge = await startTestBridge();
    const asked: unknown[] = [];
    await linkHostile(bridge.linkUrl, { methods: ["watch-events"] }, ({ id, params }, { send }) => {
      asked.push(params);
      send(result(id, {}));
    });
    const [mine, alike] = [await connect(bridge), await connect(bridge)];
    const other = await connect(bridge, undefined, {}, "", "other");
    const watch = (client: Client, ...events: string[]) =>
      call(client, "watch-events", { computerId: 1, events });
    await watch(mine, "redstone");
    await watch(other, "peripheral");
    const lists = (own: string, others: string) =>
      new RegExp(`You watch on .*: ${own}\\.\nOther clients also watch: ${others}\\.`);
    expect(await watch(mine)).toMatch(lists("redstone", "peripheral"));
    expect(await watch(other)).toMatch(lists("peripheral", "redstone"));
    expect(await watch(alike)).toMatch(lists("redstone", "peripheral"));
    expect(asked.at(-1)).toEqual({ watches: [{ name: "redstone" }, { name: "peripheral" }] });
  });

  it("that waits for an answer is not pushed out by one that invents names", async () => {
    const bridge = await startTestBridge();
    await linkHostile(bridge.linkUrl, { methods: ["watch-events"] }, ({ id, method }, { send }) => {
      if (method === "watch-events") send(result(id, {}));
    });
    const client = await connect(bridge);
    await call(client, "watch-events", { computerId: 1, events: ["redstone"] });
    const hangUp = new AbortController();
    const open = client.callTool(
      { name: "exec-lua", arguments: { computerId: 1, code: "x", waitMs: 50_000 } },
      { signal: hangUp.signal },
    );
    await vi.waitFor(() => expect(bridge.registry.jobs.list()).toHaveLength(1));
    for (let n = 0; n < 70; n++) {
      await askFrom({ bridge, software: `name ${n}`, tool: "list-computers" });
    }
    expect(await call(client, "watch-events", { computerId: 1 })).toContain("redstone");
    hangUp.abort();
    await expect(open).rejects.toThrow();
  });

  it("needs the token like other clients", async () => {
    const bridge = await startTestBridge({ mcpTokens: ["right"] });
    await expect(connect(bridge)).rejects.toThrow();
    const client = await connect(bridge, undefined, { authorization: "Bearer right" });
    expect(await call(client, "probe-computers")).toBe("No computers connected.");
  });
});

describe("a client with sessions", () => {
  it("of the second generation is served as before", async () => {
    const bridge = await startTestBridge();
    const client = await connect(bridge, "legacy");
    expect(await call(client, "probe-computers")).toBe("No computers connected.");
    expect(await sessions(bridge)).toBe(1);
    const first = await connectClient(bridge.mcpUrl);
    expect((await callTool(first, "probe-computers")).text).toBe("No computers connected.");
  });
});

it("clients without sessions may have as many calls open as a session, each address for itself", async () => {
  const bridge = await startTestBridge();
  const { code, programs } = endlessProgram();
  for (let computerId = 0; computerId < 4; computerId++) {
    await linkComputer(bridge.linkUrl, { computerId, programs });
  }
  const client = await connect(bridge);
  for (let n = 0; n < 256; n++) {
    call(client, "exec-lua", { computerId: n % 4, code, waitMs: 50_000 }).catch(() => {});
  }
  await vi.waitFor(() => expect(bridge.registry.jobs.list()).toHaveLength(256), {
    timeout: 20_000,
  });
  await expect(call(client, "list-computers")).rejects.toThrow("256 calls of this address");
  const list = { bridge, tool: "list-computers" };
  expect(await askFrom({ ...list, software: "other" })).toContain("256 calls of this address");
  if (secondAddress === undefined) return;
  const elsewhere = await askFrom({ ...list, localAddress: secondAddress });
  expect(elsewhere).toContain("4 computers are linked");
});

interface Asking {
  bridge: TestBridge;
  tool: string;
  software?: string;
  localAddress?: string;
}

async function askFrom({
  bridge: { mcpPort: port },
  tool,
  software = "test",
  localAddress = "127.0.0.1",
}: Asking): Promise<string> {
  const params = {
    name: tool,
    arguments: {},
    _meta: {
      "io.modelcontextprotocol/protocolVersion": LATEST,
      "io.modelcontextprotocol/clientInfo": { name: software, version: "0" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const asked = request({
    ...{ host: "127.0.0.1", port, localAddress, method: "POST", path: "/mcp", agent: false },
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": LATEST,
      "mcp-method": "tools/call",
      "mcp-name": tool,
    },
  });
  asked.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params }));
  const [response] = (await once(asked, "response")) as [IncomingMessage];
  return text(response);
}
