import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const BETWEEN_CALLS_MS = 900;
const BETWEEN_TASKS_MS = 75_000;

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

const brokenLine = '    redstone.setOutput("front", flase)';
const rightLine = '    redstone.setOutput("front", false)';

/** What a model did when it was asked, replayed without one. */
const tasks: readonly (readonly Call[])[] = [
  [
    ["list-computers", {}],
    ["set-position", { computerId: "lumber", x: 80, y: 64, z: 12, facing: "east" }],
    ["run-program", { computerId: "base", command: "stock", waitMs: 0 }],
    ["run-program", { computerId: "reactor", command: "reactor", waitMs: 0 }],
    ["call-offered-tool", { name: "sort-chests", arguments: { stacks: 400 }, waitMs: 0 }],
  ],
  [
    ["turtle-status", { computerId: "quarry" }],
    ["set-position", { computerId: "quarry", x: 112, y: 64, z: -30, facing: "north" }],
    ["call-offered-tool", { name: "dig-shaft", arguments: { depth: 30 }, waitMs: 0 }],
  ],
  [
    ["read-file", { computerId: "gate", path: "/lock.lua" }],
    [
      "edit-file",
      { computerId: "gate", path: "/lock.lua", oldText: brokenLine, newText: rightLine },
    ],
    ["run-program", { computerId: "gate", command: "lock", waitMs: 500 }],
    ["read-screen", { computerId: "gate" }],
  ],
  [
    ["turtle-status", { computerId: "farm" }],
    ["run-program", { computerId: "farm", command: "harvest", waitMs: 2_000 }],
  ],
  [
    ["list-inventory", { computerId: "base" }],
    ["send_message", { target: "Alex", message: "192 iron ingots are in chest 2." }],
    ["get_online_players", {}],
  ],
];

export async function replayModel(mcpUrl: string, afterFirst: () => void): Promise<void> {
  for (const [index, task] of tasks.entries()) {
    await replay(mcpUrl, task);
    if (index === 0) afterFirst();
  }
  for (;;) {
    await sleep(BETWEEN_TASKS_MS);
    // The gate is repaired and the programs run: only what can be done again is.
    await replay(mcpUrl, tasks[1] ?? []);
    await sleep(BETWEEN_TASKS_MS);
    await replay(mcpUrl, tasks[4] ?? []);
  }
}

/** Each task is a separate chat. */
async function replay(mcpUrl: string, task: readonly Call[]): Promise<void> {
  const client = new Client({ name: "Claude (demo)", version: "0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(mcpUrl)));
  for (const [name, args] of task) {
    await client.callTool({ name, arguments: { ...args } }).catch(() => {});
    await sleep(BETWEEN_CALLS_MS);
  }
  await client.close();
}
