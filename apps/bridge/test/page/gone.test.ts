import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startWithTokens } from "../calls/helpers.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";

const origin = "http://localhost:5173";

const left = {
  code: -32601,
  message: expect.stringMatching(new RegExp(texts.pageShopHttpLocalhost)),
  data: { btcpCode: "TOOL_NOT_FOUND" },
};

interface Caller {
  listTools(): Promise<{ tools: { name: string }[] }>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
}

const call = (client: Caller, name: string, args: Record<string, unknown> = {}) =>
  client.callTool({ name, arguments: args });

async function openShop(bridge: TestBridge, query = "") {
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws?name=Shop${query}`);
  await page.register("buy");
  return page;
}

async function isGone(client: Caller): Promise<void> {
  await vi.waitFor(async () => {
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain("buy");
  });
}

async function sessionless(bridge: TestBridge, query: string): Promise<Caller> {
  const options = { versionNegotiation: { mode: { pin: "2026-07-28" } }, capabilities: {} };
  const client = new Client({ name: "test", version: "0" }, options);
  onTestFinished(() => client.close());
  const url = new URL(bridge.mcpUrl + query);
  await client.connect(new StreamableHTTPClientTransport(url));
  return client as unknown as Caller;
}

const eras: [string, (bridge: TestBridge, query: string) => Promise<Caller>][] = [
  ["with a session", (bridge, query) => connectClient(bridge.mcpUrl + query)],
  ["without sessions", sessionless],
];

describe.each(eras)("a tool whose page left, called by a client %s", (_, connect) => {
  it.each(["", "s-1"])("is reported as such, in session '%s'", async (session) => {
    const bridge = await startTestBridge({ pagesOrigins: [origin] });
    const page = await openShop(bridge, session && `&sessionId=${session}`);
    const query = session && `?session=${session}`;
    const client = await connect(bridge, query);
    await client.listTools();
    page.socket.close();
    await isGone(client);
    await expect(call(client, "buy")).rejects.toMatchObject(left);
    await expect(call(client, "call-offered-tool", { name: "buy" })).rejects.toMatchObject(left);
    // One that connected later, as a client does for each call that keeps no connection.
    const later = await connect(bridge, query);
    await expect(call(later, "buy")).rejects.toMatchObject(left);
    const stranger = await connect(bridge, "?session=another");
    await expect(call(stranger, "buy")).rejects.toMatchObject({ code: -32602 });
  });
});

describe("a tool that is gone", () => {
  it("closed when its page closed, not when a client asked", async () => {
    const bridge = await startTestBridge({ pagesOrigins: [origin] });
    const page = await openShop(bridge);
    const client = await connectClient(bridge.mcpUrl);
    await client.listTools();
    await client.close();
    page.socket.close();
    await vi.waitFor(() => expect(bridge.pages.list()).toEqual([]));
    const closed = new Date();
    vi.useFakeTimers({ now: closed.getTime() + 7_200_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const later = await connectClient(bridge.mcpUrl);
    const error = await call(later, "buy").catch((problem: Error) => problem);
    const times = [closed.getTime(), closed.getTime() - 60_000].map((at) =>
      new Date(at).toTimeString().slice(0, 5),
    );
    const said = /closed at (\d\d:\d\d)/.exec((error as Error).message)?.[1];
    expect(times).toContain(said);
  });

  it("was taken back when its page is still there", async () => {
    const bridge = await startTestBridge({ pagesOrigins: [origin] });
    const page = await openShop(bridge);
    const client = await connectClient(bridge.mcpUrl);
    await client.listTools();
    await page.register("sell");
    await isGone(client);
    await expect(call(client, "buy")).rejects.toMatchObject({
      code: -32601,
      message: expect.stringContaining("took it back at"),
    });
  });

  it("is not reported to clients that could not have called it", async () => {
    const lines = [
      "owner-token-0123456789",
      "looker-token-0123456789 mode=look",
      "miner-token-0123456789 computers=12",
    ];
    const bridge = await startWithTokens(lines.join("\n"), { pagesOrigins: [origin] });
    const as = (name: string) =>
      connectClient(bridge.mcpUrl, { Authorization: `Bearer ${name}-token-0123456789` });
    const page = await openShop(bridge);
    const owner = await as("owner");
    await owner.listTools();
    page.socket.close();
    await isGone(owner);
    await expect(call(owner, "buy")).rejects.toMatchObject(left);
    for (const name of ["looker", "miner"]) {
      await expect(call(await as(name), "buy")).rejects.toMatchObject({ code: -32602 });
    }
  });
});
