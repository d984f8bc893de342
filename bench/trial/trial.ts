import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { defaultConfig, silentLogger, startBridge } from "@ccbridge/bridge";
import type { PlacedComputer, World } from "@ccbridge/cc-host";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import type { CallToolResult, Tool } from "@modelcontextprotocol/sdk/types.js";
import { type PlaceName, places } from "./places.js";

/** What a task may look at beside its place; none of it counts as a call. */
export interface Look {
  isLinked(computerId: number): boolean;
  /** What the running programs of a computer are called. */
  running(computerId: number): readonly string[];
  /** The answer of an offered tool with one argument; undefined when it is not offered. */
  useOffered(name: string, argument: string | number): Promise<string | undefined>;
  /** Waits for ticks of the game. */
  ticks(count: number): Promise<void>;
}

interface Place {
  readonly world: World;
  readonly computers: Readonly<Record<string, PlacedComputer>>;
}

export interface Task<P extends Place = Place> {
  readonly name: string;
  readonly words: string;
  missing(place: P, look: Look): string | undefined | Promise<string | undefined>;
}

/** Where tasks are done. */
export interface PlaceKind<P extends Place = Place> {
  build(ticksPerSecond: number): Promise<P>;
  readonly tasks: readonly Task<P>[];
  /** What another client has done before. */
  before?(
    place: P,
    helper: (tool: string, args: Record<string, unknown>) => Promise<string>,
  ): Promise<void>;
  /** Called before each call. */
  begin?(place: P): void;
}

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
  readonly tasks: readonly Pick<Task, "name" | "words">[];
  readonly calls: readonly Call[];
  /** What the server says to every model. */
  readonly instructions: string;
  tools(): Promise<Tool[]>;
  call(tool: string, args?: Record<string, unknown>, task?: string): Promise<CallToolResult>;
  score(): Promise<Score>;
  close(): Promise<void>;
}

const TICK_MS = 50;

export async function startTrial({
  ticksPerSecond = 20,
  place = "base",
}: {
  ticksPerSecond?: number;
  place?: PlaceName;
} = {}): Promise<Trial> {
  const { build, tasks, before, begin } = places[place];
  const folder = mkdtempSync(join(tmpdir(), "ccbridge-trial-"));
  const mcpTokensFile = join(folder, "tokens");
  writeFileSync(mcpTokensFile, "player-token name=player\nhelper-token name=helper\n", {
    mode: 0o600,
  });
  const bridge = await startBridge({
    config: {
      ...defaultConfig(),
      mcpPort: 0,
      linkHost: "127.0.0.1",
      linkPort: 0,
      pagesPort: 0,
      mcpTokensFile,
      historyFile: join(folder, "history.db"),
      // Computers measure heartbeats by the game's clock, which may run faster than the bridge's.
      heartbeatMs: 3_600_000,
      unresponsiveAfterMs: 7_200_000,
      dropAfterMs: 10_800_000,
    },
    log: silentLogger(),
    version: "0.0.0",
  });
  const built = await build(ticksPerSecond);
  const computers = Object.values(built.computers);
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
  const connect = async (name: string) => {
    const client = new Client({ name, version: "0.0.0" });
    const url = new URL(`http://127.0.0.1:${bridge.mcpPort}/mcp`);
    const headers = { authorization: `Bearer ${name}-token` };
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
    return client;
  };
  if (before !== undefined) {
    const helper = await connect("helper");
    await before(built, async (name, args) => {
      const answer = await helper.callTool({ name, arguments: args });
      if (answer.isError) throw new Error(`${name}: ${textOf(answer)}`);
      return textOf(answer);
    });
    await helper.close();
  }
  const client = await connect("player");
  const look: Look = {
    isLinked,
    running: (id) =>
      bridge.registry.jobs
        .list()
        .filter(({ ended, provider }) => !ended && provider.key === keyOf(bridge, id))
        .map(({ summary }) => summary ?? ""),
    async useOffered(name, argument) {
      const { tools } = await client.listTools();
      const tool = tools.find((each) => each.name === name);
      const [argumentName] = Object.keys(tool?.inputSchema.properties ?? {});
      if (tool === undefined) return undefined;
      const args = argumentName === undefined ? {} : { [argumentName]: argument };
      return textOf(await client.callTool({ name, arguments: args }));
    },
    ticks: (count) =>
      new Promise((resolve) => setTimeout(resolve, (count * TICK_MS * 20) / ticksPerSecond)),
  };
  const calls: Call[] = [];
  return {
    tasks,
    calls,
    instructions: client.getInstructions() ?? "",
    tools: async () => (await client.listTools()).tools,
    call: async (tool, args = {}, task) => {
      begin?.(built);
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
    score: async () => {
      const scored = [];
      // One after the other: some try things out in the place.
      for (const { name, missing } of tasks) {
        const lack = await missing(built, look);
        const count = calls.filter(({ task }) => task === name).length;
        scored.push({ name, calls: count, ...(lack === undefined ? {} : { missing: lack }) });
      }
      return {
        tasks: scored,
        calls: calls.length,
        errors: calls.filter(({ answer }) => answer.isError === true).length,
      };
    },
    close: async () => {
      await client.close();
      built.world.close();
      await bridge.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function keyOf(
  { computers }: Awaited<ReturnType<typeof startBridge>>,
  id: number,
): string | undefined {
  return computers.list().find(({ provider }) => provider.computerId === id)?.provider.key;
}

function textOf(answer: unknown): string {
  const { content } = answer as CallToolResult;
  return content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
}
