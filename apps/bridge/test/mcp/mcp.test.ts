import { selectTools } from "@ccbridge/mcp-tools";
import type { Run } from "@ccbridge/registry/testing";
import { describe, expect, it, vi } from "vitest";
import { texts } from "../../../../vitest.texts.js";
import { startTestBridge } from "../helpers/bridge.js";
import { endlessProgram, linkComputer } from "../helpers/computer.js";
import { initialize, initializeBody, post } from "../helpers/http.js";
import { callTool, connectClient } from "../helpers/sdk-client.js";

const allTools = selectTools(["all"], { servers: false, folders: [] }).filter(
  ({ listedWith, listedWhile }) => listedWith === undefined && listedWhile === undefined,
);

describe("the SDK's client", () => {
  it("finds instructions and tools with nothing linked", async () => {
    const bridge = await startTestBridge();
    const client = await connectClient(bridge.mcpUrl);
    expect(client.getServerVersion()).toMatchObject({ name: "ccbridge", version: "1.2.3" });
    expect(client.getInstructions()).toContain("list-computers");
    const { tools } = await client.listTools();
    const always = allTools.filter(({ listedWhile }) => listedWhile === undefined);
    expect(tools.map(({ name }) => name)).toEqual(always.map(({ name }) => name));
    for (const tool of tools) {
      expect(tool.inputSchema.type).toBe("object");
      // Pages may answer anything, so this tool has no output schema.
      const promised = tool.name === "call-offered-tool" ? undefined : "object";
      expect(tool.outputSchema?.type).toBe(promised);
      expect(tool.title).toBeTruthy();
    }
    expect((await callTool(client, "probe-computers")).text).toBe("No computers connected.");
  });

  it("probes computers and runs Lua on them", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, { computerId: 12, label: "base-turtle" });
    await linkComputer(bridge.linkUrl, { computerId: 3, protocol: 1 });
    const client = await connectClient(bridge.mcpUrl);
    expect((await callTool(client, "probe-computers")).text).toBe(texts.pongFromLabelNull);
    const result = await callTool(client, "exec-lua", { computerId: 12, code: "1 + 1" });
    expect(result.text).toBe("Ran on 12 (Label: base-turtle).\nReturned: 2");
    expect(result.structuredContent).toMatchObject({ returns: [{ type: "number", value: 2 }] });
  });

  it("gets the names of the real tools for an unknown one", async () => {
    const bridge = await startTestBridge();
    const client = await connectClient(bridge.mcpUrl);
    await expect(callTool(client, "fly")).rejects.toThrow(/no tool "fly".*exec-lua/);
  });

  it("gets output as progress while the code runs, then the answer", async () => {
    const bridge = await startTestBridge();
    let finish: () => void = () => {};
    await linkComputer(bridge.linkUrl, {
      computerId: 1,
      programs: {
        dig: async (run) => {
          run.write("dug 1\n");
          await new Promise<void>((resolve) => {
            finish = resolve;
          });
          return [];
        },
      },
    });
    const client = await connectClient(bridge.mcpUrl);
    const progress: unknown[] = [];
    const call = callTool(
      client,
      "exec-lua",
      { computerId: 1, code: "dig" },
      {
        onprogress: (update) => {
          progress.push(update);
          finish();
        },
      },
    );
    expect((await call).text).toContain("Output:\n| dug 1");
    expect(progress).toMatchObject([{ progress: 1, message: "| dug 1" }]);
  });

  it("cancels code in the game by cancelling the call", async () => {
    const bridge = await startTestBridge();
    const stopped = vi.fn();
    const controller = new AbortController();
    const { fake } = await linkComputer(bridge.linkUrl, {
      computerId: 1,
      programs: {
        dig: (run) =>
          new Promise((_, reject) => {
            controller.abort();
            run.signal.addEventListener("abort", () => {
              stopped();
              reject(new Error("Terminated"));
            });
          }),
      },
    });
    const client = await connectClient(bridge.mcpUrl);
    const args = { computerId: 1, code: "dig" };
    await expect(
      callTool(client, "exec-lua", args, { signal: controller.signal }),
    ).rejects.toThrow();
    await vi.waitFor(() => expect(stopped).toHaveBeenCalledOnce());
    expect(fake.received.at(-1)).toMatchObject({ type: "cancel" });
    expect((await callTool(client, "probe-computers")).text).toContain("pong from 1");
  });

  it("shares computers with other clients, each with its own answers", async () => {
    const bridge = await startTestBridge();
    await linkComputer(bridge.linkUrl, {
      computerId: 1,
      programs: Object.fromEntries(
        Array.from({ length: 50 }, (_, i) => [`return ${i}`, () => [{ type: "number", value: i }]]),
      ),
    });
    const clients = await Promise.all([1, 2, 3].map(() => connectClient(bridge.mcpUrl)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, async (_, i) => {
        const client = clients[i % 3];
        if (client === undefined) throw new Error("no client");
        const { text } = await callTool(client, "exec-lua", { computerId: 1, code: `return ${i}` });
        return text.endsWith(`Returned: ${i}`);
      }),
    );
    expect(answers.every(Boolean)).toBe(true);
  });

  it("leaves code running when its session ends, and has its call answered", async () => {
    const bridge = await startTestBridge();
    const stopped = vi.fn();
    let started: () => void = () => {};
    const running = new Promise<void>((resolve) => {
      started = resolve;
    });
    await linkComputer(bridge.linkUrl, {
      computerId: 1,
      programs: {
        dig: (run) => {
          run.signal.addEventListener("abort", stopped);
          started();
          return new Promise(() => {});
        },
      },
    });
    const session = await initialize(bridge.mcpUrl);
    const call = post(bridge.mcpUrl, {
      session,
      body: {
        jsonrpc: "2.0",
        id: 2,
        method: "tools/call",
        params: { name: "exec-lua", arguments: { computerId: 1, code: "dig" } },
      },
    });
    await running;
    await fetch(bridge.mcpUrl, { method: "DELETE", headers: { "mcp-session-id": session } });
    expect(await (await call).json()).toMatchObject({
      id: 2,
      error: { message: expect.stringContaining("continues") },
    });
    expect(bridge.registry.jobs.list()).toMatchObject([{ state: "running" }]);
    expect(stopped).not.toHaveBeenCalled();
  });
});

describe("answers over HTTP", () => {
  const list = { jsonrpc: "2.0", id: 5, method: "tools/list" };

  it.each([
    ["application/json, text/event-stream", "application/json"],
    ["application/json", "application/json"],
    ["text/event-stream", "text/event-stream"],
    ["*/*", "application/json"],
  ])("accepting %s gives %s", async (accept, type) => {
    const bridge = await startTestBridge();
    const session = await initialize(bridge.mcpUrl);
    const response = await post(bridge.mcpUrl, { session, accept, body: list });
    expect(response.headers.get("content-type")).toBe(type);
    const text = await response.text();
    const json = type === "application/json" ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? "");
    expect(JSON.parse(json)).toMatchObject({ id: 5, result: { tools: expect.any(Array) } });
  });

  it("answers a batch as a batch", async () => {
    const bridge = await startTestBridge();
    const session = await initialize(bridge.mcpUrl);
    const body = [
      { jsonrpc: "2.0", id: "a", method: "tools/list" },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 0, method: "ping" },
      { jsonrpc: "2.0", id: "c", method: "no/such" },
    ];
    const answers = (await (await post(bridge.mcpUrl, { session, body })).json()) as {
      id: unknown;
    }[];
    expect(answers.map(({ id }) => id).sort()).toEqual([0, "a", "c"]);
    expect(answers.find(({ id }) => id === "c")).toMatchObject({ error: { code: -32_601 } });
  });

  it("refuses an id that is still open, and answers the first", async () => {
    const bridge = await startTestBridge();
    let finish: () => void = () => {};
    const finished = new Promise<[]>((resolve) => {
      finish = () => resolve([]);
    });
    await linkComputer(bridge.linkUrl, { computerId: 1, programs: { wait: () => finished } });
    const session = await initialize(bridge.mcpUrl);
    const params = { name: "exec-lua", arguments: { computerId: 1, code: "wait" } };
    const body = { jsonrpc: "2.0", id: 9, method: "tools/call", params };
    const first = post(bridge.mcpUrl, { session, body });
    await vi.waitFor(() => expect(bridge.registry.jobs.list()).toHaveLength(1));
    expect((await post(bridge.mcpUrl, { session, body })).status).toBe(400);
    finish();
    expect(await (await first).json()).toMatchObject({
      id: 9,
      result: { structuredContent: { state: "done" } },
    });
  });

  it("ignores a cancellation that comes after the answer", async () => {
    const bridge = await startTestBridge();
    const session = await initialize(bridge.mcpUrl);
    await post(bridge.mcpUrl, { session, body: list });
    const cancelled = {
      jsonrpc: "2.0",
      method: "notifications/cancelled",
      params: { requestId: 5, reason: "late" },
    };
    expect((await post(bridge.mcpUrl, { session, body: cancelled })).status).toBe(202);
    expect((await post(bridge.mcpUrl, { session, body: list })).status).toBe(200);
  });

  it("accepts a string as progress token", async () => {
    const bridge = await startTestBridge();
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const programs = {
      dig: async (run: Run) => {
        run.write("dug 1\n");
        await finished;
        return [];
      },
    };
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const session = await initialize(bridge.mcpUrl);
    const response = await post(bridge.mcpUrl, {
      session,
      body: {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: {
          name: "exec-lua",
          arguments: { computerId: 1, code: "dig" },
          _meta: { progressToken: "abc" },
        },
      },
    });
    finish();
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(await response.text()).toContain('"progressToken":"abc"');
  });
});

describe("sessions", () => {
  it("expire when idle, but not while a stream is open", async () => {
    const bridge = await startTestBridge({ sessionIdleMs: 1_000 });
    const listening = await initialize(bridge.mcpUrl);
    const stream = await fetch(bridge.mcpUrl, {
      headers: { accept: "text/event-stream", "mcp-session-id": listening },
    });
    const idle = await initialize(bridge.mcpUrl);
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const health = `http://127.0.0.1:${bridge.mcpPort}/health`;
    await vi.waitFor(async () =>
      expect(await (await fetch(health)).json()).toMatchObject({ sessions: 1 }),
    );
    expect((await post(bridge.mcpUrl, { session: idle, body: ping })).status).toBe(404);
    expect((await post(bridge.mcpUrl, { session: listening, body: ping })).status).toBe(200);
    await stream.body?.cancel();
  });

  it("end for new ones, the idle ones first, then the longest unused", async () => {
    const bridge = await startTestBridge({ maxSessions: 2 });
    const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
    const status = async (session: string) =>
      (await post(bridge.mcpUrl, { session, body: ping })).status;
    const listen = (session: string) =>
      fetch(bridge.mcpUrl, {
        headers: { accept: "text/event-stream", "mcp-session-id": session },
      });
    const listening = await initialize(bridge.mcpUrl);
    const stream = await listen(listening);
    const idle = await initialize(bridge.mcpUrl);
    const newest = await initialize(bridge.mcpUrl);
    expect(await status(idle)).toBe(404);
    expect(await status(listening)).toBe(200);
    const second = await listen(newest);
    await initialize(bridge.mcpUrl);
    expect(await status(listening)).toBe(404);
    expect(await status(newest)).toBe(200);
    await Promise.all([stream.body?.cancel(), second.body?.cancel()]);
  });

  it("with open calls do not end for the same address", async () => {
    const bridge = await startTestBridge({ maxSessions: 1 });
    const { code, programs, running } = endlessProgram();
    await linkComputer(bridge.linkUrl, { computerId: 1, programs });
    const session = await initialize(bridge.mcpUrl);
    const params = { name: "exec-lua", arguments: { computerId: 1, code } };
    const call = post(bridge.mcpUrl, {
      session,
      body: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
    });
    await running;
    const refused = await post(bridge.mcpUrl, { body: initializeBody });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("30");
    await fetch(bridge.mcpUrl, { method: "DELETE", headers: { "mcp-session-id": session } });
    await call;
  });

  it("keep nothing of answered calls", async () => {
    const bridge = await startTestBridge();
    const session = await initialize(bridge.mcpUrl);
    for (let id = 0; id < 50; id++) {
      await post(bridge.mcpUrl, { session, body: { jsonrpc: "2.0", id, method: "ping" } });
    }
    for (let id = 0; id < 50; id++) {
      const body = { jsonrpc: "2.0", id, method: "ping" };
      expect((await post(bridge.mcpUrl, { session, body })).status).toBe(200);
    }
  });
});

it("a batch with one id twice is answered", async () => {
  const bridge = await startTestBridge();
  const session = await initialize(bridge.mcpUrl);
  const twice = { jsonrpc: "2.0", id: 7, method: "ping" };
  const response = await post(bridge.mcpUrl, { session, body: [twice, twice] });
  expect(response.status).toBe(400);
  expect(await response.text()).toContain("have the same id");
});
