import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  type CallToolResult,
  ElicitRequestSchema,
  ToolListChangedNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

function start(settings: Parameters<typeof startTestBridge>[0] = {}) {
  return startTestBridge({ pagesOrigins: [origin], ...settings });
}

async function open(bridge: TestBridge, session?: string): Promise<SocketPage> {
  const query = session === undefined ? "" : `?sessionId=${session}`;
  return SocketPage.open(`${bridge.pagesUrl}/ws${query}`);
}

async function offeredTo(client: Client): Promise<string[]> {
  const { tools } = await client.listTools();
  return tools
    .filter(({ description = "" }) => description.includes("on a web page"))
    .map(({ name }) => name);
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

const input = {
  type: "object",
  properties: { selector: { type: "string" } },
  required: ["selector"],
};

describe("tools of pages over MCP", () => {
  it("are listed, marked as a page's, and give text, values and pictures", async () => {
    const bridge = await start();
    const page = await open(bridge);
    const png =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    page.handlers.set("getPageContent", ({ selector }) => ({ content: selector, wordCount: 523 }));
    page.handlers.set("click", () => ({
      content: [{ type: "image", data: "clicked", mimeType: "image/png" }],
      isError: false,
    }));
    page.handlers.set("shoot", () => ({
      content: [
        { type: "text", text: "here" },
        { type: "image", data: png, mimeType: "image/png" },
        { type: "resource", uri: "page://x", text: "flat" },
      ],
    }));
    await page.register(
      { name: "getPageContent", description: "Reads \u001b[31mthe page", inputSchema: input },
      "click",
      "shoot",
    );
    const client = await connectClient(bridge.mcpUrl);
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "getPageContent");
    expect(tool?.description).toBe(texts.offeredOnAWebPage);
    expect(tool?.inputSchema).toMatchObject(input);
    expect(await call(client, "getPageContent", { selector: "article" })).toEqual({
      content: [{ type: "text", text: '{"content":"article","wordCount":523}' }],
    });
    expect((await call(client, "click")).content).toEqual([{ type: "text", text: "clicked" }]);
    expect((await call(client, "shoot")).content).toEqual([
      { type: "text", text: "here" },
      { type: "image", data: png, mimeType: "image/png" },
      { type: "resource", resource: { uri: "page://x", text: "flat" } },
    ]);
    expect((await call(client, "call-offered-tool", { name: "click" })).content).toEqual([
      { type: "text", text: "clicked" },
    ]);
  });

  it("fail with the codes of the protocol", async () => {
    const bridge = await start();
    const page = await open(bridge);
    const failures = new Map<string, { code: string | number; message: string }>([
      ["denied", { code: "CAPABILITY_DENIED", message: "Capability not granted: dom:write" }],
      ["thrown", { code: -32603, message: "Tool execution failed: boom" }],
      ["missing", { code: "TOOL_NOT_FOUND", message: "No such tool" }],
      ["own", { code: "CELL_NOT_FOUND", message: "No cell A1" }],
    ]);
    for (const [name, failure] of failures) {
      page.handlers.set(name, () => {
        throw failure;
      });
    }
    await page.register(...failures.keys(), { name: "read", inputSchema: input }, "leave");
    page.handlers.set("leave", () => page.socket.terminate());
    const client = await connectClient(bridge.mcpUrl);
    const failed = (name: string) => call(client, name).catch((error) => error);
    expect(await failed("denied")).toMatchObject({
      code: -32603,
      message: texts.mcpErrorCapabilityNotGranted,
      data: { btcpCode: "CAPABILITY_DENIED" },
    });
    expect(await failed("thrown")).toMatchObject({
      code: -32603,
      data: { btcpCode: "EXECUTION_ERROR" },
    });
    expect(await failed("missing")).toMatchObject({
      code: -32601,
      data: { btcpCode: "TOOL_NOT_FOUND" },
    });
    expect(await failed("own")).toMatchObject({
      code: -32603,
      data: { btcpCode: "CELL_NOT_FOUND" },
    });
    expect(await failed("read")).toMatchObject({
      code: -32602,
      message: expect.stringContaining("selector"),
      data: { btcpCode: "INVALID_PARAMS" },
    });
    expect(await failed("leave")).toMatchObject({
      code: -32603,
      message: expect.stringContaining("went away"),
      data: { btcpCode: "EXECUTION_ERROR" },
    });
  });

  it("fail when the page takes longer than the tool says", async () => {
    const bridge = await start();
    const page = await open(bridge);
    await page.register({ name: "slow", timeout: 1 });
    const client = await connectClient(bridge.mcpUrl);
    await expect(call(client, "slow")).rejects.toMatchObject({
      message: expect.stringContaining(texts.didNotAnswerWithin),
      data: { btcpCode: "TIMEOUT" },
    });
    const requestId = (await page.until(({ method }) => method === "tools/call")).id;
    const cancelled = await page.until(({ method }) => method === "notifications/cancelled");
    expect(cancelled.params).toMatchObject({ requestId });
  });

  it("change with the page, and clients are notified once", async () => {
    const bridge = await start();
    const client = await connectClient(bridge.mcpUrl);
    const changed = vi.fn();
    client.setNotificationHandler(ToolListChangedNotificationSchema, changed);
    expect(await offeredTo(client)).toEqual([]);
    const page = await open(bridge);
    await page.register("a");
    await page.register("a", "b");
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(1));
    expect(await offeredTo(client)).toEqual(["a", "b"]);
    page.socket.terminate();
    await vi.waitFor(() => expect(changed).toHaveBeenCalledTimes(2));
    expect(await offeredTo(client)).toEqual([]);
  });
});

describe("sessions over MCP", () => {
  it("show a client the pages of the session that it names, and no others", async () => {
    const bridge = await start();
    const pages = {
      common: await open(bridge),
      one: await open(bridge, "s1"),
      two: await open(bridge, "s2"),
    };
    for (const [name, page] of Object.entries(pages)) {
      page.handlers.set("where", () => name);
      await page.register("where", `only_${name}`);
    }
    const see = async (url: string) => {
      const client = await connectClient(url);
      return { tools: await offeredTo(client), client };
    };
    const common = await see(bridge.mcpUrl);
    const one = await see(`${bridge.mcpUrl}?session=s1`);
    const two = await see(`${bridge.mcpUrl}?sessionId=s2`);
    const none = await see(`${bridge.mcpUrl}?session=s3`);
    expect(common.tools).toEqual(["where", "only_common"]);
    expect(one.tools).toEqual(["where", "only_one"]);
    expect(two.tools).toEqual(["where", "only_two"]);
    expect(none.tools).toEqual([]);
    for (const [{ client }, name] of [
      [common, "common"],
      [one, "one"],
      [two, "two"],
    ] as const) {
      expect((await call(client, "where")).content).toEqual([{ type: "text", text: name }]);
    }
    await expect(call(one.client, "only_two")).rejects.toThrow(/no tool/);
    const listed = await call(common.client, "list-offered-tools");
    expect(JSON.stringify(listed)).not.toMatch(/s1|s2|only_one/);
  });

  it.each([
    ["HTTP+SSE", (url: string) => new SSEClientTransport(new URL(`${url}/sse?session=s1`))],
    [
      "WebSocket",
      (url: string) => {
        vi.stubGlobal("WebSocket", WebSocket);
        onTestFinished(() => void vi.unstubAllGlobals());
        const address = `${url.replace(/^http/, "ws")}?session=s1`;
        return new WebSocketClientTransport(new URL(address)) as Transport;
      },
    ],
  ])("are named in the same way by clients over %s", async (_, transport) => {
    const bridge = await start();
    const page = await open(bridge, "s1");
    await page.register("mine");
    const client = new Client({ name: "test", version: "0" });
    onTestFinished(() => client.close());
    await client.connect(transport(bridge.mcpUrl));
    expect(await offeredTo(client)).toEqual(["mine"]);
  });

  it("may have two pages of one site: a call names one, and none is evicted", async () => {
    const bridge = await start();
    const pages = [await open(bridge, "s1"), await open(bridge, "s1")];
    for (const [index, page] of pages.entries()) {
      page.handlers.set("where", () => `page ${index}`);
      await page.register("where");
    }
    const client = await connectClient(`${bridge.mcpUrl}?session=s1`);
    const { tools } = await client.listTools();
    const which = tools.find(({ name }) => name === "where")?.inputSchema.properties?.page as {
      description: string;
    };
    const tags = [...which.description.matchAll(/"([^"]+)"/g)].map(([, tag]) => tag);
    const answers = await Promise.all(tags.map((tag) => call(client, "where", { page: tag })));
    expect(answers.map(({ content }) => content[0])).toEqual([
      { type: "text", text: "page 0" },
      { type: "text", text: "page 1" },
    ]);
  });
});

describe("capabilities over MCP", () => {
  const writer = { name: "write", capabilities: ["dom:write"] };

  function requested(result: CallToolResult) {
    const [block] = result.content;
    return JSON.parse(block?.type === "text" ? block.text : "");
  }

  it("hide tools, deny calls, and stay pending where no person can be asked", async () => {
    const bridge = await start();
    const page = await open(bridge);
    await page.register(writer, { name: "read", capabilities: ["dom:read"] });
    const client = await connectClient(bridge.mcpUrl);
    expect(await offeredTo(client)).toEqual(["read"]);
    await expect(call(client, "write")).rejects.toMatchObject({
      code: -32603,
      data: { btcpCode: "CAPABILITY_DENIED" },
    });
    expect(page.received.some(({ method }) => method === "tools/call")).toBe(false);
    const capabilities = ["dom:write", "storage:local:read", "media:camera"];
    const result = await call(client, "__btcp_request_capabilities", { capabilities });
    expect(requested(result)).toEqual({
      granted: ["storage:local:read"],
      denied: ["media:camera"],
      pending: ["dom:write"],
    });
    expect(await offeredTo(client)).toEqual(["read"]);
  });

  it.each([
    ["accept", ["write"], { granted: ["dom:write"], denied: [], pending: [] }],
    ["decline", [], { granted: [], denied: [], pending: ["dom:write"] }],
  ] as const)("are granted when the person agrees: %s", async (action, tools, expected) => {
    const bridge = await start();
    const page = await open(bridge);
    page.handlers.set("write", () => "written");
    await page.register(writer);
    const client = new Client(
      { name: "test", version: "0" },
      { capabilities: { elicitation: {} } },
    );
    const questions: string[] = [];
    client.setRequestHandler(ElicitRequestSchema, async ({ params }) => {
      questions.push(params.message);
      return { action, content: {} };
    });
    onTestFinished(() => client.close());
    await client.connect(new StreamableHTTPClientTransport(new URL(bridge.mcpUrl)));
    const capabilities = ["dom:write"];
    const result = await call(client, "__btcp_request_capabilities", { capabilities });
    expect(requested(result)).toEqual(expected);
    expect(questions).toEqual([expect.stringContaining("dom:write (medium risk)")]);
    expect(await offeredTo(client)).toEqual(tools);
  });

  it("come from configuration, for a site", async () => {
    const bridge = await start({ pagesGrants: [`${origin}=dom:write+media:camera`] });
    const page = await open(bridge);
    await page.register(writer, { name: "film", capabilities: ["media:camera"] });
    const client = await connectClient(bridge.mcpUrl);
    expect(await offeredTo(client)).toEqual(["write", "film"]);
  });

  it("are not asked about where no pages may connect", async () => {
    const { mcpUrl } = await startTestBridge();
    const { tools } = await (await connectClient(mcpUrl)).listTools();
    expect(tools.some(({ name }) => name.startsWith("__btcp"))).toBe(false);
  });
});
