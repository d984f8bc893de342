import { describe, expect, it, vi } from "vitest";
import type { WebSocket } from "ws";
import { startWithTokens } from "../calls/helpers.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { Agent } from "./agent.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

function start(settings: Parameters<typeof startTestBridge>[0] = {}) {
  return startTestBridge({ pagesOrigins: [origin], ...settings });
}

async function openPage(bridge: TestBridge, session?: string): Promise<SocketPage> {
  const query = session === undefined ? "" : `?sessionId=${session}`;
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws${query}`);
  page.handlers.set("getPageContent", ({ selector }) => ({ content: selector, wordCount: 523 }));
  await page.register({
    name: "getPageContent",
    description: "Extracts the main content.",
    inputSchema: { type: "object", properties: { selector: { type: "string" } } },
  });
  return page;
}

describe("an agent that speaks the protocol of pages", () => {
  it("joins a session at the bare address, lists its tools and calls them for bare results", async () => {
    const bridge = await start();
    await openPage(bridge, "shop");
    const { agent, joined } = await Agent.open(bridge.pagesUrl, "shop");
    expect(joined).toEqual({ success: true, sessionId: "shop" });
    const tools = (await agent.send("tools/list")) as object[];
    expect(tools).toContainEqual({
      name: "getPageContent",
      title: "Get page content",
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
      description: expect.stringContaining("Extracts the main content."),
      inputSchema: { type: "object", properties: { selector: { type: "string" } } },
    });
    expect(await agent.names()).not.toContain("exec-lua");
    expect(await agent.call("getPageContent", { selector: "article" })).toEqual({
      content: "article",
      wordCount: 523,
    });
    expect(await agent.send("ping")).toEqual({ pong: true });
    expect(await agent.call("__btcp_request_capabilities", { capabilities: ["dom:read"] })).toEqual(
      { granted: ["dom:read"], denied: [], pending: [] },
    );
  });

  it("gets text, pictures and several blocks as they are", async () => {
    const bridge = await start();
    const page = await openPage(bridge);
    const blocks = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    page.handlers.set("words", () => "007");
    page.handlers.set("blocks", () => ({ content: blocks }));
    await page.register("words", "blocks");
    const { agent } = await Agent.open(bridge.pagesUrl);
    expect(await agent.call("words")).toBe("007");
    expect(await agent.call("blocks")).toEqual({ content: blocks });
  });

  it("gets words as error codes", async () => {
    const bridge = await start();
    const page = await openPage(bridge);
    page.handlers.set("fail", () => {
      throw { code: "CELL_NOT_FOUND", message: "There is no cell B9." };
    });
    page.handlers.set("failSoftly", () => ({
      content: [{ type: "text", text: "Not today." }],
      isError: true,
    }));
    await page.register(
      "fail",
      "failSoftly",
      { name: "write", capabilities: ["dom:write"] },
      {
        name: "add",
        inputSchema: { type: "object", properties: { a: { type: "number" } } },
      },
    );
    const { agent } = await Agent.open(bridge.pagesUrl);
    await expect(agent.call("nothing")).rejects.toMatchObject({ code: "TOOL_NOT_FOUND" });
    await expect(agent.call("exec-lua", { code: "" })).rejects.toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
    await expect(agent.call("add", { a: "x" })).rejects.toMatchObject({ code: "INVALID_PARAMS" });
    await expect(agent.call("write")).rejects.toMatchObject({ code: "CAPABILITY_DENIED" });
    await expect(agent.call("fail")).rejects.toEqual({
      code: "CELL_NOT_FOUND",
      message: "There is no cell B9.",
    });
    await expect(agent.call("failSoftly")).rejects.toEqual({
      code: "EXECUTION_ERROR",
      message: "Not today.",
    });
    await expect(agent.send("tools/erase")).rejects.toMatchObject({ code: "METHOD_NOT_FOUND" });
    await expect(agent.send("session/join", { sessionId: "a b" })).rejects.toMatchObject({
      code: "INVALID_PARAMS",
    });
    await expect(agent.send("session/join", { sessionId: "other" })).rejects.toMatchObject({
      code: "INVALID_REQUEST",
    });
  });

  it("sees only its session, and learns when tools change", async () => {
    const bridge = await start();
    const { agent } = await Agent.open(bridge.pagesUrl, "shop");
    expect(await agent.names()).not.toContain("getPageContent");
    await openPage(bridge);
    const shop = await openPage(bridge, "shop");
    await vi.waitFor(() => expect(agent.notices).toContain("tools/updated"));
    expect(await agent.names()).toContain("getPageContent");
    shop.socket.close();
    await vi.waitFor(async () => expect(await agent.names()).not.toContain("getPageContent"));
    await expect(agent.call("getPageContent")).rejects.toMatchObject({
      code: "TOOL_NOT_FOUND",
      message: expect.stringContaining("closed"),
    });
  });

  it("cancels a call, which is then not answered", async () => {
    const bridge = await start();
    const page = await openPage(bridge);
    page.handlers.set("slow", () => new Promise(() => {}));
    await page.register("slow");
    const { agent } = await Agent.open(bridge.pagesUrl);
    void agent.call("slow", {}, "call-1");
    await page.until(({ method }) => method === "tools/call");
    agent.note("notifications/cancelled", { requestId: "call-1" });
    await page.until(({ method }) => method === "notifications/cancelled");
    expect(await agent.send("ping", {}, "call-1")).toEqual({ pong: true });
  });

  it("needs the token of a client, and has that client's rights", async () => {
    const lines = "owner-token-0123456789\nreader-token-0123456789 name=reader mode=look";
    const bridge = await startWithTokens(lines, { pagesOrigins: [origin] });
    await openPage(bridge);
    const refused = (url: string, options?: WebSocket.ClientOptions) =>
      new Agent(url, options).refusal();
    expect(await refused(bridge.pagesUrl)).toContain("401");
    expect(await refused(`${bridge.pagesUrl}/wrong-token-0123456789`)).toContain("401");
    expect(await refused(`${bridge.pagesUrl}/owner-token-0123456789`, { origin })).toContain("403");
    const { agent } = await Agent.open(`${bridge.pagesUrl}/owner-token-0123456789`);
    expect(await agent.names()).toContain("getPageContent");
    const query = await Agent.open(`${bridge.pagesUrl}/?token=owner-token-0123456789`);
    expect(await query.agent.names()).toContain("getPageContent");
    const headers = { authorization: "Bearer reader-token-0123456789" };
    const reader = await Agent.open(bridge.pagesUrl, undefined, { headers });
    expect(await reader.agent.names()).not.toContain("getPageContent");
    await expect(reader.agent.call("getPageContent")).rejects.toMatchObject({
      code: "TOOL_NOT_FOUND",
    });
    await agent.call("getPageContent", { selector: "main" });
    expect(bridge.audit.trail.recent()).toContainEqual(
      expect.objectContaining({
        client: "line-1",
        tool: "getPageContent",
        request: { selector: "main" },
        providers: [`page ${origin}`],
        outcome: "ok",
      }),
    );
  });
});
