import { once } from "node:events";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startWireBridge, WirePage } from "../dashboard/helpers.js";
import type { TestBridge } from "../helpers/bridge.js";
import { SocketPage } from "../page/socket-page.js";

function strictParse(text: string): unknown {
  return JSON.parse(text, (key, value) => {
    for (const each of [key, value]) {
      if (typeof each === "string" && /\p{Cs}/u.test(each)) {
        throw new SyntaxError(`half a character in ${JSON.stringify(each)}`);
      }
    }
    return value;
  });
}

type RawClient = (method: string, params: object) => Promise<string>;

async function httpClient({ mcpUrl }: TestBridge): Promise<RawClient> {
  const headers: Record<string, string> = {
    "Content-Type": "application/json",
    Accept: "application/json, text/event-stream",
  };
  let ids = 0;
  const ask: RawClient = async (method, params) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params });
    const response = await fetch(mcpUrl, { method: "POST", headers, body });
    const session = response.headers.get("mcp-session-id");
    if (session !== null) headers["Mcp-Session-Id"] = session;
    const text = await response.text();
    const event = /^data: (.*)$/m.exec(text);
    return event?.[1] ?? text;
  };
  await ask("initialize", hello);
  return ask;
}

async function socketClient({ mcpUrl }: TestBridge): Promise<RawClient> {
  const ask = await askOver(new WebSocket(mcpUrl.replace(/^http/, "ws"), "mcp"));
  await ask("initialize", hello);
  return ask;
}

/** The transport of 2024: answers come over a stream. */
async function sseClient({ mcpUrl }: TestBridge): Promise<RawClient> {
  const gone = new AbortController();
  onTestFinished(() => gone.abort());
  const headers = { Accept: "text/event-stream" };
  const { body } = await fetch(`${mcpUrl}/sse`, { headers, signal: gone.signal });
  if (body === null) throw new Error("no stream");
  const events = eventsOf(body);
  const endpoint = new URL((await events.next()).value ?? "", mcpUrl);
  let ids = 0;
  const ask: RawClient = async (method, params) => {
    const id = ++ids;
    await fetch(endpoint, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
    });
    for (;;) {
      const { value: text = "{}" } = await events.next();
      strictParse(text);
      if (JSON.parse(text).id === id) return text;
    }
  };
  await ask("initialize", hello);
  return ask;
}

/** The protocol without sessions. Its headers repeat the method and the name, which must be ASCII there. */
async function sessionlessClient({ mcpUrl }: TestBridge): Promise<RawClient> {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": { name: "strict", version: "1" },
  };
  let ids = 0;
  return async (method, params) => {
    const { name, uri } = params as { name?: string; uri?: string };
    const subject = name ?? uri;
    if (!/^[!-~]*$/.test(`${method}${subject ?? ""}`)) return "{}";
    const response = await fetch(mcpUrl, {
      method: "POST",
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "Mcp-Protocol-Version": version,
        "Mcp-Method": method,
        ...(subject !== undefined && { "Mcp-Name": subject }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++ids, method, params: { ...params, _meta } }),
    });
    const text = await response.text();
    const messages = text.startsWith("{")
      ? [text]
      : [...text.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => data);
    for (const message of messages) strictParse(message);
    return messages.at(-1) ?? "{}";
  };
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
  let unread = "";
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    unread += chunk;
    const events = unread.split("\n\n");
    unread = events.pop() ?? "";
    for (const event of events) {
      const data = /^data: (.*)$/m.exec(event)?.[1];
      if (data !== undefined) yield data;
    }
  }
  return undefined;
}

/** An agent that speaks the protocol of pages; `tools/list` is a bare list. */
async function agentClient({ pagesUrl }: TestBridge): Promise<RawClient> {
  const ask = await askOver(new WebSocket(pagesUrl));
  return async (method, params) => {
    const text = await ask(method, params);
    if (method !== "tools/list") return text;
    return text.replace(/"result":(\[.*\])/, '"result":{"tools":$1}');
  };
}

async function askOver(socket: WebSocket): Promise<RawClient> {
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  let ids = 0;
  return (method, params) => {
    const id = ++ids;
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve, reject) => {
      socket.on("message", function hear(data) {
        const text = String(data);
        try {
          strictParse(text);
        } catch (error) {
          reject(error);
        }
        if (JSON.parse(text).id !== id) return;
        socket.off("message", hear);
        resolve(text);
      });
    });
  };
}

const hello = {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "strict", version: "1" },
};

const broken = fc
  .array(fc.oneof(fc.constantFrom("\ud83d", "\udc00", "a", "é", "😀"), fc.string()), {
    minLength: 1,
    maxLength: 6,
  })
  .map((parts) => parts.join(""));

it.each([
  ["streamable HTTP", httpClient],
  ["WebSocket", socketClient],
  ["SSE", sseClient],
  ["HTTP without sessions", sessionlessClient],
  ["the protocol of pages", agentClient],
] as const)("every answer over %s is well-formed, whatever a page writes", async (_, connect) => {
  const origin = "http://localhost:5173";
  const bridge = await startWireBridge({ pagesOrigins: [origin], structured: true });
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws`, origin);
  const view = await new WirePage(bridge).hello();
  const heard: string[] = [];
  for (const socket of [page.socket, view.socket]) {
    socket.on("message", (data) => heard.push(String(data)));
  }
  const [{ provider: { key = "" } = {} } = {}] = bridge.pages.list();
  view.watch("offers", { key });
  view.watch("activity", {});
  const ask = await connect(bridge);
  let text = "";
  page.handlers.set("text", () => text);
  page.handlers.set("described", () => text);
  page.handlers.set("value", () => ({ [text]: [text] }));
  page.handlers.set("blocks", () => ({
    content: [
      { type: "text", text },
      { type: "resource", resource: { uri: text || "x", text, mimeType: text } },
      { type: "resource_link", uri: text, name: text, title: text, mimeType: text },
      { type: "image", data: text, mimeType: text },
    ],
  }));
  const structuredContent = () => ({ [`k${text}`]: text });
  page.handlers.set("structured", () => ({ content: [], structuredContent: structuredContent() }));
  page.handlers.set("fail", () => {
    throw { code: text, message: text };
  });
  await fc.assert(
    fc.asyncProperty(broken, async (written) => {
      text = written;
      const properties = {
        [`p${text}`]: { description: text, enum: [text], default: text, title: text },
        q: { type: "string", pattern: `^${text}$`, description: text },
      };
      const described = { description: text, inputSchema: { type: "object", properties } };
      await page.register(
        ...["text", "value", "blocks", "structured", "fail"].map((name) => ({
          name,
          description: text,
        })),
        { name: "described", ...described },
        { name: `bad${text}`, inputSchema: 7 },
      );
      const list = strictParse(await ask("tools/list", {})) as { result: { tools: object[] } };
      expect(list.result.tools.length).toBeGreaterThan(3);
      const calls: [name: string, args: object][] = [
        ["list-offered-tools", {}],
        ["text", {}],
        ["value", {}],
        ["blocks", {}],
        ["structured", {}],
        ["fail", {}],
        ["described", { q: `${text}!` }],
        ["described", { [text]: text }],
        [`no${text}`, {}],
        ["exec-lua", { computerId: text, code: text }],
        ["read-file", { [text]: text }],
      ];
      for (const [name, args] of calls) {
        strictParse(await ask("tools/call", { name, arguments: args }));
      }
      strictParse(await ask("resources/read", { uri: `computer://${text}` }));
      strictParse(await ask(text, {}));
      for (const message of heard.splice(0)) strictParse(message);
    }),
    { numRuns: 20 },
  );
});
