import { once } from "node:events";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { WebSocket } from "ws";
import { startTestBridge, type TestBridge } from "../helpers/bridge.js";
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
  const socket = new WebSocket(mcpUrl.replace(/^http/, "ws"), "mcp");
  onTestFinished(() => socket.terminate());
  await once(socket, "open");
  let ids = 0;
  const ask: RawClient = (method, params) => {
    const id = ++ids;
    socket.send(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
    return new Promise((resolve) => {
      socket.on("message", function hear(data) {
        const text = String(data);
        if (JSON.parse(text).id !== id) return;
        socket.off("message", hear);
        resolve(text);
      });
    });
  };
  await ask("initialize", hello);
  return ask;
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
] as const)("every answer over %s is well-formed, whatever a page writes", async (_, connect) => {
  const origin = "http://localhost:5173";
  const bridge = await startTestBridge({ pagesOrigins: [origin], structured: false });
  const page = await SocketPage.open(`${bridge.pagesUrl}/ws`, origin);
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
        ...["text", "value", "blocks", "fail"].map((name) => ({ name, description: text })),
        { name: "described", ...described },
        { name: `bad${text}`, inputSchema: 7 },
      );
      const list = strictParse(await ask("tools/list", {})) as { result: { tools: object[] } };
      expect(list.result.tools.length).toBeGreaterThan(4);
      const calls: [name: string, args: object][] = [
        ["list-offered-tools", {}],
        ["text", {}],
        ["value", {}],
        ["blocks", {}],
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
    }),
    { numRuns: 20 },
  );
});
