// Log messages for a client: only if it wants them, and only at its level.

import type { Run } from "@ccbridge/registry/testing";
import {
  Client as ModernClient,
  StreamableHTTPClientTransport as ModernTransport,
} from "@modelcontextprotocol/client";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import {
  LoggingMessageNotificationSchema,
  ProgressNotificationSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { describe, expect, it, onTestFinished } from "vitest";
import { startFixtureServer } from "../conformance/server.js";
import { startTestBridge } from "../helpers/bridge.js";
import { linkComputer } from "../helpers/computer.js";

const LATEST = "2026-07-28";

type Level = "debug" | "info" | "warning" | "emergency";
type Call = (
  name: string,
  options: {
    level?: Level | undefined;
    args?: Record<string, unknown>;
    progressToken?: string | undefined;
  },
) => Promise<unknown>;

interface Listening {
  call: Call;
  readonly logged: unknown[];
  readonly progress: unknown[];
}

async function withSession(url: string, onMessage = () => {}): Promise<Listening> {
  const client = new Client({ name: "test", version: "0" });
  onTestFinished(() => client.close());
  const logged: unknown[] = [];
  const progress: unknown[] = [];
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    logged.push(params);
    onMessage();
  });
  client.setNotificationHandler(ProgressNotificationSchema, ({ params }) => {
    progress.push(params);
    onMessage();
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  return {
    logged,
    progress,
    async call(name, { level, args = {}, progressToken }) {
      if (level !== undefined) await client.setLoggingLevel(level);
      return client.callTool({ name, arguments: args, _meta: { progressToken } });
    },
  };
}

async function withoutSession(url: string, onMessage = () => {}): Promise<Listening> {
  const client = new ModernClient(
    { name: "test", version: "0" },
    { versionNegotiation: { mode: { pin: LATEST } } },
  );
  onTestFinished(() => client.close());
  const logged: unknown[] = [];
  const progress: unknown[] = [];
  client.setNotificationHandler("notifications/message", ({ params }) => {
    logged.push(params);
    onMessage();
  });
  client.setNotificationHandler("notifications/progress", ({ params }) => {
    progress.push(params);
    onMessage();
  });
  await client.connect(new ModernTransport(new URL(url)));
  return {
    logged,
    progress,
    call(name, { level, args = {}, progressToken }) {
      const wanted = level === undefined ? {} : { "io.modelcontextprotocol/logLevel": level };
      const _meta = { ...wanted, ...(progressToken === undefined ? {} : { progressToken }) };
      return client.callTool({ name, arguments: args, _meta });
    },
  };
}

describe.each([
  ["with a session", withSession],
  ["without one", withoutSession],
])("a client %s", (_, connect) => {
  it.each<[Level | undefined, number]>([
    [undefined, 0],
    ["debug", 3],
    ["info", 3],
    ["warning", 0],
    ["emergency", 0],
  ])("that wants messages of level %s gets %i of a tool that logs", async (level, count) => {
    const { call, logged } = await connect(await startFixtureServer());
    await call("test_tool_with_logging", { level });
    expect(logged).toHaveLength(count);
    if (count === 0) return;
    expect(logged).toEqual(
      ["started", "processing data", "completed"].map((part) => ({
        level: "info",
        data: `Tool execution ${part}`,
      })),
    );
  });

  it("gets the progress of a job in its log, if it does not want progress notifications", async () => {
    const bridge = await startTestBridge();
    const code = "dig()";
    let finish = () => {};
    const dig = async (run: Run) => {
      const finished = new Promise<void>((resolve) => (finish = resolve));
      run.write("digging\n");
      await finished;
      return [];
    };
    await linkComputer(bridge.linkUrl, { computerId: 1, programs: { [code]: dig } });
    const { call, logged, progress } = await connect(bridge.mcpUrl, () => finish());
    const exec = (level: Level, progressToken?: string) =>
      call("exec-lua", { args: { computerId: 1, code }, level, progressToken });
    await exec("warning", "a");
    expect(logged).toEqual([]);
    await exec("info");
    expect(logged).toEqual([{ level: "info", data: "| digging" }]);
    await exec("info", "b");
    expect(logged).toHaveLength(1);
    expect(progress).toMatchObject([
      { progressToken: "a", message: "| digging" },
      { progressToken: "b", message: "| digging" },
    ]);
  });
});
