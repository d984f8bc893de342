import { once } from "node:events";
import { request } from "node:http";
import type { ProviderSession } from "@ccbridge/registry";
import { describe, expect, it, vi } from "vitest";
import { WebSocket } from "ws";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
import { recordingLogger } from "../helpers/recording-logger.js";
import { connectClient } from "../helpers/sdk-client.js";
import { SocketPage } from "./socket-page.js";
import { StreamPage } from "./stream-page.js";

const origin = "http://localhost:5173";
const patience = { timeoutMs: 5_000 };

function start(settings: Parameters<typeof startTestBridge>[0] = {}) {
  return startTestBridge({ pagesOrigins: [origin], ...settings });
}

async function linked(bridge: TestBridge, count = 1): Promise<ProviderSession[]> {
  return vi.waitFor(() => {
    const sessions = [...bridge.registry.sessions()];
    expect(sessions).toHaveLength(count);
    return sessions;
  });
}

function offered(bridge: TestBridge): string[] {
  return [...bridge.registry.offered.all().values()].flatMap(({ tools }) =>
    tools.map(({ name }) => name),
  );
}

function call(session: ProviderSession, name: string, args: object = {}) {
  return session.request("call-tool", { name, arguments: args }, patience);
}

describe("the port of pages", () => {
  it("is closed unless pages have origins or tokens", async () => {
    expect((await startTestBridge()).pagesPort).toBeUndefined();
    expect((await startTestBridge({ pagesTokens: ["t"] })).pagesPort).toBeGreaterThan(0);
  });

  it("explains itself to a browser or curl", async () => {
    const { pagesPort } = await start();
    const url = `http://127.0.0.1:${pagesPort}`;
    expect((await fetch(`${url}/ws`)).status).toBe(426);
    expect((await fetch(url)).status).toBe(404);
    expect((await fetch(`${url}/message`, { method: "POST", body: "{}" })).status).toBe(415);
  });

  it("closes the connections of pages when the bridge stops", async () => {
    const bridge = await start();
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    await page.register("a");
    const closed = page.closed();
    await bridge.close();
    expect((await closed).code).toBe(1001);
  });
});

describe("a page by WebSocket", () => {
  it.each([
    "/ws?sessionId=S&clientType=browser&version=1.0.0",
    "//ws?sessionId=S&clientType=browser&version=1.0.0",
    "/x/ws?sessionId=S",
    "/ws?token=1&sessionId=S",
    "/ws",
  ])("connects at %s and is called", async (path) => {
    const bridge = await start();
    const page = await SocketPage.open(`${bridge.pagesUrl}${path}`);
    page.handlers.set("add", ({ a }) => ({ content: [{ type: "text", text: `got ${a}` }] }));
    expect(await page.register("add")).toMatchObject({ result: { registered: 1 } });
    const [session] = await linked(bridge);
    expect(await call(session as ProviderSession, "add", { a: 1 })).toEqual({
      ok: true,
      result: { content: [{ type: "text", text: "got 1" }] },
    });
  });

  it("creates a session as documented and answers with bare values", async () => {
    const bridge = await start();
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    const created = await page.ask("session/create", {});
    expect(created.result).toMatchObject({ sessionId: expect.any(String) });
    page.handlers.set("count", () => ({ content: "Page text", wordCount: 150 }));
    page.handlers.set("fail", () => {
      throw { code: "CELL_NOT_FOUND", message: "No cell A1" };
    });
    await page.register("count", "fail");
    const [session] = await linked(bridge);
    expect(await call(session as ProviderSession, "count")).toMatchObject({
      result: { wordCount: 150 },
    });
    expect(await call(session as ProviderSession, "fail")).toMatchObject({
      ok: false,
      error: "No cell A1",
      result: { btcpCode: "CELL_NOT_FOUND" },
    });
  });

  it("that went away and came back may answer late", async () => {
    const bridge = await start();
    const url = `${bridge.pagesUrl}/ws?sessionId=S`;
    const first = await SocketPage.open(url);
    await first.register("slow");
    const [session] = await linked(bridge);
    const lost = call(session as ProviderSession, "slow");
    const { id } = await first.until(({ method }) => method === "tools/call");
    const failed = expect(lost).rejects.toMatchObject({ code: "disconnected" });
    first.socket.terminate();
    await failed;
    const second = await SocketPage.open(url);
    await second.register("slow");
    const [again] = await linked(bridge);
    const right = call(again as ProviderSession, "slow");
    const next = await second.until(({ method }) => method === "tools/call");
    second.send({ id: id ?? null, result: "late" });
    second.send({ id: next.id ?? null, result: "right" });
    expect(await right).toEqual({ ok: true, result: "right" });
  });

  it("may send twice the largest result before it is closed", async () => {
    const bridge = await start();
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    page.send({ id: 1, result: "x".repeat(4_000_000) });
    expect(await page.register("a")).toMatchObject({ result: { registered: 1 } });
    const client = await connectClient(bridge.mcpUrl);
    await expect.poll(() => bridge.registry.offered.all().size).toBe(1);
    page.handlers.set("a", () => "x".repeat(8_400_000));
    const calling = client.callTool({ name: "a", arguments: {} }).catch((error: Error) => error);
    expect((await page.closed()).code).toBe(1009);
    expect(await calling).toMatchObject({
      code: -32603,
      message: expect.stringContaining(texts.largerThanTheMaximum),
    });
  });
});

describe("a page by HTTP", () => {
  it("registers over POST, is called over its stream and answers over POST", async () => {
    const bridge = await start();
    const page = new StreamPage(`${bridge.pagesUrl}/`, "S");
    await page.listen();
    page.handlers.set("add", ({ a }) => a);
    expect(await page.register("add")).toMatchObject({ result: { registered: 1 } });
    const [session] = await linked(bridge);
    expect(await call(session as ProviderSession, "add", { a: 7 })).toEqual({
      ok: true,
      result: 7,
    });
    for (const response of await Promise.all(page.posted)) {
      expect(response.status).toBe(202);
      expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    }
  });

  it("with two streams gets each call once, on the newest, and lives while one is left", async () => {
    const bridge = await start();
    const page = new StreamPage(bridge.pagesUrl, "S");
    await page.listen();
    const run = vi.fn(() => "once");
    page.handlers.set("run", run);
    await page.register("run");
    await page.listen();
    const [session] = await linked(bridge);
    expect(await call(session as ProviderSession, "run")).toMatchObject({ result: "once" });
    page.breakStream(1);
    await page.listen();
    expect(await call(session as ProviderSession, "run")).toMatchObject({ result: "once" });
    expect(run).toHaveBeenCalledTimes(2);
    page.disconnect();
    await linked(bridge, 0);
  });

  it("is answered 202 even when its stream is gone: its client could not bear another", async () => {
    const bridge = await start();
    const page = new StreamPage(bridge.pagesUrl, "S");
    page.send({ id: "old", result: 1 });
    expect((await page.posted[0])?.status).toBe(202);
  });

  it("may ask before it posts", async () => {
    const { pagesPort } = await start();
    const response = await fetch(`http://127.0.0.1:${pagesPort}/message`, {
      method: "OPTIONS",
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "content-type,x-session-id",
      },
    });
    expect(response.status).toBe(204);
    expect(response.headers.get("access-control-allow-origin")).toBe(origin);
    expect(response.headers.get("access-control-allow-headers")).toMatch(/x-session-id/i);
    expect(response.headers.get("vary")).toBe("Origin");
  });
});

describe("who may connect", () => {
  it.each([
    "http://localhost:5174",
    "http://127.0.0.1:5173",
    "https://localhost:5173",
    "http://localhost:5173.evil.example",
    "http://evil.example",
  ])("not a page of %s: its console and the log show what to change", async (stranger) => {
    const { log, lines } = recordingLogger();
    const bridge = await startTestBridge({ pagesOrigins: [origin] }, log);
    const page = new SocketPage(`${bridge.pagesUrl}/ws`, stranger);
    const { params } = await page.until(({ method }) => method === "bridge/refused");
    expect(params?.message).toContain(`Add ${stranger} to CC_PAGES_ORIGINS`);
    expect((await page.closed()).code).toBe(4403);
    expect(bridge.registry.size).toBe(0);
    expect(lines()).toContainEqual(
      expect.objectContaining({ msg: "page refused", reason: expect.stringContaining(stranger) }),
    );
  });

  it("not a page with the origin null, even with a token", async () => {
    const bridge = await start({ pagesTokens: ["secret"] });
    const page = new SocketPage(`${bridge.pagesUrl}/secret/ws`, "null");
    await page.until(({ method }) => method === "bridge/refused");
  });

  it("not a page that pretends to be this listener", async () => {
    const bridge = await start();
    const own = `http://127.0.0.1:${bridge.pagesPort}`;
    const page = new SocketPage(`${bridge.pagesUrl}/ws`, own);
    await page.until(({ method }) => method === "bridge/refused");
    const status = (host: string) =>
      new Promise((resolve) => {
        const headers = { Host: `${host}:${bridge.pagesPort}` };
        const asked = request(`${own}/events`, { headers }, (response) => {
          resolve(response.statusCode);
          asked.destroy();
        });
        asked.end();
      });
    expect(await status("evil.example")).toBe(403);
    expect(await status("localhost")).toBe(200);
  });

  it("not a foreign page by HTTP, which cannot even read the reason", async () => {
    const { pagesPort } = await start();
    const response = await fetch(`http://127.0.0.1:${pagesPort}/events`, {
      headers: { Origin: "http://evil.example" },
    });
    expect(response.status).toBe(403);
    expect(response.headers.get("access-control-allow-origin")).toBeNull();
  });

  it("a page with a token, in the path or in the query", async () => {
    const bridge = await start({ pagesOrigins: [], pagesTokens: ["secret"] });
    for (const path of ["/secret/ws", "/ws?token=secret"]) {
      const page = await SocketPage.open(`${bridge.pagesUrl}${path}`, "https://other.example");
      expect(await page.register("a")).toMatchObject({ result: { registered: 1 } });
    }
    const wrong = new SocketPage(`${bridge.pagesUrl}/wrong/ws`, "https://other.example");
    await wrong.until(({ method }) => method === "bridge/refused");
    const program = new SocketPage(`${bridge.pagesUrl}/ws`, undefined);
    await program.until(({ method }) => method === "bridge/refused");
  });

  it("a program of this machine, where no tokens are set", async () => {
    const bridge = await start();
    const socket = new WebSocket(`${bridge.pagesUrl}/ws?sessionId=S`);
    await once(socket, "open");
    const [session] = await linked(bridge);
    expect(session?.name).toBe("page (a program)");
    socket.terminate();
  });
});

describe("abuse", () => {
  it("of lists, schemas and names costs the page alone", async () => {
    const bridge = await start();
    const good = await SocketPage.open(`${bridge.pagesUrl}/ws?sessionId=good`);
    await good.register("fine");
    const bad = await SocketPage.open(`${bridge.pagesUrl}/ws?sessionId=bad`);
    const many = Array.from({ length: 10_000 }, (_, i) => `t${i}`);
    expect(await bad.register(...many)).toMatchObject({ result: { registered: 100 } });
    const large = { name: "large", inputSchema: { type: "object", title: "x".repeat(1_000_000) } };
    expect(await bad.register(large, "small")).toMatchObject({ result: { registered: 1 } });
    bad.socket.send(
      '{"jsonrpc":"2.0","id":"p","method":"tools/register","params":{"tools":[{"name":"__proto__","inputSchema":{"__proto__":{"type":"string"}}},{"name":"constructor"}],"__proto__":{"x":1}}}',
    );
    expect(await bad.until(({ id }) => id === "p")).toMatchObject({ result: { registered: 2 } });
    expect(offered(bridge)).toEqual(["fine", "__proto__", "constructor"]);
    expect(({} as { x?: number }).x).toBeUndefined();
  });

  it("by a flood leaves the others alone", async () => {
    const bridge = await start();
    const good = await SocketPage.open(`${bridge.pagesUrl}/ws?sessionId=good`);
    good.handlers.set("fine", () => "fine");
    await good.register("fine");
    const [session] = await linked(bridge);
    const bad = await SocketPage.open(`${bridge.pagesUrl}/ws?sessionId=bad`);
    for (let i = 0; i < 5_000; i++) {
      bad.send({ id: i, method: "tools/register", params: { tools: [{ name: `t${i}` }] } });
      bad.send({ id: `x${i}`, result: i });
    }
    expect(await call(session as ProviderSession, "fine")).toMatchObject({ result: "fine" });
    await bad.until(({ id }) => id === 4_999);
  });

  it("by invalid frames ends the connection", async () => {
    const bridge = await start();
    const page = await SocketPage.open(`${bridge.pagesUrl}/ws`);
    for (let i = 0; i < 50; i++) page.socket.send("[".repeat(10_000));
    expect((await page.closed()).code).toBe(1008);
  });
});
