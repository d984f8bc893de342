import { request } from "node:http";
import { describe, expect, it } from "vitest";
import { startTestBridge } from "../helpers/bridge.js";
import { initialize, initializeBody } from "../helpers/http.js";

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** node:http, because fetch does not allow setting Host. */
function ask(port: number, { method = "GET", path = "/mcp", headers = {}, body }: Asked) {
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const sent = request({ port, host: "127.0.0.1", method, path, headers }, (response) => {
        let text = "";
        // An opened stream counts as answered; it would not end.
        if (response.headers["content-type"] === "text/event-stream") {
          response.destroy();
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
        }
        response.on("data", (chunk) => {
          text += chunk;
        });
        response.on("end", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
        );
        response.on("error", () => {});
      });
      sent.on("error", reject);
      sent.end(body);
    },
  );
}

const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };
const init = JSON.stringify(initializeBody);
const ping = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const notification = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
const discover = JSON.stringify({ jsonrpc: "2.0", id: 7, method: "server/discover" });

const rows: [name: string, asked: Asked, status: number, text?: string][] = [
  ["initialize", { method: "POST", headers: json, body: init }, 200, "ccbridge"],
  [
    "a bad Host",
    { method: "POST", headers: { ...json, host: "evil.example" }, body: init },
    403,
    "Host",
  ],
  ["a bad Host on GET", { headers: { host: "evil.example:3000" } }, 403, "Host"],
  ["a bad Host on /health", { path: "/health", headers: { host: "evil.example" } }, 403, "Host"],
  [
    "a bad Host on an unknown route",
    { path: "/x", headers: { host: "evil.example" } },
    403,
    "Host",
  ],
  ["a Host that only begins well", { headers: { host: "127.0.0.1.evil.example" } }, 403, "Host"],
  [
    "a bad Origin",
    { method: "POST", headers: { ...json, origin: "https://evil.example" }, body: init },
    403,
    "Origin",
  ],
  ["a bad Origin on GET", { headers: { origin: "https://evil.example" } }, 403, "Origin"],
  [
    "a bad Origin on /health",
    { path: "/health", headers: { origin: "https://evil.example" } },
    403,
    "Origin",
  ],
  ["a bad Origin on DELETE", { method: "DELETE", headers: { origin: "null" } }, 403, "Origin"],
  ["another local page", { headers: { origin: "http://localhost:5173" } }, 403, "Origin"],
  [
    "a bad Origin's preflight",
    { method: "OPTIONS", headers: { origin: "https://evil.example" } },
    403,
    "Origin",
  ],
  [
    "its own Origin",
    {
      method: "POST",
      headers: { ...json, origin: "http://127.0.0.1:PORT", host: "127.0.0.1:PORT" },
      body: init,
    },
    200,
  ],
  [
    "localhost as Host",
    { method: "POST", headers: { ...json, host: "localhost:PORT" }, body: init },
    200,
  ],
  [
    "IPv6 loopback as Host",
    { method: "POST", headers: { ...json, host: "[::1]:PORT" }, body: init },
    200,
  ],
  ["health", { path: "/health" }, 200, '"ok":true,"computers":0'],
  ["an unknown route", { path: "/nowhere" }, 404, "/mcp"],
  ["no session", { method: "POST", headers: json, body: ping }, 400, "Mcp-Session-Id"],
  ["no session on GET", { headers: { accept: "text/event-stream" } }, 400, "Mcp-Session-Id"],
  ["no session on DELETE", { method: "DELETE" }, 400, "Mcp-Session-Id"],
  [
    "an unknown session",
    { method: "POST", headers: { ...json, "mcp-session-id": "x" }, body: ping },
    404,
    "this session ended: reconnect this server",
  ],
  [
    "an unknown session on GET",
    { headers: { accept: "text/event-stream", "mcp-session-id": "x" } },
    404,
    "this session ended: reconnect this server",
  ],
  ["an unknown session on DELETE", { method: "DELETE", headers: { "mcp-session-id": "x" } }, 404],
  [
    "a request",
    { method: "POST", headers: { ...json, "mcp-session-id": "SESSION" }, body: ping },
    200,
  ],
  ["a stream", { headers: { accept: "text/event-stream", "mcp-session-id": "SESSION" } }, 200],
  [
    "a notification",
    { method: "POST", headers: { ...json, "mcp-session-id": "SESSION" }, body: notification },
    202,
  ],
  ["deleting the session", { method: "DELETE", headers: { "mcp-session-id": "SESSION" } }, 200],
  [
    "a second initialize",
    { method: "POST", headers: { ...json, "mcp-session-id": "SESSION" }, body: init },
    400,
    "already initialized",
  ],
  [
    "a known version",
    {
      method: "POST",
      headers: { ...json, "mcp-session-id": "SESSION", "mcp-protocol-version": "2025-06-18" },
      body: ping,
    },
    200,
  ],
  [
    "an unknown version",
    {
      method: "POST",
      headers: { ...json, "mcp-session-id": "SESSION", "mcp-protocol-version": "1999-01-01" },
      body: ping,
    },
    400,
    "MCP-Protocol-Version",
  ],
  [
    "an unknown version on GET",
    {
      headers: {
        accept: "text/event-stream",
        "mcp-session-id": "SESSION",
        "mcp-protocol-version": "x",
      },
    },
    400,
  ],
  [
    "server/discover without a version",
    { method: "POST", headers: json, body: discover },
    400,
    '"code":-32601',
  ],
  [
    "server/discover without what every request of its generation carries",
    { method: "POST", headers: { ...json, "mcp-protocol-version": "2026-07-28" }, body: discover },
    400,
    '"missing":["_meta"]',
  ],
  [
    "server/discover in a session",
    { method: "POST", headers: { ...json, "mcp-session-id": "SESSION" }, body: discover },
    400,
    '"code":-32601',
  ],
  [
    "text/plain",
    { method: "POST", headers: { ...json, "content-type": "text/plain" }, body: init },
    415,
  ],
  ["no content type", { method: "POST", headers: { accept: json.accept }, body: init }, 415],
  ["a large body", { method: "POST", headers: json, body: `"${"x".repeat(5_000)}"` }, 413],
  ["broken JSON", { method: "POST", headers: json, body: "{" }, 400, '"code":-32700'],
  ["an empty body", { method: "POST", headers: json, body: "" }, 400, '"code":-32700'],
  ["no JSON-RPC", { method: "POST", headers: json, body: "{}" }, 400, '"code":-32600'],
  [
    "JSON-RPC with a stray field",
    {
      method: "POST",
      headers: { ...json, "mcp-session-id": "SESSION" },
      body: '{"jsonrpc":"2.0","id":1,"method":"ping","stray":1}',
    },
    400,
    '"code":-32600',
  ],
  [
    "a null id",
    {
      method: "POST",
      headers: { ...json, "mcp-session-id": "SESSION" },
      body: '{"jsonrpc":"2.0","id":null,"method":"ping"}',
    },
    400,
    '"code":-32600',
  ],
  ["an empty batch", { method: "POST", headers: json, body: "[]" }, 400, '"code":-32600'],
  [
    "initialize in a batch",
    { method: "POST", headers: json, body: `[${init},${ping}]` },
    400,
    "on its own",
  ],
  [
    "an Accept that fits nothing",
    { method: "POST", headers: { ...json, accept: "text/html" }, body: init },
    406,
  ],
  ["a browser's GET", { headers: { accept: "text/html" } }, 406],
  ["PUT", { method: "PUT", headers: json, body: ping }, 405],
  [
    "PATCH with text",
    { method: "PATCH", headers: { "content-type": "text/plain" }, body: "x" },
    405,
  ],
  ["OPTIONS", { method: "OPTIONS" }, 405],
];

describe("the MCP listener answers", () => {
  it.each(rows)("%s", async (_, asked, status, text) => {
    const bridge = await startTestBridge({ bodyLimitBytes: 4_096 });
    const session = await initialize(bridge.mcpUrl);
    const headers = Object.fromEntries(
      Object.entries(asked.headers ?? {}).map(([name, value]) => [
        name,
        value.replace("SESSION", session).replace("PORT", String(bridge.mcpPort)),
      ]),
    );
    const answer = await ask(bridge.mcpPort, { ...asked, headers });
    expect(answer.status).toBe(status);
    if (text !== undefined) expect(answer.text).toContain(text);
    if (status === 405) expect(answer.headers.allow).toBe("GET, POST, DELETE");
    if (status >= 400) expect(JSON.parse(answer.text)).toMatchObject({ jsonrpc: "2.0" });
  });

  it("accepts at most 4 MiB by default", async () => {
    const bridge = await startTestBridge();
    const body = (size: number) => JSON.stringify({ ...initializeBody, padding: "x".repeat(size) });
    const send = async (size: number) =>
      (await ask(bridge.mcpPort, { method: "POST", headers: json, body: body(size) })).status;
    expect(await send(4 * 1_024 * 1_024)).toBe(413);
    expect(await send(3.9 * 1_024 * 1_024)).toBe(400);
  });
});

describe("tokens", () => {
  it.each([
    ["none", {}, 401, 'Bearer realm="ccbridge"'],
    [
      "a wrong one",
      { authorization: "Bearer wrong" },
      401,
      'Bearer realm="ccbridge", error="invalid_token"',
    ],
    ["another scheme", { authorization: "Basic cmlnaHQ=" }, 401, 'Bearer realm="ccbridge"'],
    ["the right one", { authorization: "Bearer right" }, 200, undefined],
    ["the second right one", { authorization: "bearer also" }, 200, undefined],
  ])("%s", async (_, headers, status, challenge) => {
    const bridge = await startTestBridge({ mcpTokens: ["right", "also"] });
    const answer = await ask(bridge.mcpPort, {
      method: "POST",
      headers: { ...json, ...headers } as Record<string, string>,
      body: init,
    });
    expect(answer.status).toBe(status);
    expect(answer.headers["www-authenticate"]).toBe(challenge);
  });

  it("are checked before the body is read, on every method, but not on /health", async () => {
    const bridge = await startTestBridge({ mcpTokens: ["right"] });
    expect((await ask(bridge.mcpPort, { method: "POST", headers: json, body: "{" })).status).toBe(
      401,
    );
    expect((await ask(bridge.mcpPort, { method: "DELETE" })).status).toBe(401);
    expect((await ask(bridge.mcpPort, {})).status).toBe(401);
    const health = await ask(bridge.mcpPort, { path: "/health" });
    expect(health.status).toBe(200);
    expect(Object.keys(JSON.parse(health.text)).sort()).toEqual([
      "computers",
      "history",
      "lastLinkMsAgo",
      "lastRefusal",
      "linkPort",
      "name",
      "offeredServers",
      "ok",
      "pages",
      "servers",
      "sessions",
      "side",
      "uptimeMs",
      "version",
      "waiting",
    ]);
  });

  it("/health shows remote clients only that the bridge exists, and local ones its state", async () => {
    const bridge = await startTestBridge();
    const facts = async (headers: Record<string, string>) =>
      Object.keys(JSON.parse((await ask(bridge.mcpPort, { path: "/health", headers })).text));
    expect(await facts({})).toContain("lastRefusal");
    for (const header of [
      "x-forwarded-for",
      "x-forwarded-proto",
      "forwarded",
      "x-real-ip",
      "via",
    ]) {
      expect(await facts({ [header]: "192.0.2.7" })).toEqual([
        ...["ok", "computers", "waiting"],
        ...["name", "side"],
      ]);
    }
  });
});

describe("pages that the owner allowed", () => {
  it("get the headers that a browser asks for", async () => {
    const bridge = await startTestBridge({ mcpAllowedOrigins: ["https://app.example/"] });
    const origin = "https://app.example";
    const preflight = await ask(bridge.mcpPort, { method: "OPTIONS", headers: { origin } });
    expect(preflight.status).toBe(204);
    expect(preflight.headers["access-control-allow-headers"]).toContain("Mcp-Session-Id");
    const answer = await ask(bridge.mcpPort, {
      method: "POST",
      headers: { ...json, origin },
      body: init,
    });
    expect(answer.status).toBe(200);
    expect(answer.headers["access-control-allow-origin"]).toBe(origin);
    expect(answer.headers["access-control-expose-headers"]).toBe("Mcp-Session-Id");
  });

  it("and hosts that the owner allowed reach it", async () => {
    const bridge = await startTestBridge({ mcpAllowedHosts: ["Bridge.Lan"] });
    expect(
      (await ask(bridge.mcpPort, { path: "/health", headers: { host: "bridge.lan:80" } })).status,
    ).toBe(200);
  });
});
