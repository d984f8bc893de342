// Questions of a tool or a prompt to its client: in sessions during the call, without them by
// repeating the call. The tools are those of the conformance suite, with questions of every kind
// that MCP has.
import {
  type ClientCapabilities,
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { SSEClientTransport } from "@modelcontextprotocol/sdk/client/sse.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { WebSocketClientTransport } from "@modelcontextprotocol/sdk/client/websocket.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { WebSocket } from "ws";
import { texts } from "../../../../vitest.texts.js";
import { startFixtureServer } from "../conformance/server.js";

const LATEST = "2026-07-28";
const everything = { elicitation: {}, sampling: {}, roots: {} };
const sampled = {
  role: "assistant",
  model: "test-model",
  content: { type: "text", text: "Paris" },
} as const;
const folders = { roots: [{ uri: "file:///base", name: "base" }] };
const entered = { name: "Alice", color: "blue", ok: true };
const accepted = { action: "accept", content: entered } as const;

type Asked = { method: string; message?: unknown; schema?: unknown };

interface Person {
  call(name: string, args?: Record<string, unknown>): Promise<string>;
  prompt(name: string, args?: Record<string, string>): Promise<unknown[]>;
  readonly asked: readonly Asked[];
}

const textOf = (result: object) => {
  const { content } = result as { content: { type: string; text?: string }[] };
  return content[0]?.text ?? "";
};

type Reach = (url: URL) => Transport;

const streamable: Reach = (url) => new StreamableHTTPClientTransport(url);
const legacySse: Reach = (url) => new SSEClientTransport(new URL(`${url}/sse`));
const webSocket: Reach = ({ host }) => {
  vi.stubGlobal("WebSocket", WebSocket);
  onTestFinished(() => void vi.unstubAllGlobals());
  return new WebSocketClientTransport(new URL(`ws://${host}/mcp`));
};

async function withSession(capabilities: ClientCapabilities, reach = streamable): Promise<Person> {
  const asked: Asked[] = [];
  const client = new Client({ name: "test", version: "0" }, { capabilities });
  onTestFinished(() => client.close());
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler(ElicitRequestSchema, ({ method, params }) => {
      asked.push({ method, message: params.message, schema: Object(params).requestedSchema });
      return accepted;
    });
  }
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler(CreateMessageRequestSchema, ({ method }) => {
      asked.push({ method });
      return sampled;
    });
  }
  if (capabilities.roots !== undefined) {
    client.setRequestHandler(ListRootsRequestSchema, ({ method }) => {
      asked.push({ method });
      return folders;
    });
  }
  await client.connect(reach(new URL(await startFixtureServer())));
  return {
    asked,
    call: async (name, args = {}) => textOf(await client.callTool({ name, arguments: args })),
    prompt: async (name, args = {}) =>
      (await client.getPrompt({ name, arguments: args })).messages.map(({ content }) => content),
  };
}

async function withoutSession(capabilities: ClientCapabilities): Promise<Person> {
  const asked: Asked[] = [];
  const client = new ModernClient(
    { name: "test", version: "0" },
    { versionNegotiation: { mode: { pin: LATEST } }, capabilities },
  );
  onTestFinished(() => client.close());
  if (capabilities.elicitation !== undefined) {
    client.setRequestHandler("elicitation/create", ({ method, params }) => {
      asked.push({ method, message: params.message, schema: Object(params).requestedSchema });
      return accepted;
    });
  }
  if (capabilities.sampling !== undefined) {
    client.setRequestHandler("sampling/createMessage", ({ method }) => {
      asked.push({ method });
      return sampled;
    });
  }
  if (capabilities.roots !== undefined) {
    client.setRequestHandler("roots/list", ({ method }) => {
      asked.push({ method });
      return folders;
    });
  }
  await client.connect(new ModernTransport(new URL(await startFixtureServer())));
  return {
    asked,
    call: async (name, args = {}) => textOf(await client.callTool({ name, arguments: args })),
    prompt: async (name, args = {}) =>
      (await client.getPrompt({ name, arguments: args })).messages.map(({ content }) => content),
  };
}

describe.each([
  ["with a session", (can: ClientCapabilities) => withSession(can)],
  ["with a session on a WebSocket", (can: ClientCapabilities) => withSession(can, webSocket)],
  ["with a session on HTTP+SSE", (can: ClientCapabilities) => withSession(can, legacySse)],
  ["without a session", withoutSession],
])("a client %s", (_, connect) => {
  it("is asked for forms, its model's text and its folders, all at once", async () => {
    const { call, asked } = await connect(everything);
    const answers = JSON.parse(await call("test_input_required_result_multiple_inputs"));
    expect(answers).toMatchObject({
      user_name: accepted,
      greeting: sampled,
      client_roots: folders,
    });
    expect(asked.map(({ method }) => method).sort()).toEqual([
      "elicitation/create",
      "roots/list",
      "sampling/createMessage",
    ]);
  });

  it("is asked again after an answer, and its first answer is kept", async () => {
    const { call, asked } = await connect(everything);
    expect(JSON.parse(await call("test_input_required_result_multi_round"))).toEqual({
      step1: accepted,
      step2: accepted,
    });
    expect(asked.map(({ message }) => message)).toEqual([
      "Step 1: What is your name?",
      "Step 2: What is your favorite color?",
    ]);
  });

  it("gets forms with their defaults and choices as the tool wrote them", async () => {
    const { call, asked } = await connect(everything);
    await call("test_elicitation_sep1034_defaults");
    await call("test_elicitation_sep1330_enums");
    expect(asked).toMatchObject([
      {
        schema: {
          properties: {
            name: { type: "string", default: "John Doe" },
            age: { type: "integer", default: 30 },
            verified: { type: "boolean", default: true },
          },
        },
      },
      {
        schema: {
          properties: {
            titledSingle: { oneOf: [{ const: "value1", title: "First Option" }, {}, {}] },
            untitledMulti: { items: { enum: ["option1", "option2", "option3"] } },
          },
        },
      },
    ]);
  });

  it("is asked by a prompt too, and prompts hold pictures and resources", async () => {
    const { prompt, asked } = await connect(everything);
    expect(JSON.stringify(await prompt("test_input_required_result_prompt"))).toContain("Alice");
    expect(asked).toMatchObject([{ message: "What context should the prompt use?" }]);
    expect(await prompt("test_prompt_with_image")).toMatchObject([
      { type: "image", mimeType: "image/png" },
      { type: "text" },
    ]);
    const args = { resourceUri: "test://any" };
    expect(await prompt("test_prompt_with_embedded_resource", args)).toMatchObject([
      { type: "resource", resource: { uri: "test://any" } },
      { type: "text" },
    ]);
  });

  it("is asked only for what it supports", async () => {
    const { call, asked } = await connect({ sampling: {} });
    await call("test_input_required_result_capabilities");
    expect(asked).toEqual([{ method: "sampling/createMessage" }]);
  });
});

it("a session whose client cannot answer gets an error from the tool", async () => {
  const { call } = await withSession({ elicitation: {} });
  expect(await call("test_missing_capability")).toBe(
    texts.theClientDidNotAnswer + texts.nothingWasDoneCallAgain,
  );
});

it("a question that cannot be sent to a client is not waited for", async () => {
  const url = await startFixtureServer();
  const headers: Record<string, string> = { "content-type": "application/json" };
  const post = (message: object, accept: string) =>
    fetch(url, { method: "POST", headers: { ...headers, accept }, body: JSON.stringify(message) });
  const opened = await post(
    {
      ...{ jsonrpc: "2.0", id: 1, method: "initialize" },
      params: {
        protocolVersion: "2025-11-25",
        capabilities: { elicitation: {} },
        clientInfo: { name: "test", version: "0" },
      },
    },
    "application/json, text/event-stream",
  );
  headers["mcp-session-id"] = opened.headers.get("mcp-session-id") ?? "";
  const params = { name: "test_elicitation", arguments: { message: "?" } };
  const call = { jsonrpc: "2.0", id: 2, method: "tools/call", params };
  const answered = await post(call, "application/json");
  expect(await answered.json()).toMatchObject({
    result: {
      isError: true,
      content: [
        {
          text: expect.stringContaining(texts.didNotAnswerElicitationCreate),
        },
      ],
    },
  });
});

describe("a call without a session that ended with a question", () => {
  const meta = {
    "io.modelcontextprotocol/protocolVersion": LATEST,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };

  interface Answer {
    result?: {
      resultType?: string;
      inputRequests?: Record<string, unknown>;
      requestState?: string;
      content?: unknown[];
    };
    error?: { code: number; message: string; data?: unknown };
  }

  async function calls(software = "test") {
    const url = await startFixtureServer();
    return async (tool: string, params: object = {}) => {
      const name = `test_input_required_result_${tool}`;
      const clientInfo = { name: software, version: "0" };
      const _meta = { ...meta, "io.modelcontextprotocol/clientInfo": clientInfo };
      const response = await fetch(url, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          accept: "application/json, text/event-stream",
          "mcp-protocol-version": LATEST,
          "mcp-method": "tools/call",
          "mcp-name": name,
        },
        body: JSON.stringify({
          ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
          params: { name, arguments: {}, ...params, _meta },
        }),
      });
      return { status: response.status, ...((await response.json()) as Answer) };
    };
  }

  it("continues with an answer and its state, whatever else comes with them", async () => {
    const call = await calls();
    const { result } = await call("multi_round");
    expect(Object.keys(result?.inputRequests ?? {})).toEqual(["step1"]);
    const { requestState } = result ?? {};
    const inputResponses = { step1: accepted, other: accepted };
    const second = await call("multi_round", { inputResponses, requestState });
    expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(["step2"]);
    expect(second.result?.requestState).not.toBe(requestState);
    const third = await call("multi_round", {
      inputResponses: { step2: accepted },
      requestState: second.result?.requestState,
    });
    expect(third.result).toMatchObject({ resultType: "complete", content: [{}] });
  });

  it("asks again for what is missing or is not an answer", async () => {
    const call = await calls();
    for (const inputResponses of [{ wrong: accepted }, { user_name: 12_345 }, {}]) {
      const { result } = await call("elicitation", { inputResponses });
      expect(result).toMatchObject({ resultType: "input_required" });
      expect(Object.keys(result?.inputRequests ?? {})).toEqual(["user_name"]);
    }
  });

  it("is refused with a state that was changed, is of another call, or of another bridge", async () => {
    const call = await calls();
    const { result } = await call("multi_round");
    const { requestState = "" } = result ?? {};
    const { result: elsewhere } = await (await calls())("multi_round");
    const refused = { code: -32_602, message: expect.stringContaining("requestState") };
    const inputResponses = { step1: accepted, user_name: accepted };
    for (const [tool, state] of [
      ["multi_round", `${requestState}x`],
      ["multi_round", requestState.replace(/^v1\../, "v1.f")],
      ["multi_round", elsewhere?.requestState],
      ["elicitation", requestState],
    ] as const) {
      const answer = await call(tool, { inputResponses, requestState: state });
      expect(answer).toMatchObject({ error: refused });
    }
  });

  it("is refused at once when the client does not answer such questions", async () => {
    const call = await calls();
    expect(await call("sampling")).toMatchObject({
      status: 400,
      error: { code: -32_021, data: { requiredCapabilities: { sampling: {} } } },
    });
  });
});
