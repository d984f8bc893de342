import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { texts } from "../../../../../vitest.texts.js";
import { RefusedError, Upstream, UpstreamError } from "../../../src/cli/stdio/upstream.js";
import type { JsonRpcMessage } from "../../../src/http/errors.js";
import { freePort } from "../../helpers/ports.js";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

async function connect(handler: Handler) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const received: JsonRpcMessage[] = [];
  const { port } = server.address() as AddressInfo;
  const upstream = new Upstream({
    url: `http://127.0.0.1:${port}/mcp`,
    credential: "hush",
    isTicket: true,
    receive: (message) => received.push(message),
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { upstream, received, requests };
}

const call: JsonRpcMessage = { jsonrpc: "2.0", id: 7, method: "tools/call", params: {} };
const result = { jsonrpc: "2.0", id: 7, result: {} };
const json = { "content-type": "application/json" };
const events = { "content-type": "text/event-stream" };

async function failure(sending: Promise<void>): Promise<Error & { acted?: string; code?: number }> {
  return sending.then(
    () => expect.unreachable("the message went through"),
    (error) => error,
  );
}

describe("an answer", () => {
  it("as JSON is passed on", async () => {
    const { upstream, received } = await connect((_, response) => {
      response.writeHead(200, json).end(JSON.stringify(result));
    });
    await upstream.send(call);
    expect(received).toEqual([result]);
  });

  it("as a stream is passed on message by message, however its bytes arrive", async () => {
    const progress = {
      jsonrpc: "2.0",
      method: "notifications/progress",
      params: { text: "\u20ac" },
    };
    const text = `: hello\n\n${[progress, result]
      .map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`)
      .join("")}`;
    const { upstream, received } = await connect(async (_, response) => {
      response.writeHead(200, events);
      for (const byte of Buffer.from(text)) {
        await new Promise((resolve) => response.write(Buffer.of(byte), resolve));
      }
      response.end();
    });
    await upstream.send(call);
    expect(received).toEqual([progress, result]);
  });

  it("to initialize gives the session and the version of what follows", async () => {
    const { upstream, requests } = await connect((request, response) => {
      if (request.method === "GET") response.writeHead(405).end();
      else if (request.headers["mcp-session-id"] !== undefined) response.writeHead(202).end();
      else {
        const answer = { ...result, result: { protocolVersion: "2025-06-18" } };
        response.writeHead(200, { ...json, "mcp-session-id": "s1" }).end(JSON.stringify(answer));
      }
    });
    await upstream.send({ ...call, method: "initialize" });
    await upstream.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    expect(requests[0]?.headers).toMatchObject({ authorization: "Bearer hush" });
    expect(requests[1]?.headers).toMatchObject({
      authorization: "Bearer hush",
      "mcp-session-id": "s1",
      "mcp-protocol-version": "2025-06-18",
    });
    await upstream.close();
    expect(requests.at(-1)).toMatchObject({ method: "DELETE" });
  });
});

describe("a message that certainly did not run", () => {
  it("is one that reached no listener", async () => {
    const upstream = new Upstream({
      url: `http://127.0.0.1:${await freePort()}/mcp`,
      credential: undefined,
      isTicket: true,
      receive: () => {},
    });
    const error = await failure(upstream.send(call));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ acted: "no", message: expect.stringContaining("ECONNREFUSED") });
  });

  it.each<{ what: string; handler: Handler }>([
    {
      what: "of an unknown session",
      handler: (_, response) =>
        response
          .writeHead(404, json)
          .end(JSON.stringify({ error: { code: -32_001, message: "Session not found." } })),
    },
    {
      what: "to a bridge that is closing",
      handler: (_, response) => response.writeHead(503).end(),
    },
    {
      what: "to a foreign server that says yes to everything",
      handler: (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("hi"),
    },
    {
      what: "to a foreign server that says no",
      handler: (_, response) => response.writeHead(403, json).end('{"error":"forbidden"}'),
    },
  ])("is one $what", async ({ handler }) => {
    const { upstream } = await connect(handler);
    const error = await failure(upstream.send(call));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ acted: "no" });
  });
});

describe("a message that may have run", () => {
  it.each<{ what: string; handler: Handler }>([
    { what: "before the answer", handler: (request) => void request.socket.destroy() },
    {
      what: "within the answer",
      handler: (request, response) => {
        response.writeHead(200, { ...json, "content-length": 100 }).write("{");
        setImmediate(() => request.socket.destroy());
      },
    },
    {
      what: "within a stream",
      handler: (request, response) => {
        response.writeHead(200, events).write(": wait\n\n", () => request.socket.destroy());
      },
    },
  ])("is one whose connection breaks $what", async ({ handler }) => {
    const { upstream } = await connect(handler);
    const error = await failure(upstream.send(call));
    expect(error).toBeInstanceOf(UpstreamError);
    expect(error).toMatchObject({ acted: "unknown" });
  });

  it.each([
    { what: "no answer", text: ": nothing\n\n" },
    {
      what: "the answer to another call",
      text: `data: ${JSON.stringify({ ...result, id: 8 })}\n\n`,
    },
  ])("is one whose stream ends with $what", async ({ text }) => {
    const { upstream } = await connect((_, response) => {
      response.writeHead(200, events).end(text);
    });
    expect(await failure(upstream.send(call))).toMatchObject({ acted: "unknown" });
  });
});

it("a refusal keeps the code and the text of the bridge", async () => {
  const { upstream } = await connect((_, response) => {
    const error = { code: -32_000, message: "This Host is not allowed." };
    response.writeHead(403, json).end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  });
  const error = await failure(upstream.send(call));
  expect(error).toBeInstanceOf(RefusedError);
  expect(error).toMatchObject({ code: -32_000, message: texts.thisHostIsNot });
});

it("a refused ticket means another bridge, which knows nothing yet", async () => {
  const { upstream } = await connect((_, response) => {
    const error = { code: -32_000, message: "This bridge wants a token." };
    response.writeHead(401, json).end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
  });
  expect(await failure(upstream.send(call))).toMatchObject({ acted: "no" });
});

it("a notification is done when it is accepted", async () => {
  const { upstream, received } = await connect((_, response) => response.writeHead(202).end());
  await upstream.send({ jsonrpc: "2.0", method: "notifications/cancelled" });
  expect(received).toEqual([]);
});

it("the notification stream of the bridge is reopened when it ended", async () => {
  const note = { jsonrpc: "2.0", method: "notifications/message" };
  let streams = 0;
  const { upstream, received } = await connect((request, response) => {
    if (request.method === "POST") response.writeHead(202).end();
    else {
      streams += 1;
      response.writeHead(200, events).end(`data: ${JSON.stringify(note)}\n\n`);
    }
  });
  await upstream.send({ jsonrpc: "2.0", method: "notifications/initialized" });
  await expect.poll(() => received).toEqual([note]);
  const ping = { jsonrpc: "2.0" as const, method: "notifications/roots/list_changed" };
  await expect.poll(() => upstream.send(ping).then(() => streams)).toBeGreaterThan(1);
});

it("closing does not wait for a bridge that hangs", async () => {
  const { upstream } = await connect((request, response) => {
    if (request.method === "DELETE") return;
    response.writeHead(200, { ...json, "mcp-session-id": "s1" }).end(JSON.stringify(result));
  });
  await upstream.send(call);
  await upstream.close();
});
