import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

function start(settings: Parameters<typeof startTestBridge>[0] = {}) {
  return startTestBridge({ pagesOrigins: [origin], ...settings });
}

const open = (bridge: TestBridge, query = "") => SocketPage.open(`${bridge.pagesUrl}/ws${query}`);

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  return (await client.callTool({ name, arguments: args })) as CallToolResult;
}

const textOf = ({ content }: CallToolResult) =>
  content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");

describe("tabs", () => {
  it("replace their own connection, and the only page is chosen", async () => {
    const bridge = await start();
    const first = await open(bridge, "?tab=t1&name=Shop");
    first.handlers.set("where", () => "first");
    await first.register("where");
    const gone = first.closed();
    const second = await open(bridge, "?tab=t1&name=Shop");
    second.handlers.set("where", () => "second");
    await second.register("where");
    expect((await gone).code).toBe(4409);
    const client = await connectClient(bridge.mcpUrl);
    expect(textOf(await call(client, "where"))).toBe("second");
    const { tools } = await client.listTools();
    const tool = tools.find(({ name }) => name === "where");
    expect(tool?.description).toContain('page "Shop" http://localhost:5173,');
    expect(tool?.inputSchema.required).toBeUndefined();
  });

  it("of the same site must be chosen while there are two, and no longer when one is left", async () => {
    const bridge = await start();
    const pages = [await open(bridge, "?tab=a"), await open(bridge, "?tab=b")];
    for (const [index, page] of pages.entries()) {
      page.handlers.set("where", () => `page ${index}`);
      await page.register("where");
    }
    const client = await connectClient(bridge.mcpUrl);
    expect(textOf(await call(client, "where"))).toContain("must choose one");
    pages[0]?.socket.close();
    await vi.waitFor(async () => expect(textOf(await call(client, "where"))).toBe("page 1"));
  });
});

it("capabilities are not granted where there is no page", async () => {
  const bridge = await start();
  const client = await connectClient(bridge.mcpUrl);
  const capabilities = ["dom:write", "nonsense:all", "dom:read"];
  const answer = await call(client, "__btcp_request_capabilities", { capabilities });
  expect(JSON.parse(textOf(answer))).toEqual({
    granted: ["dom:read"],
    denied: ["nonsense:all"],
    pending: ["dom:write"],
  });
});

describe("what a page hears", () => {
  it("is which tools were left out, and why", async () => {
    const bridge = await start();
    const page = await open(bridge);
    const { result } = await page.register("good", { name: "bad", inputSchema: 7 }, "evaluate");
    expect(result).toMatchObject({
      registered: 1,
      leftOut: [
        { tool: "bad", problem: texts.itsInputIsNotA },
        { tool: "evaluate", problem: expect.stringContaining("never offered") },
      ],
      maxResultBytes: 4_194_304,
    });
  });

  it("is which tools have no room in the list; clients read it there too", async () => {
    const { log, lines } = recordingLogger();
    const bridge = await startTestBridge({ pagesOrigins: [origin], offeredBytes: 2_000 }, log);
    const page = await open(bridge);
    const tools = Array.from({ length: 30 }, (_, index) => ({
      name: `tool_${index}`,
      description: "Does one of many things that this page can do for its person.",
    }));
    await page.register(...tools);
    const client = await connectClient(bridge.mcpUrl);
    const listed = (await client.listTools()).tools;
    expect(listed.filter(({ name }) => name.startsWith("tool_")).length).toBeLessThan(20);
    const notice = await page.until(({ method }) => method === "bridge/notice");
    expect(notice.params?.message).toMatch(new RegExp(texts.toolsHaveNoRoomIn));
    expect(lines()).toContainEqual(
      expect.objectContaining({ msg: texts.offeredToolsAreNot, tools: expect.any(Number) }),
    );
    const finder = listed.find(({ name }) => name === "list-offered-tools");
    expect(finder?.description).toMatch(new RegExp(texts.offeredToolsAreNotIn));
    const roomy = await start();
    const other = await SocketPage.open(`${roomy.pagesUrl}/ws`);
    await other.register(...tools);
    const all = (await (await connectClient(roomy.mcpUrl)).listTools()).tools;
    expect(all.filter(({ name }) => name.startsWith("tool_"))).toHaveLength(30);
  });

  it("is that its own share of the list is used up, while other pages still have theirs", async () => {
    const bridge = await start({ offeredBytesPerProvider: 1_000 });
    const large = await open(bridge, "?tab=a");
    const small = await open(bridge, "?tab=b");
    await large.register(...Array.from({ length: 20 }, (_, index) => `large_${index}`));
    await small.register("small");
    const client = await connectClient(bridge.mcpUrl);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain("small");
    const listed = names.filter((name) => name.startsWith("large_")).length;
    expect(listed).toBeGreaterThan(0);
    expect(listed).toBeLessThan(20);
    await large.until(({ method }) => method === "bridge/notice");
    large.handlers.set("large_19", () => "reached");
    const reached = await call(client, "call-offered-tool", { name: "large_19" });
    expect(textOf(reached)).toBe("reached");
  });

  it("is that its answer was too large; its other calls go on", async () => {
    const bridge = await start({ pageMaxResultBytes: 65_536 });
    const page = await open(bridge);
    page.handlers.set("large", () => "x".repeat(100_000));
    page.handlers.set("small", () => "ok");
    await page.register("large", "small");
    const client = await connectClient(bridge.mcpUrl);
    await expect(call(client, "large")).rejects.toMatchObject({
      code: -32603,
      message: expect.stringContaining("too large"),
      data: { btcpCode: "RESULT_TOO_LARGE" },
    });
    expect(textOf(await call(client, "small"))).toBe("ok");
    await page.until(({ method }) => method === "bridge/notice");
  });

  it("is a refusal of a session that is full, with the setting", async () => {
    const bridge = await start({ maxSessionPages: 1 });
    await open(bridge, "?sessionId=s").then((page) => page.register("a"));
    const late = new SocketPage(`${bridge.pagesUrl}/ws?sessionId=s`);
    const refused = await late.until(({ method }) => method === "bridge/refused");
    expect(refused.params?.message).toContain("CC_PAGES_SESSION_MAX");
  });
});

it("a model hears of pages where they may connect, and finds those that are linked", async () => {
  const bridge = await start();
  const client = await connectClient(bridge.mcpUrl);
  expect(client.getInstructions()).toContain("Web pages");
  expect(textOf(await call(client, "list-computers"))).not.toContain("page");
  await (await open(bridge)).register("hello");
  expect(textOf(await call(client, "list-computers"))).toContain("1 page (list-offered-tools)");
  const without = await connectClient((await startTestBridge()).mcpUrl);
  expect(without.getInstructions()).not.toContain("Web pages");
});

it("a request without a stream is answered, and a response is not", async () => {
  const bridge = await start();
  const post = (body: object) =>
    fetch(`${bridge.pagesUrl.replace("ws", "http")}/message?sessionId=none`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Origin: origin },
      body: JSON.stringify({ jsonrpc: "2.0", ...body }),
    });
  const asked = await post({ id: 7, method: "tools/register", params: { tools: [] } });
  expect([asked.status, await asked.json()]).toMatchObject([409, { id: 7, error: {} }]);
  expect((await post({ id: "x", result: {} })).status).toBe(202);
});

it.each(["/pages.js", "/webmcp.js", "/pages.js?v=2"])(
  "%s is served to every origin: its client says why a page may not connect",
  async (path) => {
    const bridge = await start();
    for (const site of [origin, "http://other.example"]) {
      const headers = { Origin: site };
      const response = await fetch(bridge.pagesUrl.replace("ws", "http") + path, { headers });
      expect(response.status).toBe(200);
      expect(response.headers.get("access-control-allow-origin")).toBe("*");
      expect(response.headers.get("content-type")).toContain("text/javascript");
    }
  },
);
