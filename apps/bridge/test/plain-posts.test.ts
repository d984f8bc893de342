import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { ToolSession } from "@ccbridge/mcp-tools";
import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { CallGate } from "../src/mcp/sdk/calls.js";
import { Outlets } from "../src/mcp/transport/outlets.js";
import { closeOf, rawSocket } from "./abuse/helpers.js";
import { startTestBridge } from "./helpers/bridge.js";
import { endlessProgram, linkComputer } from "./helpers/computer.js";
import { initialize, post } from "./helpers/http.js";
import { startWithTokens } from "./rights/helpers.js";

// Calls of tools that are plainly right do not pass Fastify. Its routes take whatever has no length in its
// head, so that both ways can be compared. Nobody may notice which it was.

const token = "a-token-that-is-long-enough-for-anybody";

interface Post {
  headers: Record<string, string>;
  /** What is sent, in pieces. */
  pieces: Buffer[];
}

/** One connection that is kept, as clients keep theirs: what one request shows must not count for the next. */
function keptConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

/** Sends a body with its length in the head, or in chunks. */
async function send(url: string, { headers, pieces }: Post, whole: boolean, agent: Agent) {
  const length = String(pieces.reduce((sum, piece) => sum + piece.length, 0));
  const sent = request(url, {
    method: "POST",
    agent,
    headers: whole ? { ...headers, "content-length": length } : headers,
  });
  sent.flushHeaders();
  // Each piece is on its way before the next.
  for (const piece of pieces) await new Promise((resolve) => sent.write(piece, resolve));
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  let body = "";
  for await (const piece of response.setEncoding("utf8")) body += piece;
  const { date: _, ...answered } = response.headers;
  return { status: response.statusCode, headers: answered, body };
}

const usually = <T>(value: T, ...others: T[]) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(value) },
    { weight: 2, arbitrary: fc.constantFrom(value, ...others) },
  );

const call = (params: object) => ({ jsonrpc: "2.0", method: "tools/call", params });

it("a POST is answered the same with Fastify and without", async () => {
  const bridge = await startTestBridge({ structured: false, mcpTokens: [token, "another-token"] });
  await linkComputer(bridge.linkUrl, { computerId: 1, label: "base" });
  const authorization = `Bearer ${token}`;
  const session = await initialize(bridge.mcpUrl, { authorization });
  let id = 0;
  const given = fc.record({
    host: usually<string | undefined>(undefined, "evil.example", "localhost"),
    authorization: usually<string | undefined>(authorization, undefined, "Bearer another-token"),
    session: usually<string | undefined>(session, undefined, "no-such-session"),
    type: usually("application/json", "text/plain", "application/json; charset=utf-8"),
    accept: usually(
      "application/json, text/event-stream",
      "application/json",
      "text/event-stream",
      "text/html",
    ),
    version: usually<string | undefined>(undefined, "2025-06-18", "1999-01-01"),
    origin: usually<string | undefined>(undefined, "http://evil.example"),
    body: fc.oneof(
      {
        weight: 4,
        arbitrary: fc.constantFrom<unknown>(
          call({ name: "probe-computers" }),
          call({ name: "list-jobs", arguments: {} }),
          call({ name: "exec-lua", arguments: { computerId: "ü\u{1f422}", code: "return 1" } }),
          call({ name: "none" }),
        ),
      },
      {
        weight: 2,
        arbitrary: fc.constantFrom<unknown>(
          call({ name: 1 }),
          { jsonrpc: "2.0", method: "tools/none", params: {} },
          { jsonrpc: "2.0", method: "ping" },
          { jsonrpc: "1.0", method: "tools/call", params: { name: "list-jobs" } },
          [],
          "text",
        ),
      },
    ),
    broken: usually("", "}", "\u0000"),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  const statuses = new Set<number | undefined>();
  const connections = [keptConnection(), keptConnection()] as const;
  await fc.assert(
    fc.asyncProperty(given, async (one) => {
      const headers: Record<string, string> = { "content-type": one.type, accept: one.accept };
      const optional = {
        host: one.host,
        authorization: one.authorization,
        "mcp-session-id": one.session,
        "mcp-protocol-version": one.version,
        origin: one.origin,
      };
      for (const [name, value] of Object.entries(optional)) {
        if (value !== undefined) headers[name] = value;
      }
      id += 1;
      const message = Object.prototype.toString.call(one.body) === "[object Object]";
      const value = message ? { ...(one.body as object), id } : one.body;
      const bytes = Buffer.from(JSON.stringify(value) + one.broken);
      const at = Math.round(one.cut * bytes.length);
      const pieces = [bytes.subarray(0, at), bytes.subarray(at)].filter(({ length }) => length > 0);
      const direct = await send(bridge.mcpUrl, { headers, pieces }, true, connections[0]);
      const routed = await send(bridge.mcpUrl, { headers, pieces }, false, connections[1]);
      statuses.add(direct.status);
      expect(direct).toEqual(routed);
    }),
    { numRuns: 250 },
  );
  // The comparison would say nothing if all of them were refused.
  expect(statuses).toContain(200);
  expect(statuses).toContain(401);
});

it("a plain call does not pass through the routes, and any other request does", async () => {
  const bridge = await startTestBridge({});
  const session = await initialize(bridge.mcpUrl);
  const routed = vi.spyOn(Outlets.prototype, "open");
  onTestFinished(() => routed.mockRestore());
  const headers = {
    "content-type": "application/json",
    accept: "application/json",
    "mcp-session-id": session,
  };
  const agent = keptConnection();
  const body = (message: object) => [Buffer.from(JSON.stringify(message))];
  const pieces = body({ ...call({ name: "list-jobs" }), id: 1 });
  expect((await send(bridge.mcpUrl, { headers, pieces }, true, agent)).status).toBe(200);
  expect(routed).not.toHaveBeenCalled();
  expect((await send(bridge.mcpUrl, { headers, pieces }, false, agent)).status).toBe(200);
  expect(routed).toHaveBeenCalledTimes(1);
  const ping = body({ jsonrpc: "2.0", id: 2, method: "ping" });
  expect((await send(bridge.mcpUrl, { headers, pieces: ping }, true, agent)).status).toBe(200);
  expect(routed).toHaveBeenCalledTimes(2);
});

it("a connection that was recognized shows its token again once the tokens changed", async () => {
  const bridge = await startWithTokens("t-one-and-only\nt-another\n");
  const authorization = "Bearer t-one-and-only";
  const session = await initialize(bridge.mcpUrl, { authorization });
  const agent = keptConnection();
  const ask = async (headers: Record<string, string>) => {
    const pieces = [Buffer.from(JSON.stringify({ ...call({ name: "list-jobs" }), id: 1 }))];
    const common = {
      "content-type": "application/json",
      accept: "application/json",
      "mcp-session-id": session,
    };
    return (await send(bridge.mcpUrl, { headers: { ...common, ...headers }, pieces }, true, agent))
      .status;
  };
  expect(await ask({ authorization })).toBe(200);
  expect(await ask({ authorization: "Bearer t-wrong" })).toBe(401);
  // The session is another client's.
  expect(await ask({ authorization: "Bearer t-another" })).toBe(404);
  expect(await ask({})).toBe(401);
  expect(await ask({ authorization, host: "evil.example" })).toBe(403);
  expect(await ask({ authorization })).toBe(200);
  bridge.write("t-another\n");
  bridge.reload();
  expect(await ask({ authorization })).toBe(401);
});

it("a fault before a call is made is answered, and leaves its place to others", async () => {
  const bridge = await startTestBridge({});
  const session = await initialize(bridge.mcpUrl);
  const ended = vi.spyOn(CallGate.prototype, "end");
  vi.spyOn(ToolSession.prototype, "call").mockImplementationOnce(() => {
    throw new Error("a fault");
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const body = { ...call({ name: "list-jobs" }), id: 1 };
  const response = await post(bridge.mcpUrl, { session, body });
  expect(await response.text()).toContain("a fault");
  expect(ended).toHaveBeenCalledTimes(1);
});

it("a connection may not have more calls open than any other requests", async () => {
  const bridge = await startTestBridge({});
  const { code, programs } = endlessProgram();
  await linkComputer(bridge.linkUrl, { computerId: 1, programs });
  const session = await initialize(bridge.mcpUrl);
  const { port } = new URL(bridge.mcpUrl);
  const socket = await rawSocket(Number(port));
  const posts = Array.from({ length: 50 }, (_, id) => {
    const body = JSON.stringify({
      ...call({ name: "exec-lua", arguments: { computerId: 1, code } }),
      id,
    });
    return (
      `POST /mcp HTTP/1.1\r\nHost: localhost:${port}\r\nContent-Type: application/json\r\n` +
      `Accept: application/json\r\nMcp-Session-Id: ${session}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    );
  });
  socket.write(posts.join(""));
  // None of them is ever answered, so nothing else would end it.
  await closeOf(socket);
  const body = { ...call({ name: "probe-computers" }), id: 99 };
  const response = await post(bridge.mcpUrl, { session, body });
  expect(await response.text()).toContain("pong from 1");
});
