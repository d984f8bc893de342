import { defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { buildBase } from "./base.js";
import { tasks } from "./tasks.js";

interface Call {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly task?: string;
  readonly answer: CallToolResult;
  readonly ms: number;
}

interface Score {
  readonly tasks: readonly {
    readonly name: string;
    readonly calls: number;
    readonly missing?: string;
  }[];
  readonly calls: number;
  readonly errors: number;
}

export interface Trial {
  readonly calls: readonly Call[];
  tools(): Promise<Tool[]>;
  call(tool: string, args?: Record<string, unknown>, task?: string): Promise<CallToolResult>;
  score(): Promise<Score>;
  close(): Promise<void>;
}

export async function startTrial({ ticksPerSecond = 20 } = {}): Promise<Trial> {
  const bridge = await startBridge({
    config: {
      ...defaultConfig(),
      mcpPort: 0,
      linkHost: "127.0.0.1",
      linkPort: 0,
      pagesPort: 0,
      // Computers measure heartbeats by the game's clock, which may run faster than the bridge's.
      heartbeatMs: 3_600_000,
      unresponsiveAfterMs: 7_200_000,
      dropAfterMs: 10_800_000,
    },
    log: silentLogger(),
    version: "0.0.0",
  });
  const base = await buildBase(ticksPerSecond);
  const computers = Object.values(base.computers);
  const isLinked = (id: number) =>
    bridge.computers.list().some(({ provider }) => provider.computerId === id);
  // As a player links them; also reconnects after a reboot.
  const line = `wget run http://127.0.0.1:${bridge.linkPort}/install.lua --autostart\n`;
  for (const computer of computers) computer.turnOn();
  await Promise.all(
    computers.map(async (computer) => {
      await computer.until(() => /> *$/.test(computer.screen.text()));
      computer.type(line);
      await computer.until(() => isLinked(computer.id));
    }),
  );
  const client = new Client({ name: "trial", version: "0.0.0" });
  const url = new URL(`http://127.0.0.1:${bridge.mcpPort}/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url));
  const calls: Call[] = [];
  return {
    calls,
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args = {}, task) => {
      base.gate.begin();
      const began = performance.now();
      const answer = await client.callTool({ name: tool, arguments: args }).then(
        (result) => result as CallToolResult,
        // A protocol error is a wasted call as well; clients show its message.
        (error: Error): CallToolResult => ({
          content: [{ type: "text", text: error.message }],
          isError: true,
        }),
      );
      const ms = Math.round(performance.now() - began);
      calls.push({ tool, args, ...(task === undefined ? {} : { task }), answer, ms });
      return answer;
    },
    score: async () => ({
      tasks: await Promise.all(
        tasks.map(async ({ name, missing }) => {
          const lack = await missing(base);
          const count = calls.filter(({ task }) => task === name).length;
          return { name, calls: count, ...(lack === undefined ? {} : { missing: lack }) };
        }),
      ),
      calls: calls.length,
      errors: calls.filter(({ answer }) => answer.isError === true).length,
    }),
    close: async () => {
      await client.close();
      base.world.close();
      await bridge.close();
    },
  };
}
